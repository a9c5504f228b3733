import type { MoneyMicro } from '../../../domain/money.ts';

/*
 * What the counters of a campaign (ledger/counters.ts) count of a message, as pure sums. The writer adds the
 * changes of one transaction up here, and `verify` adds up all messages. So both mean the same by each number.
 */

/** The columns of a message that the counters look at, in the order of `countedMessage`. */
export const COUNTED_COLUMNS = [
  'state',
  'delivery',
  'delivery_reason',
  'conflict',
  'written_off',
  'retry_helps',
  'reason',
  'network',
  'segments',
  'cost',
  'counted',
  'actor',
  'lost',
  'claimed_at',
  'settled_at',
  'reported_at',
  'send_ms',
] as const;

type Cell = string | number | null;

/** A message as the counters see it. Times in milliseconds. */
export interface CountedMessage {
  state: string;
  delivery: string | null;
  deliveryReason: string | null;
  conflict: number;
  writtenOff: number;
  retryHelps: number;
  reason: string | null;
  network: string | null;
  segments: number;
  cost: MoneyMicro | null;
  counted: MoneyMicro;
  actor: string;
  /** When the loss of its ledger was accepted; 0: it was not lost. */
  lost: number;
  claimedAt: number | null;
  settledAt: number | null;
  reportedAt: number | null;
  sendMs: number | null;
}

/** Reads `COUNTED_COLUMNS` from a row as an array; further cells may follow. */
export function countedMessage(row: unknown): CountedMessage {
  const cells = row as readonly Cell[];
  const cell = (index: number) => cells[index];
  return {
    state: cell(0) as string,
    delivery: cell(1) as string | null,
    deliveryReason: cell(2) as string | null,
    conflict: cell(3) as number,
    writtenOff: cell(4) as number,
    retryHelps: cell(5) as number,
    reason: cell(6) as string | null,
    network: cell(7) as string | null,
    segments: cell(8) as number,
    cost: cell(9) as number | null,
    counted: cell(10) as number,
    actor: cell(11) as string,
    lost: cell(12) as number,
    claimedAt: cell(13) as number | null,
    settledAt: cell(14) as number | null,
    reportedAt: cell(15) as number | null,
    sendMs: cell(16) as number | null,
  };
}

/** Messages that are the same to the counters. The names are those of the table campaign_count. */
export interface Kind {
  readonly state: string;
  readonly delivery: string;
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

/** What messages are counted by over time; the first six stand at the time when they left. */
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

const PLACES = new Map<string | null, number>(TIMED.map((what, place) => [what, place]));
const [SENT, PENDING] = [TIMED.indexOf('sent'), TIMED.indexOf('pending')];
/** What only its report has a time for is counted by the minute alone. */
const FIRST_REPORTED = TIMED.indexOf('delivered');

/** The lengths of steps of time, milliseconds. */
export const SECOND_MS = 1_000;
/** A minute, milliseconds. */
export const MINUTE_MS = 60_000;

/** A message by its worker's verdict that it was sent. `at`: when that was recorded (milliseconds). */
export type JustSent = Pick<CountedMessage, 'network' | 'segments' | 'cost' | 'counted'> & {
  at: number;
  sendMs: number | null;
};

/** The sums that a sent message is counted in. */
interface SentSums {
  kind: KindSum;
  sending: KindSum;
  left: SecondSum;
  pending: SecondSum;
}

interface LastSent extends SentSums, Pick<JustSent, 'segments' | 'at'> {
  unknown: number;
}

/** The sums of one campaign's messages, or of changes to them. Nothing that adds up to zero is left out. */
export class CampaignSums {
  readonly #kinds = new Map<string, KindSum>();
  /** By second and kind of time. */
  readonly #times = new Map<number, SecondSum>();
  /** The sums of the last message that was sent, by network. */
  readonly #last = new Map<string | null, LastSent>();
  readonly #send = new Map<number, number>();
  readonly #delivery = new Map<number, number>();

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
    this.#addKind(sentKind(message), by, message.cost ?? 0);
    if (sendMs !== null) addTo(this.#send, bucketOf(sendMs), by);
    if (delivery === 'pending') return this.#addTime('pending', leftAt, by);
    this.#addTime(delivery, reportedAt, by);
    if (reportedAt !== null && leftAt !== null) addTo(this.#delivery, bucketOf(reportedAt - leftAt), by);
  }

  /** Adds `by` messages that are queued or sending. */
  addWaiting(state: 'queued' | 'sending', segments: number, by: number): void {
    this.#addKind({ ...NOTHING, state, segments }, by, 0);
  }

  /** Each kind of message, by a key that holds all of its values. */
  kinds(): Iterable<[key: string, sum: KindSum]> {
    return this.#kinds;
  }

  /** Every step of time, by the second and by the minute. */
  *times(): Generator<TimeSum> {
    const minutes = new Map<number, number>();
    for (const [key, { messages, first, last }] of this.#times) {
      const what = key % TIMED.length;
      const at = ((key - what) / TIMED.length) * SECOND_MS;
      addTo(minutes, Math.floor(at / MINUTE_MS) * TIMED.length + what, messages);
      if (what < FIRST_REPORTED) yield { unit: SECOND_MS, at, what: timedAt(what), messages, first, last };
    }
    for (const [key, messages] of minutes) {
      const what = key % TIMED.length;
      const at = ((key - what) / TIMED.length) * MINUTE_MS;
      yield { unit: MINUTE_MS, at, what: timedAt(what), messages, first: null, last: null };
    }
  }

  /**
   * Moves a message from sending to sent, without a report so far. Most messages of a commit to one network are of one
   * kind and of one time, so the sums of the last one are at hand.
   */
  addJustSent(sent: JustSent): void {
    const { network, segments, cost, counted, at, sendMs } = sent;
    const unknown = cost === null ? counted : -1;
    let last = this.#last.get(network);
    if (last?.segments !== segments || last.unknown !== unknown || last.at !== at)
      this.#last.set(network, (last = this.#sentLike({ network, segments, unknown, at })));
    last.sending.messages -= 1;
    last.kind.messages += 1;
    last.kind.cost += cost ?? 0;
    addAt(last.left, at, 1);
    addAt(last.pending, at, 1);
    if (sendMs !== null) addTo(this.#send, bucketOf(sendMs), 1);
  }

  #sentLike({ network, segments, unknown, at }: Omit<LastSent, keyof SentSums> & { network: string | null }) {
    const kind = {
      ...NOTHING,
      state: 'sent',
      delivery: 'pending',
      network: network ?? '',
      segments,
      unknown,
    };
    return {
      segments,
      unknown,
      at,
      kind: this.#kindSum(kind),
      sending: this.#kindSum({ ...NOTHING, state: 'sending', segments }),
      left: this.#timeSum(SENT, at),
      pending: this.#timeSum(PENDING, at),
    };
  }

  *latencies(): Generator<{ what: 'send' | 'delivery'; bucket: number; messages: number }> {
    for (const [bucket, messages] of this.#send) yield { what: 'send', bucket, messages };
    for (const [bucket, messages] of this.#delivery) yield { what: 'delivery', bucket, messages };
  }

  #addKind(kind: Kind, by: number, cost: MoneyMicro): void {
    const sum = this.#kindSum(kind);
    sum.messages += by;
    sum.cost += by * cost;
  }

  #kindSum(kind: Kind): KindSum {
    const { state, delivery, conflict, writtenOff, retryHelps, network, segments, unknown, reason } = kind;
    const key = `${state} ${delivery} ${conflict}${writtenOff}${retryHelps} ${segments} ${unknown} ${network} ${reason}`;
    let sum = this.#kinds.get(key);
    if (sum === undefined) this.#kinds.set(key, (sum = { kind, messages: 0, cost: 0 }));
    return sum;
  }

  #addTime(named: string | null, at: number | null, by: 1 | -1): void {
    const what = PLACES.get(named);
    if (at !== null && what !== undefined) addAt(this.#timeSum(what, at), at, by);
  }

  #timeSum(what: number, at: number): SecondSum {
    const key = Math.floor(at / SECOND_MS) * TIMED.length + what;
    let sum = this.#times.get(key);
    if (sum === undefined) this.#times.set(key, (sum = { messages: 0, first: null, last: null }));
    return sum;
  }
}

/** The messages of one second. `first` and `last`: the times of those that were added. */
interface SecondSum {
  messages: number;
  first: number | null;
  last: number | null;
}

function addAt(sum: SecondSum, at: number, by: number): void {
  sum.messages += by;
  if (by < 0) return;
  sum.first = Math.min(sum.first ?? at, at);
  sum.last = Math.max(sum.last ?? at, at);
}

/** The messages of one step of time. `first` and `last`: of a second, the times of those that were added. */
export interface TimeSum {
  unit: number;
  at: number;
  what: Timed;
  messages: number;
  first: number | null;
  last: number | null;
}

const NOTHING: Kind = {
  state: '',
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

function timedAt(what: number): Timed {
  return TIMED[what] ?? 'sent';
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
