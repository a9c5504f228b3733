import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { type OpenLedger, World } from '../ledger/contract-world.ts';
import { openPostgresHere, openPostgresReaderHere } from '../support/ledger-here.ts';
import { findPrograms, type PostgresPrograms } from '../support/postgres/programs.ts';
import { type PostgresServer, startPostgres } from '../support/postgres/server.ts';
import { addressOn } from './commit-proxy.ts';

const programs = findPrograms() as PostgresPrograms;

test.skipIf(typeof programs === 'string')(
  'a host without a note of its claims notices that Postgres went on as a copy, until a person decides [D9]',
  async () => {
    const server = await startPostgres(programs, { durable: true });
    onTestFinished(() => server.end());
    const address = addressOn(server.url, 'tuma');
    const living = await openPostgresHere(address);
    onTestFinished(() => living.close());
    const world = new World({ ledger: living } as unknown as OpenLedger);
    world.now = Date.now();
    const campaign = await world.launch(30);
    const worker = await world.worker();
    const lease = await world.lease(worker);
    expect((await world.claim(lease, worker, { limit: 2 })).messages).toHaveLength(2);

    await failOver(server);
    const copy = { code: 'ledger_behind', message: expect.stringContaining('copy of itself') };
    await expect(world.claim(lease, worker)).rejects.toMatchObject(copy);
    const fresh = await openPostgresHere(address);
    onTestFinished(() => fresh.close());
    expect(await fresh.behind(world.now)).toMatchObject({ isCopy: true, open: [{ queued: 28 }] });
    await expect(world.launch(1)).rejects.toMatchObject(copy);

    expect(await fresh.acceptCopy(world.operator)).toBe(true);
    expect(await fresh.acceptCopy(world.operator)).toBe(false);
    expect((await world.claim(lease, worker, { limit: 2 })).messages).toHaveLength(2);

    await failOver(server);
    await expect(world.claim(lease, worker)).rejects.toMatchObject(copy);
    // Also what this worker had claimed: its note proves nothing in a copy.
    expect(await fresh.acceptLoss(world.operator)).toBe(30);
    expect(await fresh.behind(world.now)).toBeNull();
    const reader = await openPostgresReaderHere(address);
    expect(await reader.violations(campaign.n)).toEqual([]);
    await reader.close();
  },
);

/** The same files go on in a history of their own, as a replica does that has every commit. */
async function failOver(server: PostgresServer): Promise<void> {
  await server.signal('SIGINT');
  const signal = join(server.data, 'standby.signal');
  writeFileSync(signal, '');
  chmodSync(signal, 0o666);
  await server.start();
  const client = new Client({ connectionString: server.url });
  await client.connect();
  await client.query('SELECT pg_promote()');
  await client.end();
}
