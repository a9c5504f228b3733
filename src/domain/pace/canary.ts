/*
 * The canary: the first messages of a campaign go alone, and the rest follows when enough of them were delivered. The
 * verdict comes from counts of the ledger only, so a restart changes nothing.
 */

/** How many messages go first, how long they are waited for, and what share must be delivered. */
export interface CanaryRule {
  /** How many messages go alone. */
  first: number;
  /** How long their reports are waited for, counted from the last one that was sent. */
  waitMs: number;
  /** Share of the reported ones that must have been delivered, above 0 and at most 1. */
  delivered: number;
}

/** What became of a canary's messages so far. */
export interface CanaryCounts {
  /** Of all the canary's messages. */
  messages: number;
  /** Queued or sending. */
  open: number;
  sent: number;
  delivered: number;
  undelivered: number;
  /** Refused by the service: known failures, like those that a report calls undelivered. */
  rejected: number;
  /** Messages that are not judged: never sent because of a guard, an opt-out or a cancel; or nobody knows whether sent. */
  skipped: number;
  canceled: number;
  uncertain: number;
  /** When the last of them left, or was settled without leaving; null: none was. */
  leftAt: number | null;
}

/** What a canary says of the rest. */
export type CanaryJudgement =
  | { verdict: 'sending' }
  | { verdict: 'waiting'; until: number }
  | { verdict: 'passed' }
  | { verdict: 'failed'; why: string };

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
  if (delivered + undelivered === 0) return { verdict: 'failed', why: 'no delivery report came' };
  return enough(delivered, delivered + failed) ? { verdict: 'passed' } : tooFew;
}

/** Shares are counted in hundredths of a percent, because 0.55 * 100 is more than 55. */
const SHARES = 10_000;

function reaches({ delivered }: CanaryRule, part: number, whole: number): boolean {
  return part * SHARES >= Math.round(delivered * SHARES) * whole;
}

/** How a canary stands. */
export interface CanaryProgress {
  counts: CanaryCounts;
  rule: CanaryRule;
  /** `overridden`: a person let the campaign go on. */
  verdict: CanaryJudgement['verdict'] | 'overridden';
  /** When the wait ends, while it waits. */
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

/** "8 of 8 delivered (12 skipped)": the share that is judged. One that passed is judged without the silent messages. */
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
