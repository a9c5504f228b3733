import type { PauseReason } from '../../domain/campaign.ts';
import type { Claim, ClaimedMessage, Outcome } from '../../ledger/sending.ts';
import type { SendResult } from '../../provider/provider.ts';
import { Alarm } from './alarm.ts';
import type { Env } from '../env.ts';
import type { Health } from './health.ts';
import {
  type ClaimAsked,
  Lane,
  type Answered,
  type Sending,
  type Waiting,
  askedOf,
  placesWithoutSlot,
  isExpired,
} from './lease-queue.ts';
import { OutcomeBuffer } from './outcome-buffer.ts';
import { takeNewSlots } from './take-new-slots.ts';
import { decide, failedCall, putBack, unrenderable } from './verdict.ts';
import { Watchers } from '../maintenance/watchers.ts';

/** A message that misses its rate slot by more takes a new one. */
const LATE_MS = 40;
/** Claim only what can probably be dispatched within this time. */
const AHEAD_MS = 500;
/** How quickly the average latency follows. */
const LATENCY_WEIGHT = 0.05;

/** What a dispatcher works with: the engine's Env, its limits, and whom it tells. */
export interface DispatcherOptions {
  env: Env;
  health: Health;
  /** Requests in flight, at most. */
  concurrency: number;
  /** Messages claimed and not yet committed, at most: the bound on what a crash of the machine leaves uncertain. */
  claimLimit: number;
  /** Messages a second of the account over all workers; null is unlimited. */
  accountRate: number | null;
  /** Told of every verdict, for prices and metrics. */
  seen: (result: SendResult, message: Answered) => void;
}

/** A message on its way. */
interface Dispatched {
  lane: Lane;
  message: ClaimedMessage;
  /** Monotonic milliseconds. */
  at: number;
}

/**
 * Sends claimed messages: each waits for its rate slot and for a free request, and its verdict goes through the outcome
 * buffer into the ledger, ahead of the claim that takes its place. So the ledger never has more than `claimLimit`
 * messages of this process `sending`, over all lanes.
 */
export class Dispatcher {
  #options: DispatcherOptions;
  #buffer: OutcomeBuffer;
  #lanes: Lane[] = [];
  #inFlight = 0;
  /** Claimed or being claimed, without a verdict. */
  #held = 0;
  #committed = 0;
  #latencyMs = 1;
  readonly #alarm: Alarm;
  #watchers = new Watchers();
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

  /** Messages that are `sending` in the ledger, or will be when it comes to what was asked of it last. */
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
   * How much room a claim is worth while others wait: a quarter of what there can be. A service that answers slowly
   * leaves little, and whoever waits for its rate's slots would keep the others from it.
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
    return this.#watchers.until(ready, signal);
  }

  openLane(sending: Sending): Lane {
    const lane = new Lane(sending);
    // Transactional lanes are served first.
    if (sending.kind === 'transactional') this.#lanes.unshift(lane);
    else this.#lanes.push(lane);
    return lane;
  }

  /** Keeps `count` places while a claim is under way; give back with `push` or `unreserve`. */
  reserve(count: number): void {
    this.#held += count;
    // The claim that follows may count on the places of these: the ledger takes operations in their order.
    this.#buffer.handOver();
  }

  unreserve(count: number): void {
    this.#held -= count;
    this.#watchers.notify();
  }

  /**
   * Takes over claimed messages, whose places were reserved. `asked` is when the claim was asked for: a process that is
   * suspended before the answer reaches it must find it expired.
   */
  push(lane: Lane, { messages, rated }: Pick<Claim, 'messages' | 'rated'>, asked: ClaimAsked): void {
    for (const message of messages) lane.push({ message, slotAt: rated ? message.slotAt : null, asked });
    this.#pump();
  }

  /** No more claims for this lane: it goes when its last message has left it. */
  closeLane(lane: Lane): void {
    lane.closed = true;
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
    const places = { rated: concurrency, unrated: placesWithoutSlot(this.#lanes, concurrency) };
    for (const lane of this.#lanes) this.#pumpLane(lane, places);
    this.#dropClosed();
    this.#watchers.notify();
  }

  #dropClosed(): void {
    if (this.#lanes.some((lane) => lane.closed && lane.waitingCount === 0))
      this.#lanes = this.#lanes.filter((lane) => !lane.closed || lane.waitingCount > 0);
  }

  #pumpLane(lane: Lane, places: { rated: number; unrated: number }): void {
    const { health, env } = this.#options;
    while (lane.waitingCount > 0 && !lane.reslotting) {
      const first = lane.first() as Waiting;
      if (this.#stopped || lane.stopped || health.waitMs() > 0) return this.#putBackAll(lane, 'released');
      if (this.#inFlight >= places[first.slotAt === null ? 'unrated' : 'rated']) return;
      if (isExpired(first, env)) {
        this.#putBack(lane, lane.shift(), 'claim expired');
        continue;
      }
      if (!this.#slotOpen(lane, first.slotAt)) return;
      this.#dispatch(lane, lane.shift().message);
    }
  }

  /** True when a message's slot is now; else sees to it that the lane is looked at again. */
  #slotOpen(lane: Lane, slotAt: number | null): boolean {
    if (slotAt === null) return true;
    const now = this.#options.env.clock.now();
    if (now < slotAt) {
      this.#alarm.setFor(slotAt, now);
      return false;
    }
    if (now - slotAt <= LATE_MS) return true;
    void this.#reslot(lane);
    return false;
  }

  async #reslot(lane: Lane): Promise<void> {
    const { env, health, accountRate } = this.#options;
    await takeNewSlots(env, lane, { lateMs: LATE_MS, accountRate: health.rate(accountRate) });
    this.#pump();
  }

  #dispatch(lane: Lane, message: ClaimedMessage): void {
    const { provider, clock } = this.#options.env;
    const rendered = lane.sending.render(message.fields);
    if (!rendered.ok) {
      const outcome = unrenderable(askedOf(lane, message, null), rendered.reason);
      return this.#decided(outcome, { lane, pause: null });
    }
    this.#inFlight += 1;
    const dispatched = { lane, message, at: clock.monotonic() };
    const { shortcode, campaign } = lane.sending;
    lane.note.handed({ campaign, seq: message.seq, attempt: message.attempt });
    const leaving = () => lane.note.flush();
    // One promise a message: every further one would be felt at this place.
    provider.send({ mobile: message.mobile, message: rendered.text, shortcode, leaving }).then(
      (result) => this.#answered(dispatched, result),
      (error) => this.#answered(dispatched, failedCall(this.#options.env.log, error)),
    );
  }

  #answered({ lane, message, at: dispatchedAt }: Dispatched, result: SendResult): void {
    const { env, health, seen } = this.#options;
    const { sending } = lane;
    const sendMs = env.clock.monotonic() - dispatchedAt;
    this.#inFlight -= 1;
    this.#latencyMs += (sendMs - this.#latencyMs) * LATENCY_WEIGHT;
    const asked = askedOf(lane, message, Math.round(sendMs));
    const context = { retry: sending.retry, now: env.clock.now(), random: env.random() };
    const verdict = decide(result, asked, context);
    const pause = health.note(verdict, { campaign: sending.campaign, dispatchedAt });
    seen(result, { segments: message.segments, account: sending.account, dispatchedAt });
    if (pause !== null) this.#stopCampaign(sending, pause);
    lane.note.judged(verdict.outcome, pause);
    this.#decided(verdict.outcome, { lane, pause });
    this.#pump();
  }

  /** The verdict is the ledger's now, and its place free for the next claim. */
  #decided(outcome: Outcome, about: { lane: Lane; pause: PauseReason | null }): void {
    this.#held -= 1;
    this.#buffer.add(outcome, about);
  }

  #stopCampaign({ campaign, id }: Sending, reason: PauseReason): void {
    this.#options.env.log.warn(
      { campaign: id, reason },
      'the campaign is paused by an answer of the service',
    );
    for (const lane of this.#lanes) if (lane.sending.campaign === campaign) lane.stopped = true;
  }

  #putBackAll(lane: Lane, reason: string): void {
    for (const waiting of lane.drain()) this.#putBack(lane, waiting, reason);
  }

  #putBack(lane: Lane, { message }: Waiting, reason: string): void {
    const outcome = putBack(askedOf(lane, message, null), reason, this.#options.env.clock.now());
    this.#decided(outcome, { lane, pause: null });
  }

  #wrote(count: number): void {
    this.#committed += count;
    this.#watchers.notify();
  }
}
