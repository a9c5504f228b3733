/*
 * The canary: the first messages of a campaign go alone, and the rest follows when enough of them were
 * delivered. The verdict depends only on the ledger's counts, so a restart changes nothing.
 */

/** The number of first messages, the wait for their reports, and the required share of deliveries. */
export interface CanaryRule {
  /** The number of messages that go alone. */
  first: number;
  /** The wait for their reports, counted from the last sent one. */
  waitMs: number;
  /** The share of reported messages that must be delivered, above 0 and at most 1. */
  delivered: number;
}

/** The states of a canary's messages so far. */
export interface CanaryCounts {
  /** The number of all the canary's messages. */
  messages: number;
  /** Queued or sending. */
  open: number;
  sent: number;
  delivered: number;
  undelivered: number;
  /** Refused by the provider: known failures, like undelivered ones. */
  rejected: number;
  /** Messages that are not judged: not sent because of a guard, an opt-out or a cancel, or uncertain. */
  skipped: number;
  canceled: number;
  uncertain: number;
  /** The time when the last one left, or was settled without leaving; null: none was. */
  leftAt: number | null;
}

/** The canary's decision about the rest. */
export type CanaryJudgement =
  | { verdict: 'sending' }
  | { verdict: 'waiting'; until: number }
  | { verdict: 'passed' }
  | { verdict: 'failed'; why: string };

/** The reason of a canary that failed without a report. */
export const NO_REPORT_CAME = 'no delivery report came';

/** Decides when no further report can change the verdict, at the latest when the wait is over. */
export function judgeCanary(rule: CanaryRule, counts: CanaryCounts, now: number): CanaryJudgement {
  const { sent, delivered, undelivered, rejected, leftAt } = counts;
  if (counts.open > 0 || leftAt === null) return { verdict: 'sending' };
  if (sent === 0) return { verdict: 'failed', why: 'none of the first messages was sent' };
  const failed = undelivered + rejected;
  const pending = sent - delivered - undelivered;
  const enough = (part: number, whole: number) => reaches(rule, part, whole);
  if (enough(delivered, delivered + failed + pending)) return { verdict: 'passed' };
  const tooFew = { verdict: 'failed', why: 'too few of the first messages were delivered' } as const;
  if (!enough(delivered + pending, delivered + failed + pending)) return tooFew;
  const until = leftAt + rule.waitMs;
  if (now < until) return { verdict: 'waiting', until };
  if (delivered + undelivered === 0) return { verdict: 'failed', why: NO_REPORT_CAME };
  return enough(delivered, delivered + failed) ? { verdict: 'passed' } : tooFew;
}

/** Shares are counted in hundredths of a percent, because 0.55 * 100 is more than 55. */
const SHARES = 10_000;

function reaches({ delivered }: CanaryRule, part: number, whole: number): boolean {
  return part * SHARES >= Math.round(delivered * SHARES) * whole;
}

/** The progress of a canary. */
export interface CanaryProgress {
  counts: CanaryCounts;
  rule: CanaryRule;
  /** `overridden`: a person resumed the campaign. */
  verdict: CanaryJudgement['verdict'] | 'overridden';
  /** The end of the wait, during the wait. */
  until: number | null;
  why: string | null;
}

const MINUTE_MS = 60_000;

/** "41 of 50 delivered, 80 % needed, 6 min left" */
export function canaryWords(canary: CanaryProgress, now: number): string {
  const { rule, verdict, until, why } = canary;
  const words = [shareWords(canary), `${Math.round(rule.delivered * 1000) / 10} % needed`];
  if (until !== null) words.push(leftWords(until - now));
  if (verdict === 'passed' || verdict === 'overridden') words.push(verdict);
  if (verdict === 'failed' && why !== null) words.push(why);
  return words.join(', ');
}

/** "8 of 8 delivered (12 skipped)": the judged share. A passed canary is judged without silent messages. */
function shareWords({ counts, rule, verdict }: CanaryProgress): string {
  const { messages, delivered, undelivered, rejected, skipped, canceled, uncertain } = counts;
  const judged = messages - skipped - canceled - uncertain;
  const isByReports = verdict === 'passed' && !reaches(rule, delivered, judged);
  const of = isByReports ? delivered + undelivered + rejected : judged;
  const beside = Object.entries({ 'without a report': judged - of, skipped, canceled, uncertain })
    .filter(([, count]) => count > 0)
    .map(([words, count]) => `${count} ${words}`);
  return `${delivered} of ${of} delivered${beside.length === 0 ? '' : ` (${beside.join(', ')})`}`;
}

function leftWords(ms: number): string {
  if (ms <= 0) return 'time is up';
  return ms < MINUTE_MS ? `${Math.ceil(ms / 1000)} s left` : `${Math.ceil(ms / MINUTE_MS)} min left`;
}
