import { FAILURES_TO_HOLD, NETWORK_FAULTS } from '../../domain/pace/network-breaker.ts';
import type { Outcome } from '../sending.ts';
import type { Networks } from './networks.ts';

/** Answers name the networks: more than this are not networks, and the counts begin anew. */
const MOST_NETWORKS = 200;

/** Counts failures in a row for each network, as this process records them. A restart only forgives. */
export class NetworkFailures {
  readonly #networks: Pick<Networks, 'ofMessage'>;
  /** `wellFrom`: when the latest message left that the network took. */
  readonly #seen = new Map<string, { wellFrom: number; inARow: number }>();

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
    if (outcome.network === null) return null;
    const seen = this.#of(outcome.network);
    seen.wellFrom = Math.max(seen.wellFrom, leftAt);
    seen.inARow = 0;
    return null;
  }

  #failed(outcome: Outcome, leftAt: number): string | null {
    const network = this.#networks.ofMessage(outcome);
    if (network === null) return null;
    const seen = this.#of(network);
    if (leftAt < seen.wellFrom) return null;
    seen.inARow += 1;
    return seen.inARow >= FAILURES_TO_HOLD ? network : null;
  }

  #of(network: string): { wellFrom: number; inARow: number } {
    const seen = this.#seen.get(network) ?? { wellFrom: -Infinity, inARow: 0 };
    if (this.#seen.size >= MOST_NETWORKS) this.#seen.clear();
    this.#seen.set(network, seen);
    return seen;
  }
}
