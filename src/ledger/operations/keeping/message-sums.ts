import type { Actor, Delivery, MessageState } from '../../../domain/message.ts';
import type { MoneyMicro } from '../../../domain/money.ts';

/*
 * What the counters of a campaign (contracts/counters.ts) count of a message, as pure sums. The writer adds the
 * changes of one transaction up here, and `verify` adds up all messages. So both mean the same by each number.
 */

/** A message as the counters see it (counted-messages.sql). Times in milliseconds. */
export interface CountedMessage {
  state: MessageState;
  delivery: Delivery | null;
  deliveryReason: string | null;
  conflict: number;
  writtenOff: number;
  retryHelps: number;
  reason: string | null;
  network: string | null;
  segments: number;
  cost: MoneyMicro | null;
  counted: MoneyMicro;
  actor: Actor;
  /** When the loss of its ledger was accepted; 0: it was not lost. */
  lost: number;
  claimedAt: number | null;
  settledAt: number | null;
  reportedAt: number | null;
  sendMs: number | null;
}

/** Messages that are the same to the counters. The names are those of the table campaign_count. */
export interface Kind {
  readonly state: MessageState;
  readonly delivery: Delivery | '';
  readonly conflict: number;
  readonly writtenOff: number;
  readonly retryHelps: number;
  readonly reason: string;
  readonly network: string;
  readonly segments: number;
  /** What each counts whose cost is unknown; -1: the cost is known, or there is none. */
  readonly unknown: number;
}

/** The messages of one kind, and their known charges. */
export interface KindSum {
  kind: Kind;
  messages: number;
  cost: MoneyMicro;
}

/** What messages are counted by over time, at the time when they left; the last two at that of their report. */
export const TIMED = [
  'sent',
  'rejected',
  'uncertain',
  'skipped',
  'canceled',
  'pending',
  'delivered',
  'undelivered',
] as const;
type Timed = (typeof TIMED)[number];

/** The lengths of steps of time, milliseconds. */
export const SECOND_MS = 1_000;
/** A minute, milliseconds. */
export const MINUTE_MS = 60_000;

/** A message by its worker's verdict that it was sent. */
export type JustSent = Pick<CountedMessage, 'network' | 'segments' | 'cost' | 'counted' | 'sendMs'>;

/** The messages of one step of time. `first` and `last`: of a second, the times of those that were added. */
export interface TimeSum {
  unit: number;
  at: number;
  what: Timed;
  messages: number;
  first: number | null;
  last: number | null;
}

type SecondSum = Pick<TimeSum, 'messages' | 'first' | 'last'>;

/** The sums of one campaign's messages, or of changes to them. Nothing that adds up to zero is left out. */
export class CampaignSums {
  readonly #kinds = new Map<string, KindSum>();
  readonly #seconds = new Map(TIMED.map((what) => [what, new Map<number, SecondSum>()]));
  /** Messages by the buckets of their times. */
  readonly #latencies = { send: new Map<number, number>(), delivery: new Map<number, number>() };

  /** Adds a message (`by` 1), or takes it away (-1). */
  add(message: CountedMessage, by: 1 | -1): void {
    const { state } = message;
    if (state === 'queued' || state === 'sending') return this.addWaiting(state, message.segments, by);
    const leftAt = leftAtOf(message);
    this.#addTime(state, leftAt, by);
    if (state === 'sent') return this.#addSent(message, leftAt, by);
    this.#addKind(endedKind(message), by, 0);
  }

  #addSent(message: CountedMessage, leftAt: number | null, by: 1 | -1): void {
    const { delivery, reportedAt, sendMs } = message;
    this.#addKind(sentKind(message), by, by * (message.cost ?? 0));
    if (sendMs !== null) addTo(this.#latencies.send, bucketOf(sendMs), by);
    if (delivery === 'pending') return this.#addTime('pending', leftAt, by);
    this.#addTime(delivery as Timed, reportedAt, by);
    if (reportedAt !== null && leftAt !== null)
      addTo(this.#latencies.delivery, bucketOf(reportedAt - leftAt), by);
  }

  /** Adds `by` messages that are queued or sending. */
  addWaiting(state: 'queued' | 'sending', segments: number, by: number): void {
    this.#addKind({ ...NOTHING, state, segments }, by, 0);
  }

  /** Moves messages from sending to sent, without a report so far. Nearly all of them are of one kind. */
  addJustSent(messages: readonly JustSent[], at: number): void {
    const kindOf = ({ network, segments, cost, counted }: JustSent) =>
      `${segments} ${cost === null ? counted : ''} ${network ?? ''}`;
    for (const alike of Map.groupBy(messages, kindOf).values()) {
      const [{ network, segments, cost, counted }] = alike as [JustSent];
      const said = { network: network ?? '', segments, unknown: cost === null ? counted : -1 };
      const costs = alike.reduce((sum, each) => sum + (each.cost ?? 0), 0);
      this.addWaiting('sending', segments, -alike.length);
      this.#addKind({ ...NOTHING, state: 'sent', delivery: 'pending', ...said }, alike.length, costs);
    }
    this.#addTime('sent', at, messages.length);
    this.#addTime('pending', at, messages.length);
    for (const { sendMs } of messages) if (sendMs !== null) addTo(this.#latencies.send, bucketOf(sendMs), 1);
  }

  /** Each kind of message, by a key that holds all of its values. */
  kinds(): Iterable<[key: string, sum: KindSum]> {
    return this.#kinds;
  }

  /** Every step of time, by the second and by the minute. What a report tells is counted by the minute alone. */
  *times(): Generator<TimeSum> {
    for (const [what, seconds] of this.#seconds) {
      const minutes = new Map<number, number>();
      for (const [at, sum] of seconds) {
        addTo(minutes, at - (at % MINUTE_MS), sum.messages);
        if (what !== 'delivered' && what !== 'undelivered') yield { unit: SECOND_MS, at, what, ...sum };
      }
      for (const [at, messages] of minutes)
        yield { unit: MINUTE_MS, at, what, messages, first: null, last: null };
    }
  }

  *latencies(): Generator<{ what: string; bucket: number; messages: number }> {
    for (const [what, buckets] of Object.entries(this.#latencies))
      for (const [bucket, messages] of buckets) yield { what, bucket, messages };
  }

  #addKind(kind: Kind, by: number, cost: MoneyMicro): void {
    const { state, delivery, conflict, writtenOff, retryHelps, network, segments, unknown, reason } = kind;
    const key = `${state} ${delivery} ${conflict}${writtenOff}${retryHelps} ${segments} ${unknown} ${network} ${reason}`;
    let sum = this.#kinds.get(key);
    if (sum === undefined) this.#kinds.set(key, (sum = { kind, messages: 0, cost: 0 }));
    sum.messages += by;
    sum.cost += cost;
  }

  #addTime(what: Timed, at: number | null, by: number): void {
    const seconds = this.#seconds.get(what);
    if (at === null || seconds === undefined) return;
    const second = at - (at % SECOND_MS);
    let sum = seconds.get(second);
    if (sum === undefined) seconds.set(second, (sum = { messages: 0, first: null, last: null }));
    sum.messages += by;
    if (by < 0) return;
    sum.first = Math.min(sum.first ?? at, at);
    sum.last = Math.max(sum.last ?? at, at);
  }
}

const NOTHING: Omit<Kind, 'state'> = {
  delivery: '',
  conflict: 0,
  writtenOff: 0,
  retryHelps: 0,
  reason: '',
  network: '',
  segments: 0,
  unknown: -1,
};

function sentKind(message: CountedMessage): Kind {
  const { delivery, deliveryReason, conflict, retryHelps, network, segments, cost, counted } = message;
  const failed = delivery === 'undelivered';
  return {
    ...NOTHING,
    state: 'sent',
    delivery: delivery ?? '',
    conflict,
    retryHelps: failed ? retryHelps : 0,
    reason: failed ? (deliveryReason ?? '') : '',
    network: network ?? '',
    segments,
    unknown: cost === null ? counted : -1,
  };
}

function endedKind({ state, writtenOff, retryHelps, reason, segments, counted }: CountedMessage): Kind {
  const unknown = state === 'uncertain' ? counted : -1;
  return { ...NOTHING, state, writtenOff, retryHelps, reason: reason ?? '', segments, unknown };
}

/**
 * When a message left, or was settled without: the verdict of a worker or the reaper comes within moments of the
 * sending. What a person or a report decided later left at its claim; if it was lost, at the latest when the loss was
 * accepted. The same as the view message_left (migrations/0001-init.sql).
 */
function leftAtOf({ state, actor, lost, claimedAt, settledAt }: CountedMessage): number | null {
  if (actor === 'worker' || actor === 'reaper' || settledAt === null) return settledAt;
  if (state !== 'sent' && state !== 'uncertain') return settledAt;
  const claimed = lost === 0 ? claimedAt : lost;
  return claimed === null ? null : Math.min(settledAt, claimed);
}

function addTo(sums: Map<number, number>, key: number, by: number): void {
  sums.set(key, (sums.get(key) ?? 0) + by);
}

const BUCKETS_A_DOUBLING = 4;

/** The bucket of a time: four to a doubling, so each is a fifth longer than the one before. */
function bucketOf(ms: number): number {
  return Math.floor(BUCKETS_A_DOUBLING * Math.log2(Math.max(0, ms) + 1));
}

/** Where a bucket begins, milliseconds: the next one begins where it ends. */
export function bucketStart(bucket: number): number {
  return Math.ceil(2 ** (bucket / BUCKETS_A_DOUBLING) - 1);
}
