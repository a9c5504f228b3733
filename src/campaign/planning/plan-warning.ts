import type { ErrorCode, TumaError } from '../../domain/errors.ts';
import type { CampaignHashes } from '../../domain/campaign.ts';
import { formatMoney, type MoneyMicro } from '../../domain/money.ts';

/**
 * What a person should think about before a launch. It is data: each face says it in its own words. Money in millionths,
 * times in milliseconds, cells masked.
 */
export type PlanWarning =
  /** The profile takes these HTTP statuses for "not accepted", so a message may be sent twice. */
  | Warning<'not_accepted', { statuses: number[] }>
  /** A worker sends the campaign at its own rate, not at this one (messages a second; null: unlimited). */
  | Warning<'other_rate', { campaign: string; rate: number | null }>
  | Warning<'no_credentials', Record<string, never>>
  /** The account did not answer; `said`: why. */
  | Warning<'balance_unknown', { said: string }>
  /** Messages of any campaign wait for what an answer of the provider means. `answer`: its number. */
  | Warning<'answer_undecided', UndecidedAnswer>
  /** An earlier launch of these files was sent, or may have been, to so many. */
  | Warning<'sent_before', { campaign: string; messages: number }>
  /** Another campaign of the last day has the same contacts. */
  | Warning<'same_contacts', { campaign: string; name: string; at: number; zone: string }>
  /** The earlier reminders had another kind of offset, so a reminder of today would go again. */
  | Warning<'other_offset', { campaign: string }>
  /** These files are an open campaign, with which a launch goes on. */
  | Warning<'open_already', { campaign: string }>
  /** These files were sent to the end; only anew they are launched again. */
  | Warning<'sent_already', { campaign: string }>
  /** A recurring job reads these files itself. */
  | Warning<'reads_itself', JobEdit>
  /** A launch would be refused with this error. */
  | Warning<'launch_refused', Pick<TumaError, 'message' | 'hint' | 'advice'> & { error: ErrorCode }>
  /** The account has paid more a segment than the price that is set. */
  | Warning<'paid_more', { currency: string; paidMicro: MoneyMicro }>
  /** The provider charges more segments than are counted. */
  | Warning<'charged_more', { charged: number; counted: number }>
  /** A budget, and no price to hold against it: a launch is refused. */
  | Warning<'budget_unpriced', Record<string, never>>
  | Warning<'budget_short', { currency: string; budgetMicro: MoneyMicro; missingMicro: MoneyMicro }>
  /** `marked` stands in the text as it is, and was probably meant as the field `name`. */
  | Warning<'field_lookalike', { marked: string; name: string }>
  /** Cells that say "nothing" as a program does, or have lost a letter. `cell`: the first of them. */
  | Warning<'cell_nothing' | 'cell_letter', DoubtfulCells>
  /** The start is too long ago, and a launch is refused. */
  | Warning<'start_missed', Record<string, never>>
  /** The balance is below the upper estimate. */
  | Warning<'balance_short', { currency: string; missingMicro: MoneyMicro }>
  /** It does not end within the hours of one day. */
  | Warning<'window_short', Record<string, never>>;

interface Warning<Code extends string, Facts> {
  code: Code;
  facts: Facts;
}

/** An answer of the provider that nobody has explained, and the messages that wait for it. */
export interface UndecidedAnswer {
  answer: number;
  status: number | null;
  said: string;
  code: string | null;
  messages: number;
}

/** The parts of a launch that tell one campaign from another. */
export type LaunchPart = keyof CampaignHashes;

/** What an edit of files changes that a recurring job reads itself. */
export interface JobEdit {
  campaign: string;
  changed: LaunchPart[];
  /** Its next firing; null: none is planned. */
  at: number | null;
  zone: string;
  /** True: the file has another `start_deadline`, and that of the launch stays. */
  keepsDeadline: boolean;
}

interface DoubtfulCells {
  field: string;
  cell: string;
  count: number;
  lines: number[];
}

const REFUSES: ReadonlySet<PlanWarning['code']> = new Set([
  'launch_refused',
  'budget_unpriced',
  'start_missed',
]);

/** True: a launch of the same would be refused. */
export function isRefusal({ code }: PlanWarning): boolean {
  return REFUSES.has(code);
}

/** The facts as documents show them: `paidMicro: 1600000` is `paid: "1.60"`, `at` is in ISO 8601 UTC. */
export function shownFacts({ facts }: PlanWarning): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(facts).map(([name, value]: [string, unknown]) => {
      if (typeof value !== 'number') return [name, value];
      if (name.endsWith('Micro')) return [name.slice(0, -'Micro'.length), formatMoney(value)];
      return [name, name === 'at' ? new Date(value).toISOString() : value];
    }),
  );
}

/** How a face writes a moment (milliseconds) by the clock of a zone. */
type Moment = (at: number, zone: string) => string;

/** The words of a face for each warning. */
export type WarningWords = {
  readonly [Each in PlanWarning as Each['code']]: (facts: Each['facts'], moment: Moment) => string;
};

/** Says a warning in the words of a face. */
export function warningText(words: WarningWords, { code, facts }: PlanWarning, moment: Moment): string {
  // The type of `words` ties each code to its facts; TypeScript does not follow that through an index.
  return (words[code] as (given: PlanWarning['facts'], moment: Moment) => string)(facts, moment);
}
