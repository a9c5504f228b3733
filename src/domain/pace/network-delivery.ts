/*
 * Whether delivery to one network has collapsed: judged by the reports of one campaign, for a sender name that one network
 * refuses or a bad list says nothing about other campaigns. What is not reported yet counts as if it may be delivered.
 */

/** Messages of one campaign that one network took, and what became of them. */
export interface NetworkShare {
  sent: number;
  delivered: number;
  undelivered: number;
}

/** What a network is held against. */
export interface NetworkFacts extends NetworkShare {
  /** Of the same network earlier in the campaign. */
  usual: NetworkShare;
  /** Of the other networks at the same time. */
  others: NetworkShare;
  /** The failure word that most reports gave, and whether no earlier campaign ever met it. Null: none failed. */
  worst: { word: string; count: number; isNew: boolean } | null;
}

/** Fewer messages than this say nothing. */
const FEWEST_JUDGED = 30;
/** So many of the messages must have failed for sure. */
const COLLAPSED = 0.5;
/** And so many more in a hundred than is usual, or than at the others. */
const WORSE = 0.3;
/** Where nothing is known to compare with. */
const COLLAPSED_ALONE = 0.8;

/** Whether so much failed that the rest has to be looked up. */
export function looksCollapsed({ sent, undelivered }: NetworkShare): boolean {
  return sent >= FEWEST_JUDGED && undelivered >= sent * COLLAPSED;
}

/** Why a network's messages should wait, in words; null: they need not. */
export function judgeDelivery(facts: NetworkFacts): string | null {
  if (!looksCollapsed(facts)) return null;
  const { sent, undelivered, worst } = facts;
  const failed = undelivered / sent;
  if (worst !== null && worst.isNew && worst.count >= sent * COLLAPSED)
    return `${countWords(facts)}, a word that is new`;
  const [compared, label] =
    facts.usual.sent >= FEWEST_JUDGED ? [facts.usual, 'here before'] : [facts.others, 'at the others'];
  if (compared.sent < FEWEST_JUDGED) return failed >= COLLAPSED_ALONE ? countWords(facts) : null;
  const share = compared.undelivered / compared.sent;
  return failed - share < WORSE ? null : `${countWords(facts)}; ${label} ${Math.round(share * 100)} %`;
}

function countWords({ sent, undelivered, worst }: NetworkFacts): string {
  const words = `${undelivered} of ${sent} were not delivered`;
  return worst === null ? words : `${words}, most of them ${worst.word}`;
}

/** Messages that are let through together to try a held network. */
export const DELIVERY_PROBES = 10;

/** The first wait of a network that is held for its delivery; it doubles each time. */
export const FIRST_DELIVERY_WAIT_MS = 300_000;
/** The longest wait. */
export const MOST_DELIVERY_WAIT_MS = 3_600_000;

/** The reports of all probes are waited for so long after the last of them left; from then on any report decides. */
export const PROBE_REPORTS_MS = 600_000;
/** And so much longer for the first report: silence says nothing of the network, until then. */
export const PROBE_SILENCE_MS = 3_000_000;

/** The third try in a row that fails asks for a person, if nothing else of the campaign goes on. */
export const TRIES_TO_PAUSE = 3;

/** What the probes say. `pastMs`: milliseconds since their time was over, negative before. `waiting`: nothing yet. */
export function judgeProbes(
  { delivered, undelivered }: Pick<NetworkShare, 'delivered' | 'undelivered'>,
  pastMs: number,
): 'well' | 'ill' | 'waiting' {
  if (delivered * 2 >= DELIVERY_PROBES) return 'well';
  if (undelivered * 2 > DELIVERY_PROBES) return 'ill';
  const silent = delivered + undelivered === 0;
  if (pastMs < (silent ? PROBE_SILENCE_MS : 0)) return 'waiting';
  return !silent && delivered >= undelivered ? 'well' : 'ill';
}
