import { Client } from 'pg';
import { test } from 'vitest';
import { READS } from '../../../src/ledger/postgres/values.ts';
import { PostgresConnection } from '../../../src/ledger/postgres/postgres-connection.ts';
import { postgresAddress } from '../../../src/ledger/postgres/address.ts';
import { openPostgresHere, openPostgresReaderHere } from '../../support/ledger-here.ts';
import { CountedBehind } from '../../support/sql-behind.ts';
import { postgresForTests } from '../../support/postgres.ts';
import { type ContractGroup, ledgerContract } from '../contract.ts';

/** Holds Postgres to a group of the contract. Its one schema is emptied behind each test, which is faster than a new one. */
export async function onPostgres(group: ContractGroup): Promise<void> {
  const place = await postgresForTests();
  if (place === null) return test.skip('there is no Postgres to try');
  const address = postgresAddress(place.url, null);
  ledgerContract('Postgres', group, async () => {
    const ledger = await openPostgresHere(address);
    const behind = new Client({ connectionString: place.url });
    await behind.connect();
    await behind.query(`SET search_path = ${place.schema}`);
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
      tables: () => tablesOf(behind),
      async close() {
        await ledger.close();
        const filled = (await tablesOf(behind)).filter((name) => !['fact', 'transition'].includes(name));
        await behind.query(`TRUNCATE ${filled.map((name) => `"${name}"`).join(', ')} RESTART IDENTITY`);
        await behind.end();
      },
    };
  });
}

async function tablesOf(client: Client): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(
    'SELECT tablename AS name FROM pg_tables WHERE schemaname = current_schema()',
  );
  return rows.map(({ name }) => name);
}

/** `sql` of a test has no parameters; a test's own values need no protection. */
function withValues(text: string, values: readonly (string | number | null)[]): string {
  let next = 0;
  return text.replaceAll('?', () => {
    const value = values[next++];
    return typeof value === 'string' ? `'${value.replaceAll("'", "''")}'` : String(value ?? null);
  });
}
