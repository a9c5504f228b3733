import type { PlannedJob, PlannedReminders } from './plan-job.ts';
import type { PlanFacts } from './plan-facts.ts';
import type { CampaignSettings } from '../../domain/campaign.ts';
import { maskText } from '../../domain/text/mask.ts';
import { formatMoney, type MoneyMicro } from '../../domain/money.ts';
import type { RejectKind } from '../../domain/plan-tally.ts';
import type { UploadTally } from '../../domain/reminder-tally.ts';

/** `tuma plan --json`. Money as decimal strings, times ISO 8601 UTC, what is not known is null. */
export interface PlanDocument {
  campaign: { name: string; kind: string; sender: string };
  rows: {
    read: number;
    planned: number;
    unchanged: number;
    duplicate: number;
    invalid: number;
    suppressed: number;
  };
  reasons: { kind: RejectKind; reason: string; count: number; lines: number[] }[];
  rejects: { path: string; rows: number } | null;
  encoding: { gsm7: number; ucs2: number };
  segments: { planned: number; one: number; two: number; more: number };
  ucs2_characters: { character: string; replacement: string | null; count: number; lines: number[] }[];
  gsm_saves_segments: number;
  cost: { currency: string; basis: string; lower: string | null; upper: string | null };
  balance: { before: string | null; after_lower: string | null; after_upper: string | null };
  /**
   * `at`: the start that the job or --at names; null: at once, or by `firings` (a recurring job's next ones), or by
   * `reminders`. `missed`: it is longer ago than `start_deadline`, so a launch is refused.
   */
  start: { at: string | null; missed: boolean; firings: string[] };
  forecast: {
    rate_per_second: number | null;
    /** The rate begins lower and rises to `rate_per_second`; null: it does not. */
    starts_at: string;
    finishes_at: string | null;
    window_closes_at: string | null;
    fits: boolean | null;
    goes_on_at: string | null;
  };
  /**
   * Null: no reminders. `calendar`: how many go out each day of the zone. Skipped are those in `past`, which are too late,
   * and `already_reminded`, which an earlier campaign of the job sent.
   */
  reminders: null | {
    calendar: { date: string; count: number }[];
    past: { count: number; lines: number[] };
    already_reminded: number;
    /** What these contacts change in an open campaign; null: a campaign of its own. */
    upload: null | (UploadTally & { campaign: string });
  };
  examples: { line: number; text: string; segments: number }[];
  /** What holds messages back or skips them; null: not in use. Spans in seconds. */
  guards: {
    canary: null | { first: number; wait_seconds: number; delivered: number };
    same_text_seconds: number | null;
    most: null | { messages: number; per_seconds: number };
  };
  warnings: string[];
}

/** What a plan shows of the rendered messages: nothing where only a log would read them, numbers where they are asked for. */
export type ExampleTexts = 'none' | 'masked' | 'whole';

/** A plan as `--json` shows it: money as decimal strings, times in ISO 8601, null for what is not known. */
export function planDocument(
  { planned, cost, forecast, start, creditMicro, warnings }: PlanFacts,
  texts: ExampleTexts,
): PlanDocument {
  const { draft, tally, rejects } = planned;
  const money = (amount: MoneyMicro | null) => (amount === null ? null : formatMoney(amount));
  const after = (spent: MoneyMicro | null) =>
    money(creditMicro === null || spent === null ? null : creditMicro - spent);
  return {
    campaign: { name: draft.name, kind: draft.kind, sender: draft.sender },
    rows: { read: tally.read, planned: tally.planned, unchanged: tally.unchanged, ...tally.rejected },
    reasons: tally.reasons(),
    rejects,
    encoding: { ...tally.encodings },
    segments: { ...tally.segments },
    ucs2_characters: tally.ucs2Characters(),
    gsm_saves_segments: tally.gsmSaves,
    cost: {
      currency: draft.settings.currency,
      basis: cost.basis,
      lower: money(cost.lowerMicro),
      upper: money(cost.upperMicro),
    },
    balance: {
      before: money(creditMicro),
      after_lower: after(cost.upperMicro),
      after_upper: after(cost.lowerMicro),
    },
    start: {
      at: start.startAt === null ? null : iso(start.startAt),
      missed: start.missed,
      firings: start.firings.map(iso),
    },
    forecast: {
      rate_per_second: forecast.ratePerSecond,
      starts_at: iso(forecast.startsAt),
      finishes_at: forecast.finishesAt === null ? null : iso(forecast.finishesAt),
      window_closes_at: forecast.windowClosesAt === null ? null : iso(forecast.windowClosesAt),
      fits: forecast.fits,
      goes_on_at: forecast.goesOnAt === null ? null : iso(forecast.goesOnAt),
    },
    reminders: remindersPart(planned.reminders),
    examples: examplesOf(tally, texts),
    guards: guardsPart(draft.settings, tally.planned),
    warnings,
  };
}

function examplesOf({ examples }: PlannedJob['tally'], texts: ExampleTexts): PlanDocument['examples'] {
  if (texts === 'none') return [];
  if (texts === 'whole') return examples;
  return examples.map((example) => ({ ...example, text: maskText(example.text) }));
}

function guardsPart({ canary, guard }: CampaignSettings, planned: number): PlanDocument['guards'] {
  const seconds = (ms: number) => ms / 1000;
  const { sameTextMs = null, most = null, perMs = 0 } = guard ?? {};
  return {
    canary:
      canary === undefined || planned <= canary.first
        ? null
        : { first: canary.first, wait_seconds: seconds(canary.waitMs), delivered: canary.delivered },
    same_text_seconds: sameTextMs === null ? null : seconds(sameTextMs),
    most: most === null ? null : { messages: most, per_seconds: seconds(perMs) },
  };
}

function remindersPart(reminders: PlannedReminders | null): PlanDocument['reminders'] {
  if (reminders === null) return null;
  const { tally, upload } = reminders;
  return {
    calendar: tally.calendar(),
    past: tally.past,
    already_reminded: tally.remindedBefore,
    upload: upload === null ? null : { campaign: upload.campaign.id, ...upload.changes },
  };
}

function iso(instant: number): string {
  return new Date(instant).toISOString();
}
