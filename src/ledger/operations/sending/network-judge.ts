import type { Connection } from '../../connection.ts';
import {
  FAILURES_TO_HOLD,
  type HoldState,
  judgeDelivery,
  looksCollapsed,
  NETWORK_FAULTS,
  type NetworkShare,
} from '../../../domain/pace/network-breaker.ts';
import type { Outcome } from '../../contracts/sending.ts';
import type { Memory, Remembered } from '../memory.ts';
import { loadStatements } from '../../statements.ts';
import { flatMapInOrder } from '../../in-order.ts';

/** The newest reports that locate each campaign's position. */
const REPORTS = 5_000;
/** Older reports and messages say nothing about the present. */
const RECENT_REPORTS_MS = 900_000;
const RECENT_MESSAGES_MS = 3_600_000;
/** Messages counted before and after the middle one of the newest reports. */
const BEFORE = 1_500;
const AFTER = 500;

/** One network of a campaign; `state` belongs to its hold, null: no hold. */
type Share = NetworkShare & { network: string; state: HoldState | null };

/** A network that does not deliver one campaign's messages, and the reason. `id` is the campaign's name. */
export interface IllNetwork {
  campaign: number;
  id: string;
  network: string;
  why: string;
  /** True: it is held, but messages still reach it, because their numbers' networks are unknown. */
  held: boolean;
}

/**
 * Makes a function that finds the networks that do not deliver a campaign's messages, by the newest delivery reports.
 * Networks under probe, and networks that a person let go, do not count.
 */
export function networkJudge(database: Connection): (now: number) => Promise<IllNetwork[]> {
  const sql = loadStatements(database, new URL('./network-judge.sql', import.meta.url));
  type Reported = { campaign: number; id: string; middle: number };

  async function illOf({ campaign, id, middle }: Reported, since: number): Promise<IllNetwork[]> {
    const [first, last] = [Math.max(1, middle - BEFORE), middle + AFTER];
    const shares = await sql<Share>('shares').all(campaign, first, last, since);
    const judged = shares.filter(
      (share) => share.state !== 'overridden' && share.state !== 'probing' && looksCollapsed(share),
    );
    return await flatMapInOrder(judged, async (share) => {
      const { network, state } = share;
      const others = sumOf(shares.filter((other) => other !== share));
      const worst = await sql<{ word: string }>('worst').get(campaign, network, first, last);
      const why = judgeDelivery({ ...share, others, worst: worst?.word ?? null });
      return why === null ? [] : [{ campaign, id, network, why, held: state === 'held' }];
    });
  }

  return async (now) => {
    const reported = await sql<Reported>('reported').all(now - RECENT_REPORTS_MS, REPORTS);
    return await flatMapInOrder(reported, (each) => illOf(each, now - RECENT_MESSAGES_MS));
  };
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

/** True: the verdict may be its network's fault. */
export function isNetworkFailure(outcome: Outcome): boolean {
  return outcome.to !== 'sent' && NETWORK_FAULTS.has(outcome.reason);
}

/** What verdicts showed of one network: when the last accepted message left, and the failures since. */
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

  /**
   * Notes one verdict; `failed`: the network of a failure, null where it is not known. Returns the network that it shows
   * to be ill, or null. A failure counts only if its message left after the last accepted message left.
   */
  note(outcome: Outcome, failed: string | null, now: number): string | null {
    const network = failed ?? (outcome.to === 'sent' ? outcome.network : null);
    if (network === null) return null;
    const leftAt = now - (outcome.sendMs ?? 0);
    const { lastAcceptedLeftAt, inARow } = this.#seen.value.get(network) ?? UNSEEN;
    if (failed !== null && leftAt < lastAcceptedLeftAt) return null;
    const seen =
      failed === null
        ? { lastAcceptedLeftAt: Math.max(lastAcceptedLeftAt, leftAt), inARow: 0 }
        : { lastAcceptedLeftAt, inARow: inARow + 1 };
    this.#seen.own((map) => new Map(map)).set(network, seen);
    return seen.inARow >= FAILURES_TO_HOLD ? network : null;
  }
}
