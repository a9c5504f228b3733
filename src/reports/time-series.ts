import type { SeriesStep } from '../ledger/contracts/counters.ts';
import type { LedgerReader, Tallies } from '../ledger/contracts/reader.ts';

/** What happened in one step of time. */
export interface TimeStep {
  /** When it begins, in milliseconds. */
  at: number;
  sent: number;
  delivered: number;
  failed: number;
}

/** A campaign over time, for its charts. */
export interface TimeSeries {
  /** The length of a step in milliseconds: whole minutes. */
  stepMs: number;
  steps: TimeStep[];
  /** What was reported long after the last message had left; null: nothing. */
  later: Omit<TimeStep, 'at'> | null;
  /** Times from sent to a report. */
  delivery: {
    /** From the shortest to the longest; empty: not told. */
    buckets: { fromMs: number; toMs: number; messages: number }[];
    p50: number | null;
    p95: number | null;
  };
}

const MINUTE_MS = 60_000;
/** Lengths of a step in minutes: minutes, hours, days. */
const LENGTHS = [1, 2, 5, 10, 15, 30, 60, 120, 360, 720, 1_440].map((minutes) => minutes * MINUTE_MS);
const MOST_STEPS = 60;
/** Reports that come by then are drawn; a single late one would make the rest a line. */
const REPORTS_MS = 15 * MINUTE_MS;

/** The length of a step so that a span (milliseconds) has at most 60 of them. */
export function stepFor(spanMs: number): number {
  const longest = LENGTHS.at(-1) ?? MINUTE_MS;
  const fits = LENGTHS.find((length) => spanMs / length < MOST_STEPS - 1);
  return fits ?? Math.ceil(spanMs / longest / (MOST_STEPS - 1)) * longest;
}

/** Reads what happened in each step of time, from the first sent message on. */
export async function timeSeriesOf(
  reader: Pick<LedgerReader, 'campaignSeries' | 'campaignLatency'>,
  campaign: number,
  { firstSentAt, lastSentAt }: Pick<Tallies, 'firstSentAt' | 'lastSentAt'>,
): Promise<TimeSeries> {
  const { delivery } = await reader.campaignLatency(campaign);
  if (firstSentAt === null || lastSentAt === null)
    return { stepMs: MINUTE_MS, steps: [], later: null, delivery };
  const stepMs = stepFor(lastSentAt - firstSentAt + REPORTS_MS);
  const found = await reader.campaignSeries(campaign, { from: 0, to: Number.MAX_SAFE_INTEGER, stepMs });
  return { stepMs, ...stepsOf(found, { stepMs, firstSentAt, lastSentAt }), delivery };
}

/** Steps without a hole from the first sent message on, and what came long after the last one. */
function stepsOf(
  found: readonly SeriesStep[],
  { stepMs, firstSentAt, lastSentAt }: { stepMs: number; firstSentAt: number; lastSentAt: number },
): Pick<TimeSeries, 'steps' | 'later'> {
  const begin = Math.floor(firstSentAt / stepMs) * stepMs;
  const end = found.findLast(({ at }) => at <= lastSentAt + REPORTS_MS)?.at ?? begin;
  const steps: TimeStep[] = [];
  for (let at = begin; at <= end; at += stepMs) steps.push({ at, ...NOTHING });
  const later = { ...NOTHING };
  for (const { at, sent, delivered, undelivered, rejected } of found) {
    // What failed before the first one was sent stands with it.
    const step = steps[Math.max(0, (at - begin) / stepMs)] ?? later;
    step.sent += sent;
    step.delivered += delivered;
    step.failed += undelivered + rejected;
  }
  return { steps, later: later.sent + later.delivered + later.failed > 0 ? later : null };
}

const NOTHING = { sent: 0, delivered: 0, failed: 0 };
