import { MESSAGE_STATES } from '../../../domain/message.ts';
import type { Tallies } from '../../contracts/overview.ts';
import type { Counted, KindRow } from './counters.ts';
import { atMost, isUnpriced, type Price, priceOf } from './prices.ts';

/* The sums over all messages of a campaign, from its counters. */

/** The messages by state, and those of the uncertain ones that are written off. */
export function countStates(kinds: KindRow[]): Tallies['messages'] {
  const counts = Object.fromEntries(MESSAGE_STATES.map((state) => [state, 0])) as Tallies['messages'];
  counts.written_off = 0;
  for (const { state, writtenOff, messages } of kinds) {
    counts[state] += messages;
    if (writtenOff === 1) counts.written_off += messages;
  }
  return counts;
}

/** The counts of the campaign report. `unreported`: pending messages that wait for too long. */
export function talliesOf({ kinds, prices, times }: Counted, unreported: number): Tallies {
  return {
    messages: countStates(kinds),
    delivery: deliveryOf(kinds, unreported),
    reasons: reasonsOf(kinds),
    segments: segmentsOf(kinds),
    chargedMicro: sum(kinds, ({ cost }) => cost),
    ...unknownOf(kinds, prices),
    // Only opted-out messages are spared for good. Others were late, sent already, or sent by another campaign. A
    // sent message whose report says "opted out" was charged.
    sparedMicro: sum(
      kinds.filter(({ state, reason }) => state === 'skipped' && reason === 'opted out'),
      ({ segments, messages }) => messages * priceOf(prices, segments, 'lowest'),
    ),
    lowestPriceMicro: prices.length === 0 ? null : priceOf(prices, 1, 'lowest'),
    byNetwork: byNetwork(kinds),
    firstSentAt: times.first,
    lastSentAt: times.last,
  };
}

const isSent = ({ state }: KindRow) => state === 'sent';

/** The sum over messages, of what each kind has. */
export function sum(kinds: KindRow[], of: (kind: KindRow) => number): number {
  return kinds.reduce((total, kind) => total + of(kind), 0);
}

function deliveryOf(kinds: KindRow[], unreported: number): Tallies['delivery'] {
  const count = (isMeant: (kind: KindRow) => boolean) =>
    sum(kinds.filter(isMeant), ({ messages }) => messages);
  return {
    pending: count(({ delivery }) => delivery === 'pending') - unreported,
    undelivered: count(({ delivery }) => delivery === 'undelivered'),
    delivered: count(({ delivery }) => delivery === 'delivered'),
    unreported,
    conflict: count(({ conflict }) => conflict === 1),
  };
}

function segmentsOf(kinds: KindRow[]): Tallies['segments'] {
  const counts = { planned: 0, one: 0, two: 0, more: 0 };
  for (const { segments, messages } of kinds) {
    counts.planned += segments * messages;
    counts[segments === 1 ? 'one' : segments === 2 ? 'two' : 'more'] += messages;
  }
  return counts;
}

/** What may have been charged of messages with unknown cost, by present prices. */
export function unknownOf(kinds: KindRow[], prices: Price[]) {
  const sums = { unknownCost: 0, unknownMicro: 0, atStakeMicro: 0, writtenOffMicro: 0, unpriced: 0 };
  for (const kind of kinds) {
    if (kind.unknown < 0) continue;
    const { messages, segments, unknown: counted } = kind;
    if (isSent(kind)) sums.unknownCost += messages;
    sums[unknownPart(kind)] += messages * atMost(prices, { counted, segments });
    if (isUnpriced(prices, { counted })) sums.unpriced += messages;
  }
  return sums;
}

/** The sum that the price of a message with unknown cost belongs to. */
function unknownPart(kind: KindRow) {
  if (isSent(kind)) return 'unknownMicro';
  return kind.writtenOff === 0 ? 'atStakeMicro' : 'writtenOffMicro';
}

function byNetwork(kinds: KindRow[]): Tallies['byNetwork'] {
  const networks = new Map<string, Tallies['byNetwork'][number]>();
  for (const { network, delivery, messages, cost } of kinds.filter(isSent)) {
    const of = networks.get(network) ?? { network: null, sent: 0, delivered: 0, chargedMicro: 0 };
    of.network = network === '' ? null : network;
    of.sent += messages;
    of.chargedMicro += cost;
    if (delivery === 'delivered') of.delivered += messages;
    networks.set(network, of);
  }
  return [...networks.values()].sort(
    (a, b) => b.sent - a.sent || String(a.network).localeCompare(String(b.network)),
  );
}

function reasonsOf(kinds: KindRow[]): Tallies['reasons'] {
  const reasons = new Map<string, Tallies['reasons'][number]>();
  for (const { state, delivery, reason, retryHelps, messages } of kinds) {
    if (state === 'queued' || state === 'sending' || (state === 'sent' && delivery !== 'undelivered'))
      continue;
    const found = { state, reason, retryHelps: retryHelps === 1 };
    const name = JSON.stringify(found);
    reasons.set(name, { ...found, count: (reasons.get(name)?.count ?? 0) + messages });
  }
  return [...reasons.values()].sort((a, b) => b.count - a.count || a.reason.localeCompare(b.reason));
}
