import type { CampaignOverview, LedgerReader, Tallies } from '../../../ledger/reader.ts';

/** What happened in one step of time. */
export interface CourseStep {
  /** When it begins, in milliseconds. */
  at: number;
  sent: number;
  delivered: number;
  failed: number;
}

/** The course of a campaign, for its charts. */
export interface CampaignCourse {
  /** The length of a step in milliseconds: whole minutes. */
  stepMs: number;
  steps: CourseStep[];
  /** Times from sent to delivered or undelivered. */
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

/** The length of a step so that a span (milliseconds) has at most 60 of them. */
export function stepFor(spanMs: number): number {
  const longest = LENGTHS.at(-1) ?? MINUTE_MS;
  return (
    LENGTHS.find((length) => spanMs / length < MOST_STEPS - 1) ??
    Math.ceil(spanMs / longest / MOST_STEPS) * longest
  );
}

/** Reads the course of a campaign. */
export async function courseOf(
  reader: LedgerReader,
  { campaign }: CampaignOverview,
  { firstSentAt, lastSentAt }: Tallies,
): Promise<CampaignCourse> {
  const none = { stepMs: MINUTE_MS, steps: [], delivery: { buckets: [], p50: null, p95: null } };
  if (firstSentAt === null || lastSentAt === null) return none;
  const stepMs = stepFor(lastSentAt - firstSentAt);
  const begin = Math.floor(firstSentAt / stepMs) * stepMs;
  const count = Math.floor((lastSentAt - begin) / stepMs) + 1;
  const midnights = Array.from({ length: count + 1 }, (_, at) => begin + at * stepMs);
  const steps = midnights.slice(0, -1).map((at) => ({ at, sent: 0, delivered: 0, failed: 0 }));
  for (const { day, sent, delivered, undelivered } of await reader.costs({
    campaign: campaign.n,
    midnights,
  })) {
    const step = day === null ? undefined : steps[day];
    if (step === undefined) continue;
    step.sent += sent;
    step.delivered += delivered;
    step.failed += undelivered;
  }
  const { delivery } = await reader.latencies(campaign.n, [50, 95]);
  return { stepMs, steps, delivery: { buckets: [], p50: delivery[0] ?? null, p95: delivery[1] ?? null } };
}
