import { setTimeout as sleep } from 'node:timers/promises';
import type { Port } from '../thread/thread.ts';
import type { Snapshots, Transactions } from '../thread/transactions.ts';
import type { PostgresAddress } from './address.ts';
import { ask, connect, pooled, type Server } from './connect.ts';
import type { PostgresConnection } from './postgres-connection.ts';
import { codeOf, CommitUnknown, ConnectionLost, postgresError, postgresFault } from './postgres-errors.ts';

/*
 * One writer at a time, on all machines together: each write transaction takes the ledger's advisory lock first. It is
 * READ COMMITTED, so that each statement after the lock sees what the writer before has committed; an older snapshot
 * would not.
 */

/** A COMMIT whose connection was lost is asked for so often, with a wait between. */
const ASKED_FOR_COMMIT = 40;
const ASK_AGAIN_MS = 250;

/**
 * A crash forgets a number that its log does not hold yet, and gives it to another transaction. Each recovery ends with a
 * checkpoint, so behind one `committed` may be said of that other transaction.
 */
const XACT_STATUS = `
  SELECT CASE
    WHEN status = 'committed' AND (SELECT checkpoint_lsn FROM pg_control_checkpoint()) >= $2::text::pg_lsn
    THEN 'unknown' ELSE status
  END AS status
  FROM pg_xact_status($1::text::xid8) AS status`;

/** What a write transaction began with. */
interface Begun {
  /** Its number at the server. */
  xid: string;
  /** The end of the server's log on its disk, which no crash takes back. */
  flushed: string;
  /** The server's clock, after the lock was taken, in milliseconds. */
  now: number;
  schemaVersion: number;
  backend: number;
  /** The history that the ledger was last used in (history.ts); null: nobody has noted one. */
  usedHistory: string | null;
}

/** The write transactions of a connection to Postgres. A lost connection is made anew. */
export class PostgresTransactions implements Transactions {
  readonly faultOf = postgresFault;
  readonly errorFor = postgresError;
  readonly #address: PostgresAddress;
  readonly #connection: PostgresConnection;
  readonly #key: string;
  readonly #clock: Port['clock'];
  #server: Server;
  #open: Begun | null = null;

  constructor(
    server: Server,
    options: {
      address: PostgresAddress;
      connection: PostgresConnection;
      ledgerId: string;
      /** Told the server's time at each transaction. */
      clock: Port['clock'];
    },
  ) {
    this.#server = server;
    this.#address = options.address;
    this.#connection = options.connection;
    this.#key = `hashtextextended('tuma ledger ${options.ledgerId}', 0)`;
    this.#clock = options.clock;
  }

  /** The schema's version, as the open transaction saw it after the lock. */
  get schemaVersion(): number {
    return this.#begun.schemaVersion;
  }

  /** The history of this server, and the one that the ledger was last used in, as the open transaction saw it. */
  get histories(): { here: string; used: string | null } {
    return { here: this.#server.history, used: this.#begun.usedHistory };
  }

  async begin(durable: boolean): Promise<void> {
    if (this.#server.isEnded()) await this.#reconnect();
    const text = `BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE;
      ${durable ? '' : 'SET LOCAL synchronous_commit = off;'}
      SELECT pg_advisory_xact_lock(${this.#key});
      SELECT pg_current_xact_id()::text AS xid, pg_current_wal_flush_lsn()::text AS flushed,
        pg_backend_pid() AS backend,
        (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS now,
        (SELECT value FROM fact WHERE name = 'schema_version') AS version,
        (SELECT value FROM fact WHERE name = 'history') AS history`;
    try {
      const results = (await this.#query(this.#connection.beginning(text))) as unknown as {
        rows: Record<string, unknown>[];
      }[];
      const row = results.at(-1)?.rows[0] ?? {};
      this.#open = {
        xid: String(row['xid']),
        flushed: String(row['flushed']),
        now: Number(row['now']),
        backend: Number(row['backend']),
        schemaVersion: Number(row['version']),
        usedHistory: typeof row['history'] === 'string' ? row['history'] : null,
      };
    } catch (error) {
      await this.#undo();
      throw error;
    }
    this.#clock?.(this.#open.now);
    if (this.#open.backend === this.#server.backend) return;
    await this.rollback();
    throw pooled();
  }

  async commit(): Promise<void> {
    const begun = this.#open;
    this.#open = null;
    try {
      const { command } = await this.#query('COMMIT');
      // What Postgres says to the COMMIT of a transaction that an error had ended.
      if (command === 'ROLLBACK') throw new ConnectionLost('the transaction was undone');
    } catch (error) {
      // An SQLSTATE is the server's own answer. Without one nobody has said what became of the transaction.
      const isAnswered = codeOf(error) !== null && postgresFault(error) !== 'again';
      if (isAnswered || begun === null) throw error;
      await this.#askForCommit(begun);
    }
  }

  async rollback(): Promise<void> {
    if (this.#open === null) return;
    this.#open = null;
    await this.#undo();
  }

  async savepoint(): Promise<void> {
    await this.#query('SAVEPOINT operation');
  }

  async release(): Promise<void> {
    await this.#query('RELEASE operation');
  }

  async rollbackToSavepoint(): Promise<void> {
    await this.#query('ROLLBACK TO operation; RELEASE operation');
  }

  isOpen(): boolean {
    return this.#open !== null && !this.#server.isEnded();
  }

  async close(): Promise<void> {
    await this.#server.client.end().catch(() => undefined);
  }

  get #begun(): Begun {
    if (this.#open === null) throw new Error('no transaction is open');
    return this.#open;
  }

  async #query(text: string) {
    return await ask(this.#server.client, text);
  }

  /** A connection on which this fails is given up: the server undoes what it leaves behind. */
  async #undo(): Promise<void> {
    try {
      await this.#query('ROLLBACK');
    } catch {
      await this.#server.client.end().catch(() => undefined);
    }
  }

  async #reconnect(): Promise<void> {
    this.#server = await connect(this.#address, 'write');
    this.#connection.replace(this.#server.client);
  }

  /**
   * The connection was lost during COMMIT. The server knows by the transaction's number what became of it, unless it is
   * another server, or another history of it.
   */
  async #askForCommit(begun: Begun): Promise<void> {
    const { history } = this.#server;
    await this.#server.client.end().catch(() => undefined);
    for (let asked = 0; asked < ASKED_FOR_COMMIT; asked += 1) {
      const status = await this.#statusOf(begun, history);
      if (status === 'committed') return;
      if (status === 'aborted') throw new ConnectionLost('the transaction was undone');
      if (status === 'unknown') break;
      await sleep(ASK_AGAIN_MS);
    }
    throw new CommitUnknown('the database does not say whether it committed');
  }

  async #statusOf({ xid, flushed }: Begun, history: string): Promise<string> {
    try {
      if (this.#server.isEnded()) await this.#reconnect();
      if (this.#server.history !== history) return 'unknown';
      const { rows } = await this.#server.client.query<{ status: string | null }>(XACT_STATUS, [
        xid,
        flushed,
      ]);
      return rows[0]?.status ?? 'unknown';
    } catch (error) {
      return postgresFault(error) === 'again' ? 'in progress' : 'unknown';
    }
  }
}

/** The read transactions of a connection to Postgres. */
export function postgresSnapshots(
  opened: Server,
  { connection, address }: { connection: PostgresConnection; address: PostgresAddress },
): Snapshots {
  let server = opened;
  return {
    begin: async () => {
      if (server.isEnded()) {
        server = await connect(address, 'read');
        connection.replace(server.client);
      }
      const text = 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; SELECT pg_backend_pid() AS backend';
      const results = await ask(connection.client, connection.beginning(text));
      const found = (results as unknown as { rows: { backend: number }[] }[]).at(-1);
      // Another session has other prepared statements, and perhaps another schema.
      if (found?.rows[0]?.backend !== server.backend) throw pooled();
    },
    end: async () => {
      await connection.client.query('ROLLBACK').catch(() => undefined);
    },
    errorFor: postgresError,
    close: () => connection.client.end().catch(() => undefined),
  };
}
