import type { RowReason } from '../../domain/row-reason.ts';
import { CLAIM_TTL_MS } from '../../domain/protocol-times.ts';
import type { CampaignKind, RetryPolicy } from '../../domain/campaign.ts';
import type { AttemptRef, ClaimedMessage } from '../../ledger/contracts/sending.ts';
import type { Clock, Env } from '../env.ts';
import type { AttemptFacts } from './verdict.ts';
import type { WireNote } from './wire-note.ts';

/** A larger drift between the clocks means that the machine slept, or that its clock was set. */
const CLOCK_JUMP_MS = 2_000;

/** The facts of a campaign that its messages need for sending. */
export interface Sending {
  campaign: number;
  /** The campaign's name for people. */
  id: string;
  /** The wire note of the worker with the lease. */
  note: WireNote;
  kind: CampaignKind;
  account: string;
  shortcode: string;
  retry: RetryPolicy;
  /** A message takes one rate slot a segment. */
  bySegment: boolean;
  render: (fields: readonly string[]) => { ok: true; text: string } | { ok: false; reason: RowReason };
}

/** A message with an answer, and its hand-over time in monotonic milliseconds. */
export interface AnsweredMessage {
  segments: number;
  account: string;
  dispatchedAt: number;
}

/** The request time of a claim, by each of the clocks, in milliseconds. */
export interface ClaimTime {
  now: number;
  monotonic: number;
  /** As of the clock; left out: `now` is it. */
  wall?: number;
}

/** The time of a claim that is asked for now. */
export function claimTime(clock: Clock): ClaimTime {
  const time = { now: clock.now(), monotonic: clock.monotonic() };
  return clock.wall === undefined ? time : { ...time, wall: clock.wall() };
}

/** A claimed message that waits for its slot and for a free request. */
export interface Waiting {
  message: ClaimedMessage;
  /** Wall-clock milliseconds; null: no rate was set when it was claimed. */
  slotAt: number | null;
  claimedAt: ClaimTime;
}

/** The claimed messages of one lease, in the order of their slots. */
export class LeaseQueue {
  readonly sending: Sending;
  readonly note: WireNote;
  /** No further message of this queue is dispatched; waiting ones are put back. */
  stopped = false;
  /** No more messages will be pushed, so the queue is removed when it is empty. */
  closed = false;
  /** New slots are being taken, and no message leaves during that time. */
  isTakingSlots = false;
  #waiting: Waiting[] = [];
  #head = 0;

  constructor(sending: Sending) {
    this.sending = sending;
    this.note = sending.note;
  }

  get waitingCount(): number {
    return this.#waiting.length - this.#head;
  }

  first(): Waiting | undefined {
    return this.#waiting[this.#head];
  }

  /** Takes the first one out. */
  shift(): Waiting {
    const first = this.#waiting[this.#head] as Waiting;
    this.#head += 1;
    if (this.#head === this.#waiting.length) this.#clear();
    return first;
  }

  has({ seq, attempt }: Pick<AttemptRef, 'seq' | 'attempt'>): boolean {
    const isIt = ({ message }: Waiting) => message.seq === seq && message.attempt === attempt;
    return this.#waiting.some((waiting, index) => index >= this.#head && isIt(waiting));
  }

  push(waiting: Waiting): void {
    this.#waiting.push(waiting);
  }

  /** Takes everything out. */
  drain(): Waiting[] {
    const all = this.#waiting.slice(this.#head);
    this.#clear();
    return all;
  }

  /** Messages that missed their slots by more than `lateMs`. */
  laterThan(lateMs: number, now: number): Waiting[] {
    const missed = ({ slotAt }: Waiting) => slotAt !== null && now - slotAt > lateMs;
    return this.#waiting.filter((waiting, index) => index >= this.#head && missed(waiting));
  }

  slotsOf({ segments }: ClaimedMessage): number {
    return this.sending.bySegment ? segments : 1;
  }

  /** Each message takes the first of its new slots; the slots of its further segments stay empty. */
  moveTo(slots: readonly number[], late: readonly Waiting[]): void {
    let next = 0;
    for (const waiting of late) {
      waiting.slotAt = slots[next] ?? Infinity;
      next += this.slotsOf(waiting.message);
    }
  }

  #clear(): void {
    this.#waiting = [];
    this.#head = 0;
  }
}

/** One of this many requests is kept for messages that wait for their slots. */
const KEPT_FOR_SLOTS = 8;

/**
 * The requests that messages without a slot may take. While other messages wait for their slots, some
 * requests stay free for them. Otherwise a campaign without a rate takes every request, and the others miss
 * their slots.
 */
export function placesWithoutSlot(queues: readonly LeaseQueue[], places: number): number {
  const slotsWait = queues.length > 1 && queues.some((queue) => (queue.first()?.slotAt ?? null) !== null);
  return slotsWait ? places - Math.floor(places / KEPT_FOR_SLOTS) : places;
}

/**
 * True: the message must not be sent, because its claim is too old, or because the clocks disagree: one was set, or the
 * machine slept.
 */
export function isExpired({ claimedAt }: Waiting, env: Pick<Env, 'clock'>): boolean {
  const time = claimTime(env.clock);
  const monotonicMs = time.monotonic - claimedAt.monotonic;
  const others = [time.now - claimedAt.now, (time.wall ?? time.now) - (claimedAt.wall ?? claimedAt.now)];
  if (others.some((ms) => Math.abs(ms - monotonicMs) > CLOCK_JUMP_MS)) return true;
  return time.now - claimedAt.now > CLAIM_TTL_MS || monotonicMs > CLAIM_TTL_MS;
}

/** The identity of a claimed message's attempt, for its verdict. `sendMs` null: never dispatched. */
export function attemptFacts(
  queue: LeaseQueue,
  message: ClaimedMessage,
  sendMs: number | null,
): AttemptFacts {
  const { seq, attempt, segments, tries } = message;
  return { campaign: queue.sending.campaign, seq, attempt, segments, tries, sendMs };
}

/**
 * Messages that missed their rate slots take new ones. No message of the queue leaves during that time. If
 * the ledger gives no slots, the queue stops and its messages are put back.
 */
export async function takeNewSlots(
  env: Pick<Env, 'clock' | 'ledger' | 'log'>,
  queue: LeaseQueue,
  { lateMs, accountRate }: { lateMs: number; accountRate: number | null },
): Promise<void> {
  const { campaign, account } = queue.sending;
  const now = env.clock.now();
  const late = queue.laterThan(lateMs, now);
  const count = late.reduce((sum, { message }) => sum + queue.slotsOf(message), 0);
  queue.isTakingSlots = true;
  try {
    queue.moveTo(await env.ledger.takeSlots({ campaign, account, count, now, accountRate }), late);
  } catch (error) {
    env.log.warn({ error: String(error) }, 'no new rate slots: claimed messages are put back');
    queue.stopped = true;
  } finally {
    queue.isTakingSlots = false;
  }
}
