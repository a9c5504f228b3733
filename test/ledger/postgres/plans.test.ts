import { describe, expect, it, onTestFinished } from 'vitest';
import { postgresAddress } from '../../../src/ledger/postgres/address.ts';
import { connect } from '../../../src/ledger/postgres/connect.ts';
import { PostgresConnection } from '../../../src/ledger/postgres/postgres-connection.ts';
import {
  postgresSnapshots,
  PostgresTransactions,
} from '../../../src/ledger/postgres/postgres-transactions.ts';
import { postgresForTests } from '../../support/postgres.ts';
import { waitFor } from '../../support/wait-for.ts';

/* Postgres would keep a plan that was made for an empty table: 70,000 reports came faster than they were read. */

const postgres = await postgresForTests();
const TABLES = `
  CREATE TABLE IF NOT EXISTS fact (name text PRIMARY KEY, value text);
  DROP TABLE IF EXISTS grown;
  CREATE TABLE grown (id bigint PRIMARY KEY, text text)`;
const rows = (first: number, last: number) =>
  `INSERT INTO grown SELECT n, 'text' FROM generate_series(${first}, ${last}) AS n`;

describe.skipIf(postgres === null)('a statement on Postgres', () => {
  it.each(['write', 'read'] as const)(
    'that was planned for a small table has another plan soon after it has grown (%s)',
    async (purpose) => {
      await postgres?.sql(TABLES);
      const address = postgresAddress(postgres?.url ?? '', null);
      const server = await connect(address, purpose);
      onTestFinished(() => server.client.end());
      const connection = new PostgresConnection(server.client);
      const ends = { address, connection, ledgerId: 'of the plans', clock: undefined };
      const writing = new PostgresTransactions(server, ends);
      const reading = postgresSnapshots(server, ends);
      /** The plan that the statement has in a new transaction. */
      const plan = async () => {
        await (purpose === 'write' ? writing.begin(true) : reading.begin());
        const explained = await server.client.query<Record<string, string>>('EXPLAIN EXECUTE one (1)');
        await (purpose === 'write' ? writing.rollback() : reading.end());
        return explained.rows[0]?.['QUERY PLAN'];
      };
      await server.client.query('PREPARE one AS SELECT text FROM grown WHERE id = $1');
      await postgres?.sql(`${rows(1, 10)}; ANALYZE grown`);
      expect(await plan()).toContain('Seq Scan');
      await postgres?.sql(rows(11, 10_000));
      await waitFor(async () => (await plan())?.includes('Index Scan'), { what: 'another plan' });
    },
  );
});
