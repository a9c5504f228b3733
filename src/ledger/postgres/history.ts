import type { Connection } from '../connection.ts';
import type { PostgresTransactions } from './postgres-transactions.ts';

/*
 * The history of a ledger's server (connect.ts) is a fact of the ledger. A failover to a replica, or a restored backup,
 * begins another one, which may lack the last commits. So nothing that leads to messages is done in it until a person says
 * so. A host without a note of its claims notices it, too.
 */

const NOTE = `-- ?1 history text
INSERT INTO fact (name, value) VALUES ('history', ?1) ON CONFLICT (name) DO UPDATE SET value = excluded.value`;

/** The history that the ledger is used in; belongs to the writer's connection. */
export class History {
  readonly #transactions: Pick<PostgresTransactions, 'histories'>;
  readonly #note: ReturnType<Connection['prepare']>;

  constructor(connection: Connection, transactions: Pick<PostgresTransactions, 'histories'>) {
    this.#transactions = transactions;
    this.#note = connection.prepare(NOTE);
  }

  /** True: the ledger was last used in another history than that of this server. */
  isAnother(): boolean {
    const { here, used } = this.#transactions.histories;
    return used !== null && used !== here;
  }

  /** Notes the history of this server, if none is noted. */
  async begin(): Promise<void> {
    if (this.#transactions.histories.used === null) await this.accept();
  }

  /** The ledger is used in the history of this server from now on. */
  async accept(): Promise<void> {
    await this.#note.run(this.#transactions.histories.here);
  }
}
