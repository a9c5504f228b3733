import { cpSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { postgresAddress } from '../../src/ledger/postgres/address.ts';
import { World } from '../ledger/contract-world.ts';
import { never } from '../ledger/sqlite/older-ledger.ts';
import { openPostgresHere, openPostgresReaderHere } from '../support/ledger-here.ts';
import { findPrograms, type PostgresPrograms } from '../support/postgres/programs.ts';
import { startPostgres } from '../support/postgres/server.ts';
import { makeTempDir } from '../support/temp-home.ts';

/* A failover to a replica that lacks the last commits: what it holds as queued has been sent. */

const programs = findPrograms() as PostgresPrograms;

test.skipIf(typeof programs === 'string')(
  'a worker that lives through a failover to a replica that lags claims nothing [D9]',
  async () => {
    const server = await startPostgres(programs);
    onTestFinished(() => server.end());
    const address = postgresAddress(server.url, null);
    const ledger = await openPostgresHere(address, join(makeTempDir(), 'state', 'tuma'));
    onTestFinished(() => ledger.close());
    const reader = () => openPostgresReaderHere(address);
    const world = new World({ ledger, another: never, reader, sql: never, tables: never, close: never });
    world.now = Date.now();
    const claimNext = async () => {
      const worker = await world.worker();
      return (await world.claim(await world.lease(worker), worker)).messages.length;
    };
    await world.launch(30, { settings: { batchSize: 10 } });
    expect(await claimNext()).toBe(10);

    // The replica has what is there now, and then receives no more.
    const replica = `${server.data}-replica`;
    await server.signal('SIGINT');
    cpSync(server.data, replica, { recursive: true, preserveTimestamps: true });
    await server.start();
    expect(await claimNext()).toBe(10);

    await server.signal('SIGKILL');
    rmSync(server.data, { recursive: true });
    cpSync(replica, server.data, { recursive: true });
    writeFileSync(join(server.data, 'standby.signal'), '');
    server.own();
    await server.start();
    const promoting = new Client({ connectionString: server.url });
    await promoting.connect();
    await promoting.query('SELECT pg_promote()');
    await promoting.end();
    await expect(claimNext()).rejects.toMatchObject({ code: 'ledger_behind' });
  },
);
