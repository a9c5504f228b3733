import {
  type Breaker,
  CLOSED,
  afterIll,
  afterProbe,
  afterWell,
  asksForPause,
  waitOf,
} from '../../domain/pace/breaker.ts';
import { EventRate, type Pace, FULL_PACE, afterThrottle, recovered } from '../../domain/pace/pace.ts';
import type { Outage } from '../../domain/pace/outage.ts';
import type { PauseReason } from '../../domain/campaign.ts';
import type { Env } from '../env.ts';
import { ConsecutiveComplaints } from './consecutive-failures.ts';
import type { Verdict } from './verdict.ts';

/** A throttle may ask for at most this long. */
const MOST_HOLD_MS = 600_000;
/** The least rate of a throttled campaign without a limit, in messages a second. */
const LEAST_RATE = 50;
/** At this share of throttled answers the rate is too high. */
const THROTTLED_SHARE = 0.05;

/** A verdict's message: its campaign, and when it left, in monotonic milliseconds. */
export interface Departure {
  campaign: number;
  dispatchedAt: number;
}

/** The provider's health as this process sees it: breaker, pace after throttles, complaints in a row. */
export class Health {
  #env: Pick<Env, 'clock' | 'log'>;
  readonly #complaints = new ConsecutiveComplaints();
  #breaker: Breaker = CLOSED;
  #pace: Pace = FULL_PACE;
  /** No message is dispatched before this monotonic millisecond. */
  #heldUntil = 0;
  /** The first failure since the last good answer, UTC milliseconds; null: it answers. */
  #illSince: number | null = null;
  /** Somebody read in the log that it is ill. */
  #isLogged = false;
  /** The times when the latest well and the latest throttled message left. */
  #wellFrom = -Infinity;
  #throttledFrom = -Infinity;
  readonly #answers = new EventRate();
  readonly #throttles = new EventRate();
  /** A throttled campaign without a limit begins at this rate: the rate at which the throttle came. */
  #throttledRate = LEAST_RATE;

  constructor(env: Pick<Env, 'clock' | 'log'>) {
    this.#env = env;
  }

  /**
   * Notes one verdict; returns the reason to pause the campaign, or null. A failure counts only if its
   * message left after the last accepted message left.
   */
  note(verdict: Verdict, { campaign, dispatchedAt }: Departure): PauseReason | null {
    const now = this.#env.clock.monotonic();
    this.#answers.add(now);
    if (verdict.holdMs !== null) this.#throttled(verdict.holdMs, { now, dispatchedAt });
    if (verdict.health === 'well') this.#well(dispatchedAt);
    const asksForPerson = verdict.health === 'ill' && dispatchedAt >= this.#wellFrom && this.#ill(now);
    return (
      verdict.pause ?? this.#complaints.note(campaign, verdict.complaint) ?? (asksForPerson ? 'errors' : null)
    );
  }

  /** Takes in a balance call, the harmless probe of an open breaker. True: the campaign should be paused. */
  probed(well: boolean): boolean {
    if (this.waitMs() > 0) return false;
    this.#breaker = afterProbe(this.#breaker, well, this.#env.clock.monotonic());
    if (!asksForPause(this.#breaker)) return false;
    this.#breaker = CLOSED;
    return true;
  }

  /** The balance could not be read, so no message is dispatched for this time. */
  balanceUnreadable(ms: number): void {
    this.#illSince ??= this.#env.clock.now();
    this.#isLogged = true;
    this.rest(ms);
  }

  /** The balance was read. */
  balanceRead(): void {
    if (this.#breaker.state === 'closed') this.#answersAgain();
  }

  /** The service does not answer, and sending waits for it; null: it answers. */
  get outage(): Outage | null {
    const waitMs = this.waitMs();
    if (this.#illSince === null || (waitMs === 0 && this.#breaker.state === 'closed')) return null;
    return { since: this.#illSince, nextTryAt: Math.ceil(this.#env.clock.now() + waitMs) };
  }

  /** No message is dispatched for this time. */
  rest(ms: number): void {
    this.#heldUntil = Math.max(this.#heldUntil, this.#env.clock.monotonic() + ms);
  }

  /** Milliseconds until something may be dispatched. */
  waitMs(): number {
    // This is asked for every message.
    if (this.#heldUntil === 0 && this.#breaker === CLOSED) return 0;
    const now = this.#env.clock.monotonic();
    return Math.max(waitOf(this.#breaker, now), this.#heldUntil - now, 0);
  }

  /** The most messages in flight: one while the breaker is half-open. */
  limit(most: number): number {
    if (this.waitMs() > 0 || this.#breaker.state === 'open') return 0;
    return this.#breaker.state === 'half_open' ? 1 : most;
  }

  /** The rate to use for a configured one, in messages a second. Null is unlimited until a throttle. */
  rate(configured: number | null): number | null {
    this.#pace = recovered(this.#pace, this.#env.clock.monotonic());
    if (this.#pace.share === 1) return configured;
    return (configured ?? this.#throttledRate) * this.#pace.share;
  }

  get breakerState(): Breaker['state'] {
    return this.#breaker.state;
  }

  /**
   * When many answers are throttled, the rate is halved. A second throttle without an accepted message
   * between the two concerns the account, so everything waits as long as the provider asks.
   */
  #throttled(holdMs: number, { now, dispatchedAt }: { now: number; dispatchedAt: number }): void {
    this.#throttles.add(now);
    if (this.#throttles.perSecond() >= this.#answers.perSecond() * THROTTLED_SHARE) {
      if (this.#pace.share === 1) this.#throttledRate = Math.max(LEAST_RATE, this.#answers.perSecond());
      this.#pace = afterThrottle(this.#pace, now);
    }
    if (this.#throttledFrom > this.#wellFrom)
      this.#heldUntil = Math.max(this.#heldUntil, now + Math.min(holdMs, MOST_HOLD_MS));
    this.#throttledFrom = Math.max(this.#throttledFrom, dispatchedAt);
  }

  #well(dispatchedAt: number): void {
    this.#wellFrom = Math.max(this.#wellFrom, dispatchedAt);
    this.#breaker = afterWell(this.#breaker);
    if (this.#breaker.state === 'closed') this.#answersAgain();
  }

  #answersAgain(): void {
    if (this.#isLogged && this.#illSince !== null) {
      const illMs = this.#env.clock.now() - this.#illSince;
      this.#env.log.info({ illMs }, 'the service is well again: sending goes on');
    }
    this.#illSince = null;
    this.#isLogged = false;
  }

  /** True: a person should check the provider. */
  #ill(now: number): boolean {
    const before = this.#breaker.state;
    const after = afterIll(this.#breaker, now);
    this.#illSince ??= this.#env.clock.now();
    if (after.state === 'open' && before !== 'open') {
      this.#isLogged = true;
      this.#env.log.warn({ waitMs: after.waitMs }, 'the service is ill: sending waits');
    }
    const asksForPerson = asksForPause(after);
    // A person who resumes the campaign has checked the provider, so the next verdicts decide anew.
    this.#breaker = asksForPerson ? CLOSED : after;
    return asksForPerson;
  }
}
