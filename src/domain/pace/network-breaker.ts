/*
 * The breaker of one network, for one campaign: its messages wait (held), a few of them try it (probing), and all go on
 * (well). A network is ill when messages to it fail one after another, or when delivery reports show that little arrives.
 * Both concern one campaign, because a refused sender name or a bad list says nothing about other campaigns.
 */

/** What showed that a network is ill: verdicts of sending, or delivery reports. */
export type HoldCause = 'sending' | 'delivery';

/** Failures in a row that hold a network. */
export const FAILURES_TO_HOLD = 5;

/** Reasons of verdicts that may be the fault of the number's network, and not of the service or of the message. */
export const NETWORK_FAULTS: ReadonlySet<string> = new Set([
  'no answer in time',
  'answer lost',
  'server error',
  'network not allowed',
]);

/** How a held network is tried: after a wait that doubles each time, with so many messages. */
export const TRIALS: Readonly<
  Record<HoldCause, { probes: number; firstWaitMs: number; mostWaitMs: number }>
> = {
  sending: { probes: 1, firstWaitMs: 30_000, mostWaitMs: 600_000 },
  delivery: { probes: 10, firstWaitMs: 300_000, mostWaitMs: 3_600_000 },
};

/** The reports of all probes are waited for so long after the last of them left; from then on any report decides. */
export const PROBE_REPORTS_MS = 600_000;
/** The first report is waited for so much longer, because silence says nothing about the network. */
const PROBE_SILENCE_MS = 3_000_000;

/** The third try in a row that fails asks for a person, if nothing else of the campaign goes on. */
export const TRIES_TO_PAUSE = 3;

/** What the probes say. `pastMs`: milliseconds since their time was over, negative before. `waiting`: nothing yet. */
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

/** Messages of one campaign that one network took, and what became of them. */
export interface NetworkShare {
  sent: number;
  delivered: number;
  undelivered: number;
}

/** What a network is compared with. */
export interface NetworkFacts extends NetworkShare {
  /** The other networks at the same time. */
  others: NetworkShare;
  /** The failure word that most reports gave; null: none failed. */
  worst: string | null;
}

/** Fewer messages than this say nothing. */
const FEWEST_JUDGED = 30;
/** Share of the messages that must have failed for sure: a message without a report counts as delivered. */
const COLLAPSED = 0.5;
/** By so much the share must be above that of the other networks. */
const WORSE = 0.3;
/** The share where too few messages went to other networks. */
const COLLAPSED_ALONE = 0.8;

/** Whether so much failed that the rest has to be looked up. */
export function looksCollapsed({ sent, undelivered }: NetworkShare): boolean {
  return sent >= FEWEST_JUDGED && undelivered >= sent * COLLAPSED;
}

/** Why a network's messages should wait, in words; null: they need not. */
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
