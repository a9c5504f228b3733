import type { Connection } from '../../connection.ts';
import {
  FAILURES_TO_HOLD,
  judgeDelivery,
  looksCollapsed,
  NETWORK_FAULTS,
  type NetworkShare,
} from '../../../domain/pace/network-breaker.ts';
import type { Outcome } from '../../contracts/sending.ts';
import type { Memory, Remembered } from '../memory.ts';
import { type Sql, loadStatements } from '../../statements.ts';
import { flatMapInOrder } from '../../in-order.ts';

/** The newest reports that locate each campaign's position. */
const REPORTS = 5_000;
/** Older reports and messages say nothing about the present. */
const RECENT_REPORTS_MS = 900_000;
const RECENT_MESSAGES_MS = 3_600_000;
/** Messages counted before and after `middle`. */
const BEFORE = 1_500;
const AFTER = 500;

interface Reported {
  campaign: number;
  id: string;
  /** The middle message among the newest reports. */
  middle: number;
}

/** One network of a campaign; `state` belongs to its hold, null: no hold. */
type Share = NetworkShare & { network: string; state: string | null };

/** A network that does not deliver one campaign's messages, and the reason. `id` is the campaign's name. */
export interface IllNetwork {
  campaign: number;
  id: string;
  network: string;
  why: string;
  /** True: it is held, but messages still reach it, because their numbers' networks are unknown. */
  held: boolean;
}

/** Finds networks that do not deliver a campaign's messages, by the newest delivery reports. */
export class NetworkJudge {
  readonly #sql: Sql;

  constructor(database: Connection) {
    this.#sql = loadStatements(database, new URL('./network-judge.sql', import.meta.url));
  }

  /** The ill networks. Networks under probe, and networks that a person let go, do not count. */
  async ill(now: number): Promise<IllNetwork[]> {
    const rows = (await this.#sql('reported').all(now - RECENT_REPORTS_MS, REPORTS)) as unknown as Reported[];
    return await flatMapInOrder(rows, (row) => this.#illOf(row, now - RECENT_MESSAGES_MS));
  }

  async #illOf({ campaign, id, middle }: Reported, since: number): Promise<IllNetwork[]> {
    const [first, last] = [Math.max(1, middle - BEFORE), middle + AFTER];
    const shares = (await this.#sql('shares').all(campaign, first, last, since)) as unknown as Share[];
    return await flatMapInOrder(shares, async (share) => {
      const { network, state } = share;
      if (state === 'overridden' || state === 'probing' || !looksCollapsed(share)) return [];
      const others = sumOf(shares.filter((other) => other !== share));
      const worst = (await this.#sql('worst').get(campaign, network, first, last))?.['word'] ?? null;
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

/** The verdicts of one network. */
interface Seen {
  lastAcceptedLeftAt: number;
  inARow: number;
}

const UNSEEN: Seen = { lastAcceptedLeftAt: -Infinity, inARow: 0 };

/** Counts failures in a row for each network. The counter is in memory; a restart resets it. */
export class NetworkFailures {
  readonly #seen: Remembered<Map<string, Seen>>;

  constructor(memory: Memory) {
    this.#seen = memory.remember(new Map());
  }

  /** True: the verdict may be its network's fault. */
  isFailure(outcome: Outcome): boolean {
    return outcome.to !== 'sent' && NETWORK_FAULTS.has(outcome.reason);
  }

  /**
   * Notes one verdict; `failed`: the network of a failure, null where it is not known. Returns the network that it shows
   * to be ill, or null. A failure counts only if its message left after the last accepted message left.
   */
  note(outcome: Outcome, failed: string | null, now: number): string | null {
    const leftAt = now - (outcome.sendMs ?? 0);
    if (failed !== null) return this.#failed(failed, leftAt);
    if (outcome.to !== 'sent' || outcome.network === null) return null;
    const { lastAcceptedLeftAt } = this.#of(outcome.network);
    this.#see(outcome.network, { lastAcceptedLeftAt: Math.max(lastAcceptedLeftAt, leftAt), inARow: 0 });
    return null;
  }

  #failed(network: string, leftAt: number): string | null {
    const seen = this.#of(network);
    if (leftAt < seen.lastAcceptedLeftAt) return null;
    const inARow = seen.inARow + 1;
    this.#see(network, { ...seen, inARow });
    return inARow >= FAILURES_TO_HOLD ? network : null;
  }

  #of(network: string): Seen {
    return this.#seen.value.get(network) ?? UNSEEN;
  }

  #see(network: string, seen: Seen): void {
    this.#seen.own((map) => new Map(map)).set(network, seen);
  }
}
