import {
  type Breaker,
  CLOSED,
  afterIll,
  afterProbe,
  afterWell,
  asksForPause,
  waitOf,
} from '../../domain/pace/breaker.ts';
import type { ClaimedMessage, NetworkHold, ToldNetwork } from '../../ledger/sending.ts';
import type { Env } from '../env.ts';
import type { Verdict } from './verdict.ts';

/** A probe whose verdict did not come in this time (it was put back, or its process was suspended) is given up. */
const PROBE_MS = 60_000;
/** While a probe is under way the others wait, and look again after so long. */
const PROBING_HOLD_MS = 10_000;
/** Answers name the networks: more than this are not networks. */
const MOST_NETWORKS = 200;

/** A verdict's message: whose it was, when it left (monotonic milliseconds) and where to, as far as that is known. */
export interface Departure {
  campaign: number;
  dispatchedAt: number;
  /** The networks that it tells of: that of the number's last message, and the one that the answer names. */
  networks: readonly string[];
}

interface Network {
  breaker: Breaker;
  /** When the latest message left that the network took. */
  wellFrom: number;
  /** Which of the openings its last one was. */
  opening: number;
  /** When it was held last, monotonic. */
  heldAt: number;
  /** For whoever looks, by the wall clock: held since and until. */
  told: Omit<ToldNetwork, 'network'>;
  /** A message of it is on its way to see whether it is well again, or was until then. */
  probingUntil: number;
}

/**
 * What this process knows of the networks behind the service: a breaker for each. While one is open only messages to its
 * numbers are held back, in the claim. The probe is a message, for nothing else says anything of a network.
 */
export class NetworkHealth {
  readonly #env: Pick<Env, 'clock' | 'log'>;
  readonly #networks = new Map<string, Network>();
  /** Those whose breaker is not closed. */
  readonly #held = new Set<string>();
  /** While any is held: when something of a campaign was accepted last. */
  readonly #goingOn = new Map<number, number>();
  #openings = 0;

  constructor(env: Pick<Env, 'clock' | 'log'>) {
    this.#env = env;
  }

  /** How often one that was well was found ill: what was claimed before that may be for it. */
  get openings(): number {
    return this.#openings;
  }

  /** True for a message that would not be claimed any more: `openings` is what it was when this one's claim was asked for. */
  holdsBack({ network }: Pick<ClaimedMessage, 'network'>, openings: number): boolean {
    if (openings === this.#openings) return false;
    // Undefined: nothing was held when it was claimed, so nobody asked where it goes.
    if (network === undefined) return true;
    // One that was held already when it was claimed tries whether it is well again.
    return network !== null && this.#held.has(network) && this.#of(network).opening > openings;
  }

  /** How many are held at present. */
  get heldCount(): number {
    return this.#held.size;
  }

  /**
   * Takes in one verdict. True: a person should look at the campaign, for a network of it opened for the third time in a
   * row and nothing else of it went through meanwhile.
   */
  note(verdict: Pick<Verdict, 'health' | 'networkIll'>, departure: Departure): boolean {
    if (verdict.networkIll === true)
      return departure.networks.some((network) => this.#ill(network, departure));
    if (verdict.health === 'well') this.#well(departure);
    return false;
  }

  /** Which are held, for whoever looks. */
  held(): ToldNetwork[] {
    return [...this.#held].map((network) => ({ network, ...this.#of(network).told }));
  }

  /** What a claim that is asked for now must hold back. Of a network that may be tried again it lends one message. */
  holds(): NetworkHold[] {
    if (this.#held.size === 0) return [];
    const { clock } = this.#env;
    const monotonic = clock.monotonic();
    return [...this.#held].map((name) => {
      const network = this.#of(name);
      const waitMs = waitOf(network.breaker, monotonic);
      if (waitMs > 0) return { network: name, until: Math.ceil(clock.now() + waitMs), probe: false };
      network.breaker = afterProbe(network.breaker, true, monotonic);
      const probe = monotonic >= network.probingUntil;
      if (probe) network.probingUntil = monotonic + PROBE_MS;
      return { network: name, until: clock.now() + PROBING_HOLD_MS, probe };
    });
  }

  /** A claim is back: where it found no message to try a network with, the next one may. */
  returned(holds: readonly NetworkHold[], probes: readonly string[]): void {
    for (const { network, probe } of holds)
      if (probe && !probes.includes(network)) this.#of(network).probingUntil = -Infinity;
  }

  #well({ networks, dispatchedAt, campaign }: Departure): void {
    for (const name of networks) {
      const network = this.#of(name);
      network.wellFrom = Math.max(network.wellFrom, dispatchedAt);
      network.breaker = afterWell(network.breaker);
      if (network.breaker !== CLOSED || !this.#held.delete(name)) continue;
      this.#env.log.info({ network: name }, 'the network is well again: its messages go on');
    }
    if (this.#held.size > 0) this.#goingOn.set(campaign, this.#env.clock.monotonic());
    else if (this.#goingOn.size > 0) this.#goingOn.clear();
  }

  #ill(name: string, { dispatchedAt, campaign }: Departure): boolean {
    const network = this.#of(name);
    if (dispatchedAt < network.wellFrom) return false;
    const now = this.#env.clock.monotonic();
    const before = network.breaker;
    network.breaker = afterIll(before, now);
    if (network.breaker.state !== 'open' || before.state === 'open') return false;
    const wall = this.#env.clock.now();
    const wasHeld = this.#held.has(name);
    const since = wasHeld ? network.told.since : wall;
    network.told = { since, until: Math.ceil(wall + network.breaker.waitMs) };
    if (!wasHeld) {
      this.#openings += 1;
      network.opening = this.#openings;
    }
    this.#held.add(name);
    network.probingUntil = -Infinity;
    const aloneSince = network.heldAt;
    network.heldAt = now;
    const tired = asksForPause(network.breaker) && (this.#goingOn.get(campaign) ?? -Infinity) < aloneSince;
    if (tired) this.#forget(name);
    else
      this.#env.log.warn(
        { network: name, waitMs: network.breaker.waitMs },
        'a network is ill: its messages wait',
      );
    return tired;
  }

  /** Whoever resumes the campaign has looked: the next verdicts decide anew. */
  #forget(name: string): void {
    this.#of(name).breaker = CLOSED;
    this.#held.delete(name);
  }

  #of(name: string): Network {
    return this.#networks.get(name) ?? this.#add(name);
  }

  #add(name: string): Network {
    const network = {
      breaker: CLOSED,
      wellFrom: -Infinity,
      opening: 0,
      heldAt: -Infinity,
      told: { since: 0, until: 0 },
      probingUntil: -Infinity,
    };
    if (this.#networks.size < MOST_NETWORKS) this.#networks.set(name, network);
    return network;
  }
}
