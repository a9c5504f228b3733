import type { DatabaseSync } from 'node:sqlite';
import { DELIVERY_PROBES } from '../../domain/pace/network-delivery.ts';
import { type BatchRecords, MOST_ROWS } from './batches.ts';
import { prepareStatements, type Statements } from './statements.ts';

/**
 * Brings back what was held for its network: all of it when the network is let go, in steps, and while it is tried as many
 * as may still try it. So the messages of a long hold are left alone in between.
 */

const STATEMENTS = ['returning', 'held', 'bring_back', 'brought_back', 'done'] as const;

/** A hold of which some may come back. */
interface Returning {
  campaign: number;
  network: string;
  state: 'held' | 'probing' | 'well' | 'overridden';
  /** Messages that try it already. */
  taken: number;
}

/** The messages that come back to their batches. */
export class NetworkReturn {
  readonly #sql: Statements<typeof STATEMENTS>;
  readonly #batches: Pick<BatchRecords, 'touched' | 'makeDue'>;

  constructor(database: DatabaseSync, batches: Pick<BatchRecords, 'touched' | 'makeDue'>) {
    this.#sql = prepareStatements(database, new URL('./network-return.sql', import.meta.url), STATEMENTS);
    this.#batches = batches;
  }

  /** At most `MOST_ROWS` messages. True: there is more to bring back at once. */
  step(now: number): boolean {
    const returning = this.#sql.returning.all() as unknown as Returning[];
    const tried = returning.filter(({ state }) => state === 'probing');
    for (const hold of tried) this.#bringBack(hold, Math.max(0, DELIVERY_PROBES - hold.taken), now);
    const free = returning.find(({ state }) => state === 'well' || state === 'overridden');
    if (free === undefined) return false;
    if (this.#bringBack(free, MOST_ROWS, now) < MOST_ROWS) this.#sql.done.run(free.campaign, free.network);
    return true;
  }

  /** Answers how many were found. */
  #bringBack({ campaign, network }: Returning, most: number, now: number): number {
    const held = this.#sql.held.all(campaign, network, most).map(({ seq }) => Number(seq));
    const batches = this.#batches.touched();
    const due = new Set<number>();
    for (const seq of held)
      if (this.#sql.bring_back.run(campaign, seq, now).changes === 1) due.add(batches.of(campaign, seq).id);
    for (const batch of due) this.#batches.makeDue(batch, now);
    const last = held.at(-1);
    if (last !== undefined) this.#sql.brought_back.run(campaign, network, last);
    return held.length;
  }
}
