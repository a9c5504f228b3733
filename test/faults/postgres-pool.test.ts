import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { postgresAddress } from '../../src/ledger/postgres/address.ts';
import { connect } from '../../src/ledger/postgres/connect.ts';
import { PostgresConnection } from '../../src/ledger/postgres/postgres-connection.ts';
import { postgresSnapshots, PostgresTransactions } from '../../src/ledger/postgres/postgres-transactions.ts';
import { type OpenLedger, sent, World } from '../ledger/contract-world.ts';
import { openPostgresHere, openPostgresReaderHere } from '../support/ledger-here.ts';
import { findPrograms, type PostgresPrograms } from '../support/postgres/programs.ts';
import { type PostgresServer, startPostgres } from '../support/postgres/server.ts';
import { hasPgBouncer, startPgBouncer, startPool } from './pooling-proxy.ts';

/* A proxy that pools sessions between Tuma and Postgres. */

const programs = findPrograms() as PostgresPrograms;
const none = typeof programs === 'string';
if (none) console.log(`Pooling proxies are not tried on Postgres: ${String(programs)}`);
const hasReal = !none && hasPgBouncer();
if (!none && !hasReal) console.log('There is no pgbouncer here: only a proxy of the tests pools sessions.');

const REFUSED = {
  code: 'database_refused',
  message: 'Between this machine and Postgres stands a proxy that gives each transaction another session.',
  hint: expect.stringContaining('pool_mode = session'),
};

describe.skipIf(none)('a proxy that gives each transaction another session', () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await startPostgres(programs);
  });
  afterAll(() => server.end());

  describe.each([
    ['pgbouncer', hasReal, (url: string) => startPgBouncer(url, 'transaction')],
    ['a proxy of the tests', true, startPool],
  ] as const)('as %s', (_, isThere, start) => {
    it.skipIf(!isThere)('is refused at opening, also by one who is alone, and changes nothing', async () => {
      const address = postgresAddress(await start(server.url), null);
      await expect(openPostgresHere(address)).rejects.toMatchObject(REFUSED);
      await expect(openPostgresReaderHere(address)).rejects.toMatchObject(REFUSED);
      const direct = new Client({ connectionString: server.url });
      await direct.connect();
      const { rows } = await direct.query("SELECT nspname FROM pg_namespace WHERE nspname = 'tuma'");
      expect(rows).toEqual([]);
      await direct.end();
    });

    it.skipIf(!isThere)('is refused at the first transaction that meets another session', async () => {
      const address = postgresAddress(await start(server.url), null);
      const opened = await connect(address, 'write');
      const connection = new PostgresConnection(opened.client);
      const parts = { address, connection, ledgerId: 'pooled', clock: undefined };
      const transactions = new PostgresTransactions(opened, parts);
      const snapshots = postgresSnapshots(opened, { connection, address });
      // Its transaction takes the session that was used last.
      const other = new Client({ connectionString: address.url });
      await other.connect();
      await other.query(
        'CREATE SCHEMA IF NOT EXISTS tuma; CREATE TABLE IF NOT EXISTS tuma.fact (name text, value text)',
      );
      await other.query('BEGIN');
      await expect(snapshots.begin()).rejects.toMatchObject(REFUSED);
      await snapshots.end();
      await expect(transactions.begin(true)).rejects.toMatchObject(REFUSED);
      expect(transactions.isOpen()).toBe(false);
      await other.query('DROP SCHEMA tuma CASCADE; COMMIT');
      await other.end();
      await transactions.close();
    });
  });
});

describe.skipIf(!hasReal)('pgbouncer that gives each connection a session', () => {
  it('carries a campaign', async () => {
    const server = await startPostgres(programs);
    const address = postgresAddress(await startPgBouncer(server.url, 'session'), null);
    const ledger = await openPostgresHere(address);
    const world = new World({ ledger } as unknown as OpenLedger);
    const campaign = await world.launch(20);
    const worker = await world.worker();
    const { messages } = await world.claim(await world.lease(worker), worker);
    const outcomes = messages.map((message) => sent(campaign, message));
    expect(await world.record(worker, outcomes)).toEqual(messages.map(() => 'recorded'));
    const reader = await openPostgresReaderHere(address);
    expect(await reader.violations(null)).toEqual([]);
    await reader.close();
    await ledger.close();
    await server.end();
  });
});
