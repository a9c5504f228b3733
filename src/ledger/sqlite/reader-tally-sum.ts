import { MESSAGE_STATES, type MessageState } from '../../domain/message.ts';
import type { Tallies } from '../reader.ts';

/** The bits of `tally`'s first argument. Delivery: 0 pending, 8 undelivered, 16 delivered, 24 unreported. */
export const CODE = { state: 7, delivery: 24, conflict: 32, retryHelps: 64, writtenOff: 128 } as const;
const CODES = 256;

/** The sums of one page of messages; `addTally` adds pages. */
export interface Tally {
  /** By the code of the statement `tally`. */
  codes: number[];
  segments: { planned: number; one: number; two: number; more: number };
  chargedMicro: number;
  unknownCost: number;
  unknownMicro: number;
  atStakeMicro: number;
  writtenOffMicro: number;
  unpriced: number;
  sparedMicro: number;
  lowestPriceMicro: number | null;
  networks: Map<string | null, { sent: number; delivered: number; chargedMicro: number }>;
  /** By code and reason, joined by a space. */
  reasons: Map<string, number>;
  firstSentAt: number | null;
  lastSentAt: number | null;
}

/** An empty tally. */
export function emptyTally(): Tally {
  return {
    codes: Array.from({ length: CODES }, () => 0),
    segments: { planned: 0, one: 0, two: 0, more: 0 },
    chargedMicro: 0,
    unknownCost: 0,
    unknownMicro: 0,
    atStakeMicro: 0,
    writtenOffMicro: 0,
    unpriced: 0,
    sparedMicro: 0,
    lowestPriceMicro: null,
    networks: new Map(),
    reasons: new Map(),
    firstSentAt: null,
    lastSentAt: null,
  };
}

/** Counts `by` more under a key. */
export function bump(counts: Map<string, number>, key: string, by = 1): void {
  counts.set(key, (counts.get(key) ?? 0) + by);
}

const AMOUNTS = [
  'chargedMicro',
  'unknownCost',
  'unknownMicro',
  'atStakeMicro',
  'writtenOffMicro',
  'unpriced',
  'sparedMicro',
] as const;

/** Adds a page to the sum. */
export function addTally(sum: Tally, page: Tally): void {
  for (const [code, count] of page.codes.entries()) sum.codes[code] = (sum.codes[code] ?? 0) + count;
  for (const key of ['planned', 'one', 'two', 'more'] as const) sum.segments[key] += page.segments[key];
  for (const key of AMOUNTS) sum[key] += page[key];
  for (const [key, count] of page.reasons) bump(sum.reasons, key, count);
  for (const [network, { sent, delivered, chargedMicro }] of page.networks) {
    const of = sum.networks.get(network) ?? { sent: 0, delivered: 0, chargedMicro: 0 };
    sum.networks.set(network, {
      sent: of.sent + sent,
      delivered: of.delivered + delivered,
      chargedMicro: of.chargedMicro + chargedMicro,
    });
  }
  sum.lowestPriceMicro ??= page.lowestPriceMicro;
  sum.firstSentAt = pick(Math.min, sum.firstSentAt, page.firstSentAt);
  sum.lastSentAt = pick(Math.max, sum.lastSentAt, page.lastSentAt);
}

function pick(
  choose: (...values: number[]) => number,
  left: number | null,
  right: number | null,
): number | null {
  if (left === null || right === null) return left ?? right;
  return choose(left, right);
}

/** The sum in the shape of the contract. */
export function talliesFrom({ codes, reasons, networks, ...sums }: Tally): Tallies {
  const messages = {
    queued: 0,
    sending: 0,
    sent: 0,
    rejected: 0,
    uncertain: 0,
    skipped: 0,
    canceled: 0,
    written_off: 0,
  };
  const delivery = { pending: 0, undelivered: 0, delivered: 0, unreported: 0, conflict: 0 };
  const ranks = ['pending', 'undelivered', 'delivered', 'unreported'] as const;
  for (const [code, count] of codes.entries()) {
    if (count === 0) continue;
    const state = stateOf(code);
    messages[state] += count;
    if ((code & CODE.writtenOff) !== 0) messages.written_off += count;
    if (state !== 'sent') continue;
    delivery[ranks[(code & CODE.delivery) >> 3] ?? 'pending'] += count;
    if ((code & CODE.conflict) !== 0) delivery.conflict += count;
  }
  const byNetwork = [...networks].map(([network, of]) => ({ network, ...of }));
  return {
    messages,
    delivery,
    reasons: reasonsFrom(reasons),
    ...sums,
    byNetwork: byNetwork.sort(
      (a, b) => b.sent - a.sent || String(a.network).localeCompare(String(b.network)),
    ),
  };
}

function stateOf(code: number): MessageState {
  const order: readonly MessageState[] = MESSAGE_STATES;
  return order[code & CODE.state] ?? 'canceled';
}

function reasonsFrom(reasons: Map<string, number>): Tallies['reasons'] {
  const merged = new Map<string, Tallies['reasons'][number]>();
  for (const [key, count] of reasons) {
    const code = Number(key.slice(0, key.indexOf(' ')));
    const found = {
      state: stateOf(code),
      reason: key.slice(key.indexOf(' ') + 1),
      retryHelps: (code & CODE.retryHelps) !== 0,
    };
    const name = JSON.stringify(found);
    merged.set(name, { ...found, count: (merged.get(name)?.count ?? 0) + count });
  }
  return [...merged.values()].sort((a, b) => b.count - a.count || a.reason.localeCompare(b.reason));
}
