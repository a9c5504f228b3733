import { spawnSync } from 'node:child_process';
import { chownSync, mkdtempSync, rmSync, statfsSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { PostgresAddress } from '../../src/ledger/postgres/address.ts';
import { type OpenLedger, sent, World } from '../ledger/contract-world.ts';
import { openPostgresHere, openPostgresReaderHere } from '../support/ledger-here.ts';
import { findPrograms, type PostgresPrograms } from '../support/postgres/programs.ts';
import { type PostgresServer, startPostgres } from '../support/postgres/server.ts';
import { waitFor } from '../support/wait-for.ts';
import { addressOn } from './commit-proxy.ts';

/* A Postgres that is there and refuses to work: its disk is full, it has no connection left, or a person interferes. */

const programs = findPrograms() as PostgresPrograms;
const none = typeof programs === 'string';
if (none) console.log(`A Postgres in trouble is not tried: ${String(programs)}`);
const CONNECTIONS = 8;

describe.skipIf(none)('a Postgres in trouble', () => {
  let server: PostgresServer;
  let admin: Client;
  beforeAll(async () => {
    const settings = { max_connections: String(CONNECTIONS), superuser_reserved_connections: '0' };
    server = await startPostgres(programs, { durable: true, settings });
    admin = await session();
  });
  const disks: string[] = [];
  afterAll(async () => {
    await admin.end();
    await server.end();
    for (const folder of disks) {
      // Its processes end a moment later.
      spawnSync('umount', ['--lazy', folder]);
      rmSync(folder, { recursive: true });
    }
  });

  async function session(): Promise<Client> {
    const client = new Client({ connectionString: server.url });
    client.on('error', () => undefined);
    await client.connect();
    return client;
  }

  async function sql(text: string): Promise<Record<string, unknown>[]> {
    return (await admin.query<Record<string, unknown>>(text)).rows;
  }

  /** A campaign in a ledger of its own, with two messages that are on the wire. */
  async function sending(schema: string) {
    const address = addressOn(server.url, schema);
    const ledger = await openPostgresHere(address);
    const world = new World({ ledger } as unknown as OpenLedger);
    const campaign = await world.launch(10);
    const worker = await world.worker();
    const lease = await world.lease(worker);
    const { messages } = await world.claim(lease, worker, { limit: 2 });
    const outcomes = messages.map((message) => sent(campaign, message));
    return { address, ledger, world, worker, lease, outcomes };
  }

  async function isWhole(address: PostgresAddress): Promise<void> {
    const reader = await openPostgresReaderHere(address);
    expect(await reader.violations(null)).toEqual([]);
    await reader.close();
  }

  /** Another session's table lock, and the transaction of the writer that waits for it. */
  async function holding(table: string) {
    const holder = await session();
    await holder.query(`BEGIN; LOCK TABLE ${table}`);
    const waiting = `SELECT pid, xact_start::text AS begun FROM pg_stat_activity
      WHERE application_name = 'tuma write' AND wait_event_type = 'Lock' AND state = 'active'`;
    return {
      /** Waits for one that is not `other`. */
      waiter: (other?: Record<string, unknown>) =>
        waitFor(async () => (await sql(waiting)).find(({ begun }) => begun !== other?.['begun']), {
          what: 'the writer to wait',
        }),
      letGo: () => holder.end(),
    };
  }

  it.each([
    ['a statement that a person cancels', 'pg_cancel_backend'],
    ['a session that a person ends', 'pg_terminate_backend'],
  ])(
    '%s in the middle of a group runs the group again, and does nothing twice [D12]',
    async (_, interfere) => {
      const schema = interfere.slice('pg_'.length);
      const { address, ledger, world, worker, lease, outcomes } = await sending(schema);
      const held = await holding(`${schema}.campaign`);
      const recording = world.record(worker, outcomes);
      const claiming = world.claim(lease, worker, { limit: 3, fromSeq: 3 });
      const first = await held.waiter();
      await sql(`SELECT ${interfere}(${Number(first['pid'])})`);
      await held.waiter(first);
      await held.letGo();
      expect(await recording).toEqual(['recorded', 'recorded']);
      expect((await claiming).messages.map(({ seq, attempt }) => [seq, attempt])).toEqual([
        [3, 1],
        [4, 1],
        [5, 1],
      ]);
      await isWhole(address);
      await ledger.close();
    },
  );

  it('a lock that is held for longer than one may wait is waited for again [D12]', async () => {
    const { address, ledger, world, worker, outcomes } = await sending('locked');
    const held = await holding('locked.campaign');
    const recording = world.record(worker, outcomes);
    await held.waiter(await held.waiter());
    await held.letGo();
    expect(await recording).toEqual(['recorded', 'recorded']);
    await isWhole(address);
    await ledger.close();
  });

  it('a worker that gets no connection waits for one [D12]', async () => {
    const { address, ledger, world, worker, lease, outcomes } = await sending('crowded');
    const others: Client[] = [];
    const [writer] = await sql("SELECT pid FROM pg_stat_activity WHERE application_name = 'tuma write'");
    for (;;) {
      const other = await session().catch(() => null);
      if (other === null) break;
      others.push(other);
    }
    await sql(`SELECT pg_terminate_backend(${Number(writer?.['pid'])})`);
    // Before the writer is back, another one takes its place.
    others.push(await waitFor(session, { what: 'the place of the writer' }));
    let isDone = false;
    const recording = world.record(worker, outcomes).finally(() => (isDone = true));
    await expect(openPostgresReaderHere(address)).rejects.toMatchObject({
      code: 'database_unreachable',
      message: expect.stringContaining('no more connections'),
    });
    expect(isDone).toBe(false);
    for (const other of others) await other.end();
    expect(await recording).toEqual(['recorded', 'recorded']);
    expect((await world.claim(lease, worker, { limit: 2, fromSeq: 3 })).messages).toHaveLength(2);
    await isWhole(address);
    await ledger.close();
  });

  it('a full disk loses no verdict: it waits for room, and the rest is refused [D2]', async ({ skip }) => {
    const disk = smallDisk();
    if (disk === null) {
      skip('no file system can be mounted here');
      return;
    }
    await sql(`CREATE TABLESPACE small LOCATION '${disk.folder}'`);
    await sql('ALTER ROLE tuma SET default_tablespace = small');
    const { address, ledger, world, worker, lease, outcomes } = await sending('full');
    disk.fill();
    const full = { code: 'ledger_full', message: 'The disk of the database is full.' };
    const body = Buffer.from(Array.from({ length: 60_000 }, (_, at) => (at * at * 7919) % 251));
    const webhook = {
      receivedAt: world.now,
      method: 'POST',
      contentType: 'text/plain',
      query: '',
      body,
      ip: '127.0.0.1',
    };
    const storing = async () => {
      for (let nth = 0; ; nth += 1) await ledger.storeWebhook({ ...webhook, query: `nth=${nth}` });
    };
    await expect(storing()).rejects.toMatchObject(full);
    let isDone = false;
    const evidence = { httpStatus: 200, code: null, raw: body.toString('base64') };
    const recording = world
      .record(
        worker,
        outcomes.map((outcome) => ({ ...outcome, evidence })),
      )
      .finally(() => (isDone = true));
    await expect(ledger.storeWebhook({ ...webhook, query: 'again' })).rejects.toMatchObject(full);
    expect(isDone).toBe(false);

    disk.empty();
    expect(await recording).toEqual(['recorded', 'recorded']);
    await ledger.storeWebhook({ ...webhook, query: 'again' });
    expect((await world.claim(lease, worker, { limit: 2, fromSeq: 3 })).messages).toHaveLength(2);
    await isWhole(address);
    await ledger.close();
    await sql('ALTER ROLE tuma RESET default_tablespace');
    await sql('DROP SCHEMA "full" CASCADE');
    await sql('DROP TABLESPACE small');
  });

  /** A file system of its own that this server may write to. Null: only root may mount one, and not in every container. */
  function smallDisk() {
    const folder = mkdtempSync('/tmp/tuma-small-disk-');
    disks.push(folder);
    if (spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=24m', 'tuma', folder]).status !== 0) return null;
    const { uid, gid } = statSync(server.data);
    chownSync(folder, uid, gid);
    const filler = join(folder, 'filler');
    return {
      folder,
      fill() {
        const { bavail, bsize } = statfsSync(folder);
        writeFileSync(filler, Buffer.alloc(bavail * bsize));
      },
      empty: () => rmSync(filler),
    };
  }
});
