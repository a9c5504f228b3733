import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from 'pg';
import { TumaError } from '../../domain/errors.ts';
import { placeOf, type PostgresAddress } from '../postgres/address.ts';
import { connectFirst } from '../postgres/connect.ts';
import { factOf, lockSchema, makeTables, versionOf } from '../postgres/postgres-schema.ts';
import { newestVersion, refuseNewer } from '../sqlite/migrate.ts';
import { listed, type Table } from './tables.ts';

/* The schema on Postgres that a ledger is moved into. Its fact `arriving` refuses everybody else until it is whole. */

const CHECKED = `
  SELECT set_config('client_connection_check_interval', '1s', false)
  WHERE current_setting('server_version_num')::int >= 140000`;
/** The session of a move that was killed ends its statement first. */
const TURN_MS = 20_000;
const LOOK_MS = 250;
const FACT = 'INSERT INTO fact (name, value) VALUES ($1, $2)';

/** Those that are no part of a table: an index that is made from all of its rows at once takes a third of the time. */
const INDEXES = `
  SELECT i.indexrelid::regclass::text AS name, pg_get_indexdef(i.indexrelid) AS made
  FROM pg_index AS i JOIN pg_class AS c ON c.oid = i.indrelid
  WHERE c.relnamespace = current_schema()::regnamespace
    AND NOT EXISTS (SELECT 1 FROM pg_constraint WHERE conindid = i.indexrelid)
  ORDER BY 1`;

/** Drops the indexes of the empty tables. Answers the statements that make them. */
async function withoutIndexes(client: Client): Promise<string[]> {
  const { rows } = await client.query<{ name: string; made: string }>(INDEXES);
  for (const { name } of rows) await client.query(`DROP INDEX ${name}`);
  return rows.map(({ made }) => made);
}

/** The target of one move, on a connection of its own. */
export class MoveTarget {
  readonly client: Client;
  readonly #address: PostgresAddress;
  readonly #id: string;

  private constructor(client: Client, { address, id }: { address: PostgresAddress; id: string }) {
    this.client = client;
    this.#address = address;
    this.#id = id;
  }

  /** Connects. Throws as `connectFirst`, and `busy` while another process moves a ledger into this schema. */
  static async open(address: PostgresAddress, id: string): Promise<MoveTarget> {
    const { client } = await connectFirst(address, 'move');
    const target = new MoveTarget(client, { address, id });
    try {
      // Postgres 14 and later then notice within a statement that a move was killed.
      await client.query(CHECKED).catch(() => undefined);
      await target.#takeTurn();
      return target;
    } catch (error) {
      await target.close();
      throw error;
    }
  }

  /** Throws `state_forbids` unless the schema is empty, or holds what an earlier run of this move has left. */
  async requireFree(): Promise<void> {
    const version = await versionOf(this.client, this.#address.schema);
    if (version === 0) return;
    if ((await factOf(this.client, 'arriving')) !== this.#id)
      throw this.#refusal(
        'That schema of Postgres holds a ledger already.',
        'Name an empty schema: postgres://…/database?schema=NAME.',
      );
    refuseNewer(version);
    if (version < newestVersion())
      throw this.#refusal(
        'That schema of Postgres holds a copy that another version of Tuma began.',
        'Drop the schema, or go on with that version.',
      );
  }

  /** Makes the tables and fills them, in one transaction; then the schema is whole, and marked. */
  async fill(
    tables: readonly Table[],
    { copy, indexing }: { copy: () => Promise<number>; indexing: () => void },
  ): Promise<number> {
    const { client } = this;
    await client.query('BEGIN');
    try {
      await lockSchema(client, this.#address.schema);
      await this.requireFree();
      if ((await versionOf(client, this.#address.schema)) === 0)
        await makeTables(client, this.#address.schema);
      await client.query(`TRUNCATE ${listed(tables)}`);
      const indexes = await withoutIndexes(client);
      const rows = await copy();
      indexing();
      for (const made of indexes) await client.query(made);
      await client.query(FACT, ['schema_version', String(newestVersion())]);
      await client.query(FACT, ['arriving', this.#id]);
      await client.query(`ANALYZE ${listed(tables)}`);
      await client.query('COMMIT');
      return rows;
    } catch (error) {
      await client.query('ROLLBACK').catch(() => undefined);
      throw error;
    }
  }

  /** Takes the mark away: the ledger opens. Throws `state_forbids` when it is not there. */
  async openLedger(ledgerId: string): Promise<void> {
    const { client } = this;
    const isThere = (await versionOf(client, this.#address.schema)) > 0;
    if (!isThere || (await factOf(client, 'ledger_id')) !== ledgerId)
      throw this.#refusal(
        'The ledger was moved, but that schema does not hold it.',
        'If the database was lost, put its latest backup back.',
      );
    await client.query("DELETE FROM fact WHERE name = 'arriving' AND value = $1", [this.#id]);
  }

  async close(): Promise<void> {
    await this.client.end().catch(() => undefined);
  }

  /** Held until the connection ends. */
  async #takeTurn(): Promise<void> {
    const until = performance.now() + TURN_MS;
    while (!(await this.#tryTurn())) {
      if (performance.now() > until)
        throw new TumaError('busy', {
          message: 'Another process moves a ledger into that schema of Postgres.',
          where: placeOf(this.#address),
        });
      await sleep(LOOK_MS);
    }
  }

  async #tryTurn(): Promise<boolean> {
    const { rows } = await this.client.query<{ mine: boolean }>(
      "SELECT pg_try_advisory_lock(hashtextextended('tuma move ' || $1, 0)) AS mine",
      [this.#address.schema],
    );
    return rows[0]?.mine === true;
  }

  #refusal(message: string, hint: string): TumaError {
    return new TumaError('state_forbids', { message, hint, where: placeOf(this.#address) });
  }
}
