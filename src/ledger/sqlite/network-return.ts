import type { DatabaseSync } from 'node:sqlite';
import { DELIVERY_PROBES } from '../../domain/network-delivery.ts';
import { type BatchRecords, MOST_ROWS } from './batches.ts';
import { prepareStatements, type Statements } from './statements.ts';

/**
 * Brings back what was held for its network: all of it when the network is let go, in steps, and a batch at a time while
 * it is tried, until enough of them try it. So the messages of a long hold are left alone in between.
 */

const STATEMENTS = ['returning', 'bring_back', 'brought_back'] as const;

/** Where the bringing back of one hold stands. */
interface Returning {
  campaign: number;
  network: string;
  state: 'held' | 'probing' | 'well' | 'overridden';
  backAfter: number;
  /** Messages that try it already. */
  taken: number;
}

/** The messages that come back to their batches. */
export class NetworkReturn {
  readonly #sql: Statements<typeof STATEMENTS>;
  readonly #batches: Pick<BatchRecords, 'walk' | 'makeDue'>;

  constructor(database: DatabaseSync, batches: Pick<BatchRecords, 'walk' | 'makeDue'>) {
    this.#sql = prepareStatements(database, new URL('./network-return.sql', import.meta.url), STATEMENTS);
    this.#batches = batches;
  }

  /** One step for each hold. True: there is more to bring back at once. */
  step(now: number): boolean {
    const returning = this.#sql.returning.all() as unknown as Returning[];
    const more = returning.map((hold) =>
      hold.state === 'probing' ? this.#forProbes(hold, now) : this.#all(hold, now),
    );
    return more.includes(true);
  }

  #all(hold: Returning, now: number): boolean {
    const afterSeq = this.#walk(hold, now, MOST_ROWS);
    this.#sql.brought_back.run(hold.campaign, hold.network, afterSeq);
    return afterSeq !== null;
  }

  /** Which of the held messages are this network's is seen by the claim. At the end it begins anew, with the next look. */
  #forProbes(hold: Returning, now: number): false {
    const { campaign, network, taken } = hold;
    if (taken < DELIVERY_PROBES) this.#sql.brought_back.run(campaign, network, this.#walk(hold, now, 1) ?? 0);
    return false;
  }

  #walk({ campaign, backAfter }: Returning, now: number, most: number): number | null {
    const { afterSeq } = this.#batches.walk({ campaign, afterSeq: backAfter, most }, (batch) => {
      if (batch.settled_at !== null) return 0;
      const { changes } = this.#sql.bring_back.run(campaign, batch.first_seq, batch.last_seq, now);
      if (changes > 0) this.#batches.makeDue(batch.id, now);
      return Number(changes);
    });
    return afterSeq;
  }
}
