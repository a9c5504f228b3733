import { Client } from 'pg';
import { type PostgresAddress, postgresAddress } from '../../src/ledger/postgres/address.ts';
import { connect, type Server } from '../../src/ledger/postgres/connect.ts';
import { History } from '../../src/ledger/postgres/history.ts';
import { PostgresConnection } from '../../src/ledger/postgres/postgres-connection.ts';
import { postgresEngine } from '../../src/ledger/postgres/postgres-engine.ts';
import { postgresLedgerOver } from '../../src/ledger/postgres/postgres-ledger.ts';
import { migratePostgres, storedSchema } from '../../src/ledger/postgres/postgres-schema.ts';
import { PostgresTransactions } from '../../src/ledger/postgres/postgres-transactions.ts';
import { type PostgresForTests, postgresForTests } from '../support/postgres.ts';
import type { SimDatabase, SimEngine, SimSession } from './sim-database.ts';

/**
 * Worlds whose ledgers are on Postgres, one after the other in one schema: to empty it is faster than to make one. Each process
 * of a world has its own session there. Null: there is none to try.
 */
export async function postgresForWorlds(): Promise<SimEngine | null> {
  const place = await postgresForTests();
  if (place === null) return null;
  const address = postgresAddress(place.url, null);
  const { client, history } = await connect(address, 'write');
  const ledgerId = await migratePostgres(client, address.schema);
  // Else the first process of each world would note it.
  await client.query("INSERT INTO fact (name, value) VALUES ('history', $1)", [history]);
  const schema = await storedSchema(client, address.schema);
  await client.end();
  await place.sql('SET client_min_messages = warning');
  const putEmpty = await copyTables(place, 'empty');
  const database = async (): Promise<SimDatabase> => {
    await putEmpty();
    const { client: looking, version } = await connect(address, 'read');
    const look = new PostgresConnection(looking);
    const engine = postgresEngine({ connection: look, address, version });
    return {
      look,
      // No world changes it, and to make another one for the comparison takes longer than a small world.
      engine: { ...engine, schema: () => ({ stored: schema, wanted: schema }) },
      open: () => open(address, ledgerId),
      copy: () => copyTables(place, 'copy'),
      close: () => looking.end(),
    };
  };
  return { name: 'postgres', database };
}

/** It connects at its first transaction, as after a lost connection. */
function open(address: PostgresAddress, ledgerId: string): SimSession {
  const client = new Client();
  const connection = new CountingConnection(client);
  const never: Server = { client, isEnded: () => true, backend: 0, history: '', version: '', now: 0 };
  // Without the server's clock: time is virtual.
  const transactions = new PostgresTransactions(never, { address, connection, ledgerId, clock: undefined });
  const schemaVersion = () => transactions.schemaVersion;
  const engine = postgresEngine({ connection, address, version: '', schemaVersion });
  return {
    connection,
    transactions,
    engine,
    copy: new History(connection, transactions),
    changes: () => connection.changes,
    ledgerOver: postgresLedgerOver,
  };
}

/** Counts the rows that statements change. */
class CountingConnection extends PostgresConnection {
  changes = 0;

  override get client(): Client {
    const client = super.client;
    const query = async (asked: string) => {
      const answer = await client.query(asked);
      if (answer.command !== 'SELECT') this.changes += answer.rowCount ?? 0;
      return answer;
    };
    return { query, connection: Reflect.get(client, 'connection') } as unknown as Client;
  }
}

const COLUMNS = `
  SELECT c.relname AS table, string_agg('"' || a.attname || '"', ', ') AS columns,
    max(pg_get_serial_sequence(c.relname, a.attname)) AS sequence
  FROM pg_class AS c JOIN pg_attribute AS a ON a.attrelid = c.oid AND a.attnum > 0 AND a.attgenerated = ''
  WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind = 'r' AND NOT a.attisdropped
  GROUP BY c.relname`;

interface Table {
  table: string;
  columns: string;
  /** What numbers its rows. */
  sequence: string | null;
}

/** Copies all tables into others of this session. What it answers puts them back as they were, the next numbers too. */
async function copyTables(place: PostgresForTests, name: string): Promise<() => Promise<void>> {
  const tables = (await place.sql(COLUMNS)) as unknown as Table[];
  const back = [`TRUNCATE ${tables.map(({ table }) => `"${table}"`).join(', ')} RESTART IDENTITY`];
  for (const { table, columns, sequence } of tables) {
    const copy = `pg_temp."${name}_${table}"`;
    await place.sql(`DROP TABLE IF EXISTS ${copy}; CREATE TABLE ${copy} AS TABLE "${table}"`);
    const [of] = await place.sql(`SELECT count(*) AS rows FROM ${copy}`);
    if (of?.['rows'] !== 0) back.push(`INSERT INTO "${table}" (${columns}) SELECT ${columns} FROM ${copy}`);
    if (sequence === null) continue;
    const [next] = await place.sql(`SELECT last_value AS value, is_called AS used FROM ${sequence}`);
    back.push(`SELECT setval('${sequence}', ${Number(next?.['value'])}, ${String(next?.['used'])})`);
  }
  // As a dump does: no trigger judges rows that are put back.
  const whole = ['BEGIN', 'SET LOCAL session_replication_role = replica', ...back, 'COMMIT'];
  return async () => void (await place.sql(whole.join(';\n')));
}
