import type { PauseReason } from '../../domain/campaign.ts';
import type { Claim, ClaimedMessage, Outcome } from '../../ledger/sending.ts';
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
import { decide, failedCall, putBack, unrenderable } from './verdict.ts';
import { Alarm, Waiters } from './wake-ups.ts';

/** A message that misses its rate slot by more takes a new one. */
const LATE_MS = 40;
/** Only messages that can probably be dispatched within this time are claimed. */
const AHEAD_MS = 500;
/** How quickly the average latency follows. */
const LATENCY_WEIGHT = 0.05;

/** The parts and limits that a dispatcher works with. */
export interface DispatcherOptions {
  env: Env;
  health: Health;
  /** Requests in flight, at most. */
  concurrency: number;
  /** Messages claimed and not yet committed, at most: a crash of the machine leaves no more of them uncertain. */
  claimLimit: number;
  /** Messages a second of the account over all workers; null is unlimited. */
  accountRate: number | null;
  /** Told of every answer, for prices, credit and metrics. */
  answered: (result: SendResult, message: AnsweredMessage) => void;
}

/** A message on its way. */
interface Dispatched {
  queue: LeaseQueue;
  message: ClaimedMessage;
  /** Monotonic milliseconds. */
  at: number;
}

/**
 * Sends claimed messages: each waits for its rate slot and for a free request, and its verdict goes through the outcome
 * buffer into the ledger, ahead of the claim that takes its place. So the ledger never has more than `claimLimit`
 * messages of this process `sending`, over all queues.
 */
export class Dispatcher {
  #options: DispatcherOptions;
  #buffer: OutcomeBuffer;
  #queues: LeaseQueue[] = [];
  #inFlight = 0;
  /** Claimed or being claimed, without a verdict. */
  #held = 0;
  #committed = 0;
  #latencyMs = 1;
  readonly #alarm: Alarm;
  readonly #waiters = new Waiters();
  #stopped = false;

  constructor(options: DispatcherOptions) {
    this.#options = options;
    const { env } = options;
    this.#buffer = new OutcomeBuffer({ env, committed: (count) => this.#wrote(count) });
    this.#alarm = new Alarm(env.clock, () => this.#pump());
  }

  get inFlight(): number {
    return this.#inFlight;
  }

  /** Messages that are `sending` in the ledger, counting the operations that it has not done yet. */
  get held(): number {
    return this.#held + this.#buffer.refused;
  }

  /** Claimed, and neither under way nor answered. */
  get waiting(): number {
    return this.#held - this.#inFlight;
  }

  /** True when nothing is claimed and every verdict is durable. */
  get quiet(): boolean {
    return this.#held === 0 && this.#buffer.pending === 0;
  }

  /** Verdicts committed so far. */
  get committed(): number {
    return this.#committed;
  }

  /** How many messages may be claimed now. */
  room(): number {
    const { claimLimit, health } = this.#options;
    if (this.#stopped) return 0;
    const most = health.limit(claimLimit);
    return Math.max(0, Math.min(most - this.held, this.#ahead() - this.waiting));
  }

  /**
   * The least room that is worth a claim while messages wait: a quarter of the most. When answers are slow, room is small, and
   * a queue that waits for rate slots would take all of it.
   */
  get roomWorthwhile(): number {
    return Math.min(this.#options.claimLimit, this.#ahead()) / 4;
  }

  /** Messages that can probably be dispatched soon. */
  #ahead(): number {
    const { claimLimit, concurrency } = this.#options;
    return Math.max(1, Math.ceil(concurrency * Math.min(AHEAD_MS / this.#latencyMs, claimLimit)));
  }

  /** Resolves when `ready` is true: asked now, and after each answer, commit or return of places. */
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

  /** Keeps `count` places while a claim is under way; give back with `push` or `unreserve`. */
  reserve(count: number): void {
    this.#held += count;
    // The ledger takes operations in their order, so the claim that follows finds the places of these verdicts free.
    this.#buffer.handOver();
  }

  unreserve(count: number): void {
    this.#held -= count;
    this.#waiters.notify();
  }

  /**
   * Takes over claimed messages, whose places were reserved. `claimedAt` is the time of the request, so a process that was
   * suspended meanwhile finds the claim expired.
   */
  push(
    queue: LeaseQueue,
    { messages, rated }: Pick<Claim, 'messages' | 'rated'>,
    claimedAt: ClaimTime,
  ): void {
    for (const message of messages) queue.push({ message, slotAt: rated ? message.slotAt : null, claimedAt });
    this.#pump();
  }

  /** Nothing more is claimed for this queue: it is removed when its last message has left it. */
  closeQueue(queue: LeaseQueue): void {
    queue.closed = true;
    this.#dropClosed();
  }

  /** Stops dispatching for good, puts back what waits, and resolves when every verdict is committed. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#pump();
    await this.until(() => this.quiet, new AbortController().signal);
  }

  #pump(): void {
    const { concurrency } = this.#options;
    const places = { rated: concurrency, unrated: placesWithoutSlot(this.#queues, concurrency) };
    for (const queue of this.#queues) this.#pumpQueue(queue, places);
    this.#dropClosed();
    this.#waiters.notify();
  }

  #dropClosed(): void {
    if (this.#queues.some((queue) => queue.closed && queue.waitingCount === 0))
      this.#queues = this.#queues.filter((queue) => !queue.closed || queue.waitingCount > 0);
  }

  #pumpQueue(queue: LeaseQueue, places: { rated: number; unrated: number }): void {
    const { health, env } = this.#options;
    while (queue.waitingCount > 0 && !queue.isTakingSlots) {
      const first = queue.first() as Waiting;
      if (this.#stopped || queue.stopped || health.waitMs() > 0) return this.#putBackAll(queue, 'released');
      if (this.#inFlight >= places[first.slotAt === null ? 'unrated' : 'rated']) return;
      if (isExpired(first, env)) {
        this.#putBack(queue, queue.shift(), 'claim expired');
        continue;
      }
      if (!this.#slotOpen(queue, first.slotAt)) return;
      this.#dispatch(queue, queue.shift().message);
    }
  }

  /** True when a message's slot is now; else the queue is looked at again later. */
  #slotOpen(queue: LeaseQueue, slotAt: number | null): boolean {
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
    this.#pump();
  }

  #dispatch(queue: LeaseQueue, message: ClaimedMessage): void {
    const { provider, clock } = this.#options.env;
    const rendered = queue.sending.render(message.fields);
    if (!rendered.ok) {
      const outcome = unrenderable(attemptFacts(queue, message, null), rendered.reason);
      return this.#decided(outcome, { queue, pause: null });
    }
    this.#inFlight += 1;
    const dispatched = { queue, message, at: clock.monotonic() };
    const { shortcode, campaign } = queue.sending;
    queue.note.handed({ campaign, seq: message.seq, attempt: message.attempt });
    const leaving = () => queue.note.flush();
    // One promise a message, because a second one measurably slows sending.
    provider.send({ mobile: message.mobile, message: rendered.text, shortcode, leaving }).then(
      (result) => this.#answered(dispatched, result),
      (error) => this.#answered(dispatched, failedCall(this.#options.env.log, error)),
    );
  }

  #answered({ queue, message, at: dispatchedAt }: Dispatched, result: SendResult): void {
    const { env, health, answered } = this.#options;
    const { sending } = queue;
    const sendMs = env.clock.monotonic() - dispatchedAt;
    this.#inFlight -= 1;
    this.#latencyMs += (sendMs - this.#latencyMs) * LATENCY_WEIGHT;
    const facts = attemptFacts(queue, message, Math.round(sendMs));
    const context = { retry: sending.retry, now: env.clock.now(), random: env.random() };
    const verdict = decide(result, facts, context);
    const pause = health.note(verdict, { campaign: sending.campaign, dispatchedAt });
    answered(result, { segments: message.segments, account: sending.account, dispatchedAt });
    if (pause !== null) this.#stopCampaign(sending, pause);
    queue.note.judged(verdict.outcome, pause);
    this.#decided(verdict.outcome, { queue, pause });
    this.#pump();
  }

  /** Hands the verdict to the buffer; its place is free for the next claim. */
  #decided(outcome: Outcome, about: { queue: LeaseQueue; pause: PauseReason | null }): void {
    this.#held -= 1;
    this.#buffer.add(outcome, { source: about.queue, pause: about.pause });
  }

  #stopCampaign({ campaign, id }: Sending, reason: PauseReason): void {
    this.#options.env.log.warn({ campaign: id, reason }, 'an answer of the service pauses the campaign');
    for (const queue of this.#queues) if (queue.sending.campaign === campaign) queue.stopped = true;
  }

  #putBackAll(queue: LeaseQueue, reason: string): void {
    for (const waiting of queue.drain()) this.#putBack(queue, waiting, reason);
  }

  #putBack(queue: LeaseQueue, { message }: Waiting, reason: string): void {
    const outcome = putBack(attemptFacts(queue, message, null), reason, this.#options.env.clock.now());
    this.#decided(outcome, { queue, pause: null });
  }

  #wrote(count: number): void {
    this.#committed += count;
    this.#waiters.notify();
  }
}
