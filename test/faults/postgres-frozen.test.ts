import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { connect, type Server } from '../../src/ledger/postgres/connect.ts';
import { PostgresConnection } from '../../src/ledger/postgres/postgres-connection.ts';
import { ConnectionLost } from '../../src/ledger/postgres/postgres-errors.ts';
import { PostgresTransactions } from '../../src/ledger/postgres/postgres-transactions.ts';
import { findPrograms, type PostgresPrograms } from '../support/postgres/programs.ts';
import { type PostgresServer, startPostgres } from '../support/postgres/server.ts';
import { addressOn } from './commit-proxy.ts';

/* A machine that freezes inside a transaction holds the ledger's lock: the server ends it, and the others go on. */

const programs = findPrograms() as PostgresPrograms;
const none = typeof programs === 'string';
if (none) console.log(`Frozen writers are not tried on Postgres: ${String(programs)}`);

describe.skipIf(none)('a writer that says nothing more inside a transaction on Postgres', () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await startPostgres(programs, { durable: true });
  });
  afterAll(() => server.end());

  const open = async (): Promise<{ opened: Server; transactions: PostgresTransactions }> => {
    const address = addressOn(server.url, 'frozen');
    const opened = await connect(address, 'write');
    const connection = new PostgresConnection(opened.client);
    const parts = { address, connection, ledgerId: 'frozen', reconnected: () => undefined, clock: undefined };
    return { opened, transactions: new PostgresTransactions(opened, parts) };
  };

  it('is undone, and the next writer gets the lock', async () => {
    const [frozen, next] = [await open(), await open()];
    await next.opened.client.query(`CREATE SCHEMA frozen; CREATE TABLE fact (name text, value text);
      INSERT INTO fact VALUES ('schema_version', '1'); CREATE TABLE row (n int)`);
    await frozen.transactions.begin(true);
    await frozen.opened.client.query('INSERT INTO row VALUES (1)');

    // A wait for the lock ends with a fault first where both limits are equal; the group runs again then.
    await next.transactions.begin(true).catch(() => next.transactions.begin(true));
    await next.opened.client.query('INSERT INTO row VALUES (2)');
    await next.transactions.commit();
    await expect(frozen.transactions.commit()).rejects.toBeInstanceOf(ConnectionLost);
    expect((await next.opened.client.query('SELECT n FROM row')).rows).toEqual([{ n: 2 }]);
    await frozen.transactions.close();
    await next.transactions.close();
  });
});
