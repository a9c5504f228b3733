import { join } from 'node:path';
import { Client } from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { type OpenLedger, sent, World } from '../ledger/contract-world.ts';
import { openPostgresHere, openPostgresReaderHere } from '../support/ledger-here.ts';
import { findPrograms, type PostgresPrograms } from '../support/postgres/programs.ts';
import { startPostgres } from '../support/postgres/server.ts';
import { makeTempDir } from '../support/temp-home.ts';
import { waitFor } from '../support/wait-for.ts';
import { addressOn, startCommitProxy } from './commit-proxy.ts';
import { startProxy } from './proxy.ts';

/* A failover to a streaming replica that lacks the last commits: what it holds as queued has been sent. */

const programs = findPrograms() as PostgresPrograms;

async function ask(url: string, sql: string): Promise<Record<string, unknown>[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query<Record<string, unknown>>(sql);
  await client.end();
  return rows;
}

test.skipIf(typeof programs === 'string')(
  'a worker that lives through a failover to a replica that lags waits for it, and then claims nothing [D9 D12]',
  async () => {
    const primary = await startPostgres(programs, { durable: true });
    onTestFinished(() => primary.end());
    const stream = await startProxy(Number(new URL(primary.url).port));
    const throughStream = new URL(primary.url);
    throughStream.port = String(stream.port);
    const follows = { server: primary, url: throughStream.href };
    const replica = await startPostgres(programs, { durable: true, follows });
    onTestFinished(() => replica.end());
    // The name that a manager of failovers moves.
    const name = await startCommitProxy(primary.url);
    const ledger = await openPostgresHere(addressOn(name.url, 'tuma'), join(makeTempDir(), 'state', 'tuma'));
    onTestFinished(() => ledger.close());
    const world = new World({ ledger } as unknown as OpenLedger);
    world.now = Date.now();
    const campaign = await world.launch(30, { settings: { batchSize: 30 } });
    const worker = await world.worker();
    const lease = await world.lease(worker);
    const known = (await world.claim(lease, worker, { limit: 10 })).messages;
    const [{ at }] = (await ask(primary.url, 'SELECT pg_current_wal_lsn()::text AS at')) as [{ at: string }];
    const replayed = `SELECT pg_last_wal_replay_lsn() >= '${at}'::pg_lsn AS is`;
    await waitFor(async () => (await ask(replica.url, replayed))[0]?.['is'], {
      what: 'the replica to have it all',
    });

    await stream.refuse();
    const lost = (await world.claim(lease, worker, { limit: 10, fromSeq: 11 })).messages;
    expect(lost.map(({ seq }) => seq)).toEqual([11, 12, 13, 14, 15, 16, 17, 18, 19, 20]);
    await primary.signal('SIGKILL');
    name.refuse();
    name.accept(replica.url);

    // It only follows so far, so answers wait. What it knows of is recorded once it has taken over.
    let hasRecorded = false;
    const outcomes = [...known, ...lost].map((message) => sent(campaign, message));
    const recording = world.record(worker, outcomes).finally(() => (hasRecorded = true));
    const onReplica = { message: expect.stringContaining('only follows another one') };
    await expect(openPostgresReaderHere(addressOn(name.url, 'tuma'))).rejects.toMatchObject(onReplica);
    expect(hasRecorded).toBe(false);
    await ask(replica.url, 'SELECT pg_promote()');
    expect(await recording).toEqual([...known.map(() => 'recorded'), ...lost.map(() => 'stale')]);

    const behind = { code: 'ledger_behind' };
    await expect(world.claim(lease, worker, { fromSeq: 11 })).rejects.toMatchObject(behind);
    await expect(world.launch(1)).rejects.toMatchObject(behind);
    expect(await ledger.behind(world.now)).toMatchObject({ made: 20, known: 10, isCopy: true });
    expect(await ledger.acceptCopy(world.operator)).toBe(false);
    expect(await ledger.acceptLoss(world.operator)).toBe(20);
    const reader = await openPostgresReaderHere(addressOn(name.url, 'tuma'));
    expect(await reader.violations(campaign.n)).toEqual([]);
    await reader.close();
  },
);
