import type { ReasonOf } from '../../domain/message-reason.ts';
import type { PauseReason } from '../../domain/campaign.ts';
import type {
  AttemptRef,
  Claim,
  ClaimedMessage,
  OrderedPause,
  Outcome,
} from '../../ledger/contracts/sending.ts';
import type { SendResult } from '../../provider/provider.ts';
import type { Env } from '../env.ts';
import type { Health } from './health.ts';
import {
  type ClaimTime,
  LeaseQueue,
  type AnsweredMessage,
  type Sending,
  type Waiting,
  attemptFacts,
  placesWithoutSlot,
  takeNewSlots,
  isExpired,
} from './lease-queue.ts';
import { OutcomeBuffer } from './outcome-buffer.ts';
import { decide, failedCall, pauseBy, putBack, unrenderable } from './verdict.ts';
import { Alarm, Waiters } from './wake-ups.ts';

/** A message that misses its rate slot by more takes a new one. */
const LATE_MS = 40;
/** Only messages that can probably be dispatched within this time are claimed. */
const AHEAD_MS = 500;
/** The weight of the newest answer in the average latency. */
const LATENCY_WEIGHT = 0.05;

/** The parts and limits that a dispatcher works with. */
export interface DispatcherOptions {
  env: Env;
  health: Health;
  /** Requests in flight, at most. */
  concurrency: number;
  /** The most claimed messages without a committed verdict; a crash leaves at most these uncertain. */
  claimLimit: number;
  /** Messages a second of the account over all workers; null is unlimited. */
  accountRate: number | null;
  /** Called with every answer, to update prices, credit and metrics. */
  onAnswer: (result: SendResult, message: AnsweredMessage) => void;
}

/** A message whose request is in flight. */
interface Dispatched {
  queue: LeaseQueue;
  message: ClaimedMessage;
  /** Monotonic milliseconds. */
  at: number;
}

/**
 * Sends claimed messages. Each waits for its rate slot and for a free request. Its verdict goes through the
 * outcome buffer into the ledger. The dispatcher hands over verdicts before each claim, so at most
 * `claimLimit` messages are `sending`.
 */
export class Dispatcher {
  #options: DispatcherOptions;
  #buffer: OutcomeBuffer;
  #queues: LeaseQueue[] = [];
  #inFlight = 0;
  /** Messages and reserved places without a verdict. */
  #taken = 0;
  #committed = 0;
  #latencyMs = 1;
  readonly #alarm: Alarm;
  readonly #waiters = new Waiters();
  #stopped = false;

  constructor(options: DispatcherOptions) {
    this.#options = options;
    const { env } = options;
    this.#buffer = new OutcomeBuffer({ env, committed: (count) => this.#onCommitted(count) });
    this.#alarm = new Alarm(env.clock, () => this.#sendWaiting());
  }

  get inFlight(): number {
    return this.#inFlight;
  }

  /** Messages that are `sending` once the ledger has finished its waiting operations. */
  get sendingCount(): number {
    return this.#taken + this.#buffer.refused;
  }

  /** Messages and reserved places that have no request yet. */
  get waiting(): number {
    return this.#taken - this.#inFlight;
  }

  /** True when nothing is claimed and every verdict is durable. */
  get quiet(): boolean {
    return this.#taken === 0 && this.#buffer.pending === 0;
  }

  /** Verdicts committed so far. */
  get committed(): number {
    return this.#committed;
  }

  /** The number of messages that may be claimed now. */
  room(): number {
    const { claimLimit, health } = this.#options;
    if (this.#stopped) return 0;
    const most = health.limit(claimLimit);
    return Math.max(0, Math.min(most - this.sendingCount, this.#dispatchableSoon() - this.waiting));
  }

  /** A claim waits for this much room, so that one rate-limited queue cannot take every freed place. */
  get smallestUsefulRoom(): number {
    return Math.min(this.#options.claimLimit, this.#dispatchableSoon()) / 4;
  }

  /** Messages that can probably be dispatched soon. */
  #dispatchableSoon(): number {
    const { claimLimit, concurrency } = this.#options;
    return Math.max(1, Math.ceil(concurrency * Math.min(AHEAD_MS / this.#latencyMs, claimLimit)));
  }

  /** Resolves when `ready` is true: now, or after an answer, a commit or a freed place. */
  until(ready: () => boolean, signal: AbortSignal): Promise<void> {
    return this.#waiters.until(ready, signal);
  }

  openQueue(sending: Sending): LeaseQueue {
    const queue = new LeaseQueue(sending);
    // Transactional queues are served first.
    if (sending.kind === 'transactional') this.#queues.unshift(queue);
    else this.#queues.push(queue);
    return queue;
  }

  /** The caller reserves `count` places for a claim; `push` fills them and `unreserve` frees the rest. */
  reserve(count: number): void {
    this.#taken += count;
    // The ledger works in order, so these verdicts free their places before the claim.
    this.#buffer.handOver();
  }

  unreserve(count: number): void {
    this.#taken -= count;
    this.#waiters.notify();
  }

  /**
   * Takes claimed messages into their reserved places. `claimedAt` is the request time, so a process that
   * slept sees its claim as expired.
   */
  push(
    queue: LeaseQueue,
    { messages, rated }: Pick<Claim, 'messages' | 'rated'>,
    claimedAt: ClaimTime,
  ): void {
    for (const message of messages) queue.push({ message, slotAt: rated ? message.slotAt : null, claimedAt });
    this.#sendWaiting();
  }

  /** True: this message was claimed here, and waits for its request. */
  isWaiting(attempt: AttemptRef): boolean {
    return this.#queues.some((queue) => queue.sending.campaign === attempt.campaign && queue.has(attempt));
  }

  /** The campaigns with messages that have no request yet. */
  get waitingCampaigns(): number[] {
    const waiting = this.#queues.filter((queue) => !queue.stopped && queue.waitingCount > 0);
    return [...new Set(waiting.map(({ sending }) => sending.campaign))];
  }

  /** Puts back the messages of these campaigns that have no request yet, and ends the claims of their queues. */
  putBackCampaigns(campaigns: readonly number[]): void {
    if (campaigns.length === 0) return;
    for (const queue of this.#queues) if (campaigns.includes(queue.sending.campaign)) queue.stopped = true;
    this.#sendWaiting();
  }

  /** Ends the claims of a queue. The dispatcher removes the queue when its last message has left it. */
  closeQueue(queue: LeaseQueue): void {
    queue.closed = true;
    this.#dropClosed();
  }

  /** Stops dispatching for good and puts back waiting messages. Resolves when every verdict is committed. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#sendWaiting();
    await this.until(() => this.quiet, new AbortController().signal);
  }

  #sendWaiting(): void {
    const { concurrency } = this.#options;
    const places = { rated: concurrency, unrated: placesWithoutSlot(this.#queues, concurrency) };
    for (const queue of this.#queues) this.#sendWaitingOf(queue, places);
    this.#dropClosed();
    this.#waiters.notify();
  }

  #dropClosed(): void {
    if (this.#queues.some((queue) => queue.closed && queue.waitingCount === 0))
      this.#queues = this.#queues.filter((queue) => !queue.closed || queue.waitingCount > 0);
  }

  #sendWaitingOf(queue: LeaseQueue, places: { rated: number; unrated: number }): void {
    const { health, env } = this.#options;
    while (queue.waitingCount > 0 && !queue.isTakingSlots) {
      const first = queue.first() as Waiting;
      if (this.#stopped || queue.stopped || health.waitMs() > 0) return this.#putBackAll(queue, 'released');
      if (this.#inFlight >= places[first.slotAt === null ? 'unrated' : 'rated']) return;
      if (isExpired(first, env)) {
        this.#putBack(queue, queue.shift(), 'claim expired');
        continue;
      }
      if (!this.#isSlotNow(queue, first.slotAt)) return;
      this.#dispatch(queue, queue.shift().message);
    }
  }

  /** True when a message's slot is now. Otherwise the dispatcher checks the queue again later. */
  #isSlotNow(queue: LeaseQueue, slotAt: number | null): boolean {
    if (slotAt === null) return true;
    const now = this.#options.env.clock.now();
    if (now < slotAt) {
      this.#alarm.setFor(slotAt, now);
      return false;
    }
    if (now - slotAt <= LATE_MS) return true;
    void this.#takeNewSlots(queue);
    return false;
  }

  async #takeNewSlots(queue: LeaseQueue): Promise<void> {
    const { env, health, accountRate } = this.#options;
    await takeNewSlots(env, queue, { lateMs: LATE_MS, accountRate: health.rate(accountRate) });
    this.#sendWaiting();
  }

  #dispatch(queue: LeaseQueue, message: ClaimedMessage): void {
    const { provider, clock } = this.#options.env;
    const rendered = queue.sending.render(message.fields);
    if (!rendered.ok) {
      const outcome = unrenderable(attemptFacts(queue, message, null), rendered.reason);
      return this.#handOverVerdict(outcome, { queue, pause: null });
    }
    this.#inFlight += 1;
    const dispatched = { queue, message, at: clock.monotonic() };
    const { shortcode, campaign } = queue.sending;
    queue.note.handed({ campaign, seq: message.seq, attempt: message.attempt });
    const beforeWrite = () => queue.note.flush();
    // One promise a message, because a second one measurably slows sending.
    provider.send({ mobile: message.mobile, message: rendered.text, shortcode, beforeWrite }).then(
      (result) => this.#answered(dispatched, result),
      (error) => this.#answered(dispatched, failedCall(this.#options.env.log, error)),
    );
  }

  #answered({ queue, message, at: dispatchedAt }: Dispatched, result: SendResult): void {
    const { env, health, onAnswer } = this.#options;
    const { sending } = queue;
    const sendMs = env.clock.monotonic() - dispatchedAt;
    this.#inFlight -= 1;
    this.#latencyMs += (sendMs - this.#latencyMs) * LATENCY_WEIGHT;
    const facts = attemptFacts(queue, message, Math.round(sendMs));
    const context = { retry: sending.retry, now: env.clock.now(), random: env.random() };
    const verdict = decide(result, facts, context);
    const pause = health.note(verdict, { campaign: sending.campaign, dispatchedAt });
    onAnswer(result, { segments: message.segments, account: sending.account, dispatchedAt });
    if (pause !== null) this.#stopCampaign(sending, pauseBy(verdict.outcome, pause));
    queue.note.judged(verdict.outcome, pause);
    this.#handOverVerdict(verdict.outcome, { queue, pause });
    this.#sendWaiting();
  }

  /** Hands the verdict to the buffer and frees its place for the next claim. */
  #handOverVerdict(outcome: Outcome, about: { queue: LeaseQueue; pause: PauseReason | null }): void {
    this.#taken -= 1;
    this.#buffer.add(outcome, { source: about.queue, pause: about.pause });
  }

  #stopCampaign({ campaign, id }: Sending, { reason, words }: OrderedPause): void {
    const facts = { campaign: id, reason, ...(words === undefined ? {} : { words }) };
    this.#options.env.log.warn(facts, 'an answer of the provider pauses the campaign');
    for (const queue of this.#queues) if (queue.sending.campaign === campaign) queue.stopped = true;
  }

  #putBackAll(queue: LeaseQueue, reason: ReasonOf<'queued'>): void {
    for (const waiting of queue.drain()) this.#putBack(queue, waiting, reason);
  }

  #putBack(queue: LeaseQueue, { message }: Waiting, reason: ReasonOf<'queued'>): void {
    const outcome = putBack(attemptFacts(queue, message, null), reason, this.#options.env.clock.now());
    this.#handOverVerdict(outcome, { queue, pause: null });
  }

  #onCommitted(count: number): void {
    this.#committed += count;
    this.#waiters.notify();
  }
}
