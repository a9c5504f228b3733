import type { ReasonOf } from '../message-reason.ts';

/*
 * The breaker of one network, for one campaign: its messages wait (held), a few of them try it (probing), and
 * all go on (well). A network is ill when messages to it fail one after another, or when reports show few
 * deliveries. Both concern one campaign, because a refused sender name or a bad list says nothing about other
 * campaigns.
 */

/** The evidence of an ill network: verdicts of sending, or delivery reports. */
export type HoldCause = 'sending' | 'delivery';

/** Where a hold is. `overridden`: a person let the network go. */
export type HoldState = 'held' | 'probing' | 'well' | 'overridden';

/** Failures in a row that hold a network. */
export const FAILURES_TO_HOLD = 5;

/** Reasons of verdicts that may be the network's fault, and not the provider's or the message's. */
export const NETWORK_FAULTS: ReadonlySet<string> = new Set<ReasonOf<'uncertain' | 'rejected'>>([
  'no answer in time',
  'answer lost',
  'server error',
  'network not allowed',
]);

/** The tries of a held network: the wait before, which doubles each time, and the number of messages. */
export const TRIALS: Readonly<
  Record<HoldCause, { probes: number; firstWaitMs: number; mostWaitMs: number }>
> = {
  sending: { probes: 1, firstWaitMs: 30_000, mostWaitMs: 600_000 },
  delivery: { probes: 10, firstWaitMs: 300_000, mostWaitMs: 3_600_000 },
};

/** The wait for the reports of all probes, counted from the last one's leaving; then any report decides. */
export const PROBE_REPORTS_MS = 600_000;
/** The longer wait for the first report, because silence says nothing about the network. */
const PROBE_SILENCE_MS = 3_000_000;

/** The third failed try in a row asks for a person, if no other message of the campaign is sent. */
export const TRIES_TO_PAUSE = 3;

/** The result of the probes. `pastMs`: milliseconds since their time ended, negative before. */
export function judgeProbes(
  { delivered, undelivered }: Pick<NetworkShare, 'delivered' | 'undelivered'>,
  { probes, pastMs }: { probes: number; pastMs: number },
): 'well' | 'ill' | 'waiting' {
  if (delivered * 2 >= probes) return 'well';
  if (undelivered * 2 > probes) return 'ill';
  const silent = delivered + undelivered === 0;
  if (pastMs < (silent ? PROBE_SILENCE_MS : 0)) return 'waiting';
  return !silent && delivered >= undelivered ? 'well' : 'ill';
}

/** The messages of one campaign that one network took, and their delivery. */
export interface NetworkShare {
  sent: number;
  delivered: number;
  undelivered: number;
}

/** The values that a network is compared with. */
export interface NetworkFacts extends NetworkShare {
  /** The other networks at the same time. */
  others: NetworkShare;
  /** The most frequent failure word; null: none failed. */
  worst: string | null;
}

/** Fewer messages are no evidence. */
const FEWEST_JUDGED = 30;
/** The share of messages that must have surely failed; a message without a report counts as delivered. */
const COLLAPSED = 0.5;
/** The least difference to the share of the other networks. */
const WORSE = 0.3;
/** The share that counts when too few messages went to other networks. */
const COLLAPSED_ALONE = 0.8;

/** True: so many failed that the comparison is worth its queries. */
export function looksCollapsed({ sent, undelivered }: NetworkShare): boolean {
  return sent >= FEWEST_JUDGED && undelivered >= sent * COLLAPSED;
}

/** The reason to hold a network's messages, in words; null: none. */
export function judgeDelivery(facts: NetworkFacts): string | null {
  if (!looksCollapsed(facts)) return null;
  const { sent, undelivered, others, worst } = facts;
  const failed = undelivered / sent;
  const most = worst === null ? '' : `, most of them ${worst}`;
  const words = `${undelivered} of ${sent} were not delivered${most}`;
  if (others.sent < FEWEST_JUDGED) return failed >= COLLAPSED_ALONE ? words : null;
  const share = others.undelivered / others.sent;
  return failed - share < WORSE ? null : `${words}; at the others ${Math.round(share * 100)} %`;
}
