import { FAILURES_TO_HOLD, NETWORK_FAULTS } from '../../domain/pace/network-breaker.ts';
import type { Outcome } from '../sending.ts';
import type { Networks } from './networks.ts';

/** Answers name the networks: more than this are not networks, and their counts begin anew. */
const MOST_NETWORKS = 200;

interface Seen {
  /** When the latest message left that the network took. */
  wellFrom: number;
  failuresInARow: number;
}

/** Counts failures in a row for each network, as this process records them. A restart may only forgive. */
export class NetworkFailures {
  readonly #networks: Pick<Networks, 'ofMessage'>;
  readonly #seen = new Map<string, Seen>();

  constructor(networks: Pick<Networks, 'ofMessage'>) {
    this.#networks = networks;
  }

  /**
   * Takes in one verdict; answers the network that it shows to be ill, or null. "In a row" is by the time of leaving: a
   * deadline that passes long after other messages were answered says nothing about the network now.
   */
  note(outcome: Outcome, now: number): string | null {
    const leftAt = now - (outcome.sendMs ?? 0);
    if (outcome.to !== 'sent')
      return NETWORK_FAULTS.has(outcome.reason) ? this.#failed(outcome, leftAt) : null;
    if (outcome.network !== null) this.#wentThrough(outcome.network, leftAt);
    return null;
  }

  #failed(outcome: Outcome, leftAt: number): string | null {
    const network = this.#networks.ofMessage(outcome);
    if (network === null) return null;
    const seen = this.#of(network);
    if (leftAt < seen.wellFrom) return null;
    seen.failuresInARow += 1;
    return seen.failuresInARow >= FAILURES_TO_HOLD ? network : null;
  }

  #wentThrough(network: string, leftAt: number): void {
    const seen = this.#of(network);
    seen.wellFrom = Math.max(seen.wellFrom, leftAt);
    seen.failuresInARow = 0;
  }

  #of(network: string): Seen {
    const known = this.#seen.get(network);
    if (known !== undefined) return known;
    if (this.#seen.size >= MOST_NETWORKS) this.#seen.clear();
    const seen = { wellFrom: -Infinity, failuresInARow: 0 };
    this.#seen.set(network, seen);
    return seen;
  }
}
