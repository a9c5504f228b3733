import type { DatabaseSync } from 'node:sqlite';
import {
  FAILURES_TO_HOLD,
  judgeDelivery,
  looksCollapsed,
  NETWORK_FAULTS,
  type NetworkShare,
} from '../../domain/pace/network-breaker.ts';
import type { Outcome } from '../sending.ts';
import type { Networks } from './networks.ts';
import { type Sql, loadStatements } from './statements.ts';

/** Reports that are looked at for where each campaign stands. */
const REPORTS = 5_000;
/** Older reports and messages say nothing about now. */
const RECENT_REPORTS_MS = 900_000;
const RECENT_MESSAGES_MS = 3_600_000;
/** Messages that are counted before and after the middle one of those that were reported. */
const BEFORE = 1_500;
const AFTER = 500;

interface Reported {
  campaign: number;
  id: string;
  /** The middle one of the messages that were reported last. */
  middle: number;
}

/** One network of a campaign; `state`: of its hold, null where there is none. */
type Share = NetworkShare & { network: string; state: string | null };

/** A network that does not deliver what one campaign sends, and why. `id`: the campaign's. */
export interface IllNetwork {
  campaign: number;
  id: string;
  network: string;
  why: string;
  /** It is held already, and its messages go all the same. */
  held: boolean;
}

/** Judges by the delivery reports that came last which networks do not deliver what campaigns send. */
export class NetworkJudge {
  readonly #sql: Sql;

  constructor(database: DatabaseSync) {
    this.#sql = loadStatements(database, new URL('./network-judge.sql', import.meta.url));
  }

  /** The ill networks that are neither tried at present nor let go by a person. */
  ill(now: number): IllNetwork[] {
    const rows = this.#sql('reported').all(now - RECENT_REPORTS_MS, REPORTS) as unknown as Reported[];
    return rows.flatMap((row) => this.#illOf(row, now - RECENT_MESSAGES_MS));
  }

  #illOf({ campaign, id, middle }: Reported, since: number): IllNetwork[] {
    const [first, last] = [Math.max(1, middle - BEFORE), middle + AFTER];
    const shares = this.#sql('shares').all(campaign, first, last, since) as unknown as Share[];
    return shares.flatMap((share) => {
      const { network, state } = share;
      if (state === 'overridden' || state === 'probing' || !looksCollapsed(share)) return [];
      const others = sumOf(shares.filter((other) => other !== share));
      const worst = this.#sql('worst').get(campaign, network, first, last)?.['word'] ?? null;
      const why = judgeDelivery({ ...share, others, worst: worst as string | null });
      return why === null ? [] : [{ campaign, id, network, why, held: state === 'held' }];
    });
  }
}

function sumOf(shares: readonly NetworkShare[]): NetworkShare {
  const sum = { sent: 0, delivered: 0, undelivered: 0 };
  for (const { sent, delivered, undelivered } of shares) {
    sum.sent += sent;
    sum.delivered += delivered;
    sum.undelivered += undelivered;
  }
  return sum;
}

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
    this.#seen.set(network, seen);
    return seen;
  }
}
