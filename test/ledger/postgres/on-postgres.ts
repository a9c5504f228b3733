import { Client } from 'pg';
import { test } from 'vitest';
import { READS } from '../../../src/ledger/postgres/values.ts';
import { PostgresConnection } from '../../../src/ledger/postgres/postgres-connection.ts';
import { postgresAddress } from '../../../src/ledger/postgres/address.ts';
import { openPostgresHere, openPostgresReaderHere } from '../../support/ledger-here.ts';
import { CountedBehind } from '../../support/sql-behind.ts';
import { postgresForTests } from '../../support/postgres.ts';
import { type ContractGroup, ledgerContract } from '../contract.ts';

/** Holds Postgres to a group of the contract, a new schema for each test. Without a Postgres it says so. */
export async function onPostgres(group: ContractGroup): Promise<void> {
  const first = await postgresForTests();
  if (first === null) return test.skip('there is no Postgres to try');
  ledgerContract('Postgres', group, async () => {
    const schema = await postgresForTests();
    if (schema === null) throw new Error('the Postgres of this run is gone');
    const address = postgresAddress(`${schema.url}&schema=${schema.schema}`, null);
    const ledger = await openPostgresHere(address);
    const behind = new Client({ connectionString: schema.url });
    await behind.connect();
    await behind.query(`SET search_path = ${schema.schema}`);
    const counted = new CountedBehind(new PostgresConnection(behind));
    return {
      ledger,
      another: () => openPostgresHere(address),
      reader: () => openPostgresReaderHere(address),
      async sql(text, values = []) {
        const query = async () =>
          (await behind.query<Record<string, unknown>>({ text: withValues(text, values), types: READS }))
            .rows;
        if (!/^\s*(?:UPDATE|INSERT|DELETE)\b/.test(text)) return await query();
        return await counted.change((each) => behind.query(each), query);
      },
      tables: async () => {
        const { rows } = await behind.query<{ name: string }>(
          'SELECT tablename AS name FROM pg_tables WHERE schemaname = current_schema()',
        );
        return rows.map(({ name }) => name);
      },
      async close() {
        await ledger.close();
        await behind.end();
        await schema.drop();
      },
    };
  });
}

/** `sql` of a test has no parameters; a test's own values need no protection. */
function withValues(text: string, values: readonly (string | number | null)[]): string {
  let next = 0;
  return text.replaceAll('?', () => {
    const value = values[next++];
    return typeof value === 'string' ? `'${value.replaceAll("'", "''")}'` : String(value ?? null);
  });
}
