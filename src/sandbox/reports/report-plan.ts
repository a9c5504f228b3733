import { chance, pick } from '../faults/chance.ts';

/** See report-shapes.ts. */
const ODD_SHAPES = ['tilil_json', 'form', 'query', 'number_id'] as const;

/** Kinds of odd reports: another shape, number or order than one plain report. */
export const ODD_KINDS = [
  ...ODD_SHAPES,
  'duplicate',
  'intermediate_first',
  'out_of_order',
  'conflict',
  'early',
] as const;
/** The name of a kind of odd reports. */
export type OddKind = (typeof ODD_KINDS)[number];

/** The shape of a report on the wire; `plain` is the usual one. */
export type ReportShape = 'plain' | (typeof ODD_SHAPES)[number];

/** The outcome in a report. `sent` is not final; a later report may overrule `absent`. */
export type ReportOutcome = 'sent' | 'delivered' | 'undelivered' | 'absent';

type FinalOutcome = Exclude<ReportOutcome, 'sent'>;

/** A planned report. */
export interface PlannedReport {
  /** Milliseconds after the message was accepted. */
  afterMs: number;
  outcome: ReportOutcome;
  shape: ReportShape;
  /** The word of the plain shape; other shapes may spell it differently. */
  word: string;
}

/** All reports of one message. */
export interface ReportPlan {
  /** The first report goes out before the answer to the send. */
  early: boolean;
  /** Empty: no report ever. */
  reports: PlannedReport[];
}

/** The settings of a plan. */
export interface ReportPlanning {
  seed: number;
  reportDelayMs: { min: number; max: number };
  reportMix: { delivered: number; undelivered: number; absent: number; optedOut: number; never: number };
  oddReportRate: number;
  oddReportKinds: readonly OddKind[];
}

const FAILED_WORDS = [
  'DeliveryImpossible',
  'DeliveryFailure',
  'UserNotExist',
  'SenderName Blacklisted',
] as const;
/** Words for numbers that opted out. */
const OPTED_OUT_WORDS = ['SenderName Blacklisted', 'UserInBlacklist', 'SubscriberOptedOut'] as const;
const AGAIN_MS = 300;

/**
 * Plans the reports of one message. Number and STOP decide the outcome; number and serial decide an odd kind.
 * The plan is not stored, because equal input gives an equal plan.
 */
export function planReports(
  planning: ReportPlanning,
  message: { serial: number; mobile: string; optedOut: boolean },
): ReportPlan {
  const end = message.optedOut ? 'optedOut' : endOf(planning, message.mobile);
  if (end === 'never') return { early: false, reports: [] };
  const key = `${message.serial}:${message.mobile}`;
  const last: PlannedReport = {
    afterMs: delayOf(planning, key),
    outcome: end === 'optedOut' ? 'undelivered' : end,
    shape: 'plain',
    word: wordOf(end, { seed: planning.seed, key: `word:${message.mobile}` }),
  };
  const odd = chance(planning.seed, `odd:${key}`) < planning.oddReportRate;
  if (!odd) return { early: false, reports: [last] };
  return makeOdd(last, pick(planning.oddReportKinds, { seed: planning.seed, key: `kind:${key}` }));
}

function makeOdd(last: PlannedReport, kind: OddKind): ReportPlan {
  if (isShape(kind)) return { early: false, reports: [{ ...last, shape: kind }] };
  return { early: kind === 'early', reports: ODD_ORDERS[kind](last) };
}

const ODD_ORDERS: Record<Exclude<OddKind, ReportShape>, (last: PlannedReport) => PlannedReport[]> = {
  duplicate: (last) => [last, last, later(last)],
  intermediate_first: (last) => [{ ...onTheWay(last), afterMs: last.afterMs / 2 }, last],
  out_of_order: (last) => [last, later(onTheWay(last))],
  conflict: (last) => [
    { ...last, outcome: 'absent', word: 'AbsentSubscriber' },
    { ...later(last), outcome: 'delivered', word: 'DeliveredToTerminal' },
  ],
  early: (last) => [last],
};

function isShape(kind: OddKind): kind is Extract<OddKind, ReportShape> {
  return (ODD_SHAPES as readonly string[]).includes(kind);
}

function later(report: PlannedReport): PlannedReport {
  return { ...report, afterMs: report.afterMs + AGAIN_MS };
}

function onTheWay(report: PlannedReport): PlannedReport {
  return { ...report, outcome: 'sent', word: 'SentToNetwork' };
}

function endOf(
  { reportMix: mix, seed }: ReportPlanning,
  mobile: string,
): FinalOutcome | 'optedOut' | 'never' {
  const draw = chance(seed, `outcome:${mobile}`);
  let share = 0;
  for (const end of ['delivered', 'undelivered', 'absent', 'optedOut'] as const) {
    share += mix[end];
    if (draw < share) return end;
  }
  return 'never';
}

/** Squared, so that most waits are short. */
function delayOf(planning: ReportPlanning, key: string): number {
  const { min, max } = planning.reportDelayMs;
  return min + (max - min) * chance(planning.seed, `delay:${key}`) ** 2;
}

function wordOf(end: FinalOutcome | 'optedOut', draw: { seed: number; key: string }): string {
  if (end === 'delivered') return 'DeliveredToTerminal';
  if (end === 'optedOut') return pick(OPTED_OUT_WORDS, draw);
  return end === 'absent' ? 'AbsentSubscriber' : pick(FAILED_WORDS, draw);
}
