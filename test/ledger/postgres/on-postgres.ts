import { Client } from 'pg';
import { test } from 'vitest';
import { postgresAddress } from '../../../src/ledger/postgres/address.ts';
import { READS } from '../../../src/ledger/postgres/values.ts';
import { openPostgresHere, openPostgresReaderHere } from '../../support/ledger-here.ts';
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
    return {
      ledger,
      another: () => openPostgresHere(address),
      reader: () => openPostgresReaderHere(address),
      sql: async (text, values = []) =>
        (await behind.query({ text: withValues(text, values), types: READS })).rows,
      tables: async () => {
        const { rows } = await behind.query<{ name: string }>(
          'SELECT tablename AS name FROM pg_tables WHERE schemaname = current_schema()',
        );
        return rows.map(({ name }) => name);
      },
      async close() {
        await ledger.close();
        await behind.query(await emptying(behind, place.schema));
        await behind.end();
      },
    };
  });
}

/** All tables but those that the migration fills. */
async function emptying(client: Client, schema: string): Promise<string> {
  const { rows } = await client.query<{ names: string }>(
    `SELECT string_agg(quote_ident(tablename), ', ') AS names FROM pg_tables
     WHERE schemaname = $1 AND tablename NOT IN ('fact', 'transition')`,
    [schema],
  );
  return `TRUNCATE ${String(rows[0]?.names)} RESTART IDENTITY`;
}

/** A test's own values need no protection. */
function withValues(text: string, values: readonly (string | number | null)[]): string {
  let next = 0;
  return text.replaceAll('?', () => {
    const value = values[next++];
    return typeof value === 'string' ? `'${value.replaceAll("'", "''")}'` : String(value ?? null);
  });
}
