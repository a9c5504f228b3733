import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { DatabaseSync } from 'node:sqlite';
import { Client } from 'pg';
import { afterEach, describe, expect, it } from 'vitest';
import type { LedgerMove, MoveProgress } from '../../../src/ledger/contracts/ledger-move.ts';
import { compareTables } from '../../../src/ledger/move/compare-tables.ts';
import { openMove } from '../../../src/ledger/move/move-ledger.ts';
import { tablesOf } from '../../../src/ledger/move/tables.ts';
import { postgresAddress } from '../../../src/ledger/postgres/address.ts';
import { LEDGERS_HERE, openPostgresHere, openPostgresReaderHere } from '../../support/ledger-here.ts';
import { LedgerStory } from '../../support/ledger-story.ts';
import { liveIn } from '../../support/lived-in-home.ts';
import { type PostgresForTests, postgresForTests } from '../../support/postgres.ts';
import { makeTempDir } from '../../support/temp-home.ts';
import { waitFor } from '../../support/wait-for.ts';

const QUIET = { info: () => undefined, warn: () => undefined, error: () => undefined };
const GOES_ON = new AbortController().signal;
const nobody: MoveProgress = () => undefined;
const WEBHOOK = { method: 'POST', contentType: 'text/plain', query: '', ip: '127.0.0.1' };

const isThere = (await postgresForTests()) !== null;
const moves: LedgerMove[] = [];
afterEach(async () => {
  for (const move of moves.splice(0)) await move.close();
});

describe.skipIf(!isThere)('a ledger moves from its file to Postgres', () => {
  it('has every row there, and goes on there alone', async () => {
    const { story } = await liveIn();
    await story.ledger.reap(story.worker, story.now);
    const target = await schema();
    const before = await story.reader();
    const { moved } = await moveAll(story, target);
    expect(moved.rows).toBe(await rowsIn(target, story.file));
    expect(moved.campaigns).toBeGreaterThan(4);

    const ledger = await openPostgresHere(addressOf(target), stateOf(story));
    const reader = await openPostgresReaderHere(addressOf(target));
    expect(await reader.violations(null)).toEqual([]);
    expect((await ledger.facts()).ledgerId).toBe(ledgerIdIn(story.file));
    expect(await ledger.behind(story.now)).toBeNull();
    // A new row gets a number of its own.
    const worker = await ledger.registerWorker(
      { bootId: 'b', pidNamespace: 'p', pid: 2, startTicks: '1', roles: 'worker' },
      story.now,
    );
    expect(worker).toBeGreaterThan(story.worker);
    await ledger.close();
    await reader.close();

    // Those who had the file open are refused, and those who come.
    const refusal = { code: 'ledger_moved', message: expect.stringContaining(target.schema) };
    const webhook = { ...WEBHOOK, receivedAt: story.now, body: Buffer.from('late') };
    await expect(story.ledger.storeWebhook(webhook)).rejects.toMatchObject(refusal);
    await expect(story.ledger.dueBatches({ now: story.now, perCampaign: 9 })).rejects.toMatchObject(refusal);
    await expect(before.campaigns()).rejects.toMatchObject(refusal);
    await expect(LEDGERS_HERE.write({ file: story.file })).rejects.toMatchObject(refusal);
    await expect(LEDGERS_HERE.read({ file: story.file })).rejects.toMatchObject(refusal);
  });

  it('sends nothing while it moves, takes the last verdicts, and goes on when that is taken back', async () => {
    const story = await LedgerStory.begin();
    const n = await story.launch({ messages: 4 });
    await story.claim();
    await story.record(n, { 1: { to: 'sent' } });
    const move = await moveOf(story, await schema());
    await move.begin();
    expect(move.sending()).toBe(3);
    const refusal = { code: 'ledger_moved', advice: { action: 'end_move' } };
    await expect(story.launch({ id: 'other', name: 'other' })).rejects.toMatchObject(refusal);
    const webhook = { ...WEBHOOK, receivedAt: story.now, body: Buffer.from('report') };
    await expect(story.ledger.storeWebhook(webhook)).rejects.toMatchObject(refusal);
    await expect(story.ledger.tryInbox(story.now)).rejects.toMatchObject(refusal);
    await expect(move.carryOver(nobody, GOES_ON)).rejects.toMatchObject({ code: 'state_forbids' });
    await story.record(n, { 2: { to: 'sent' }, 3: { to: 'queued' }, 4: { to: 'queued' } });
    await expect(story.ledger.claim(claimOf(story))).rejects.toMatchObject(refusal);

    await move.takeBack();
    await story.ledger.storeWebhook(webhook);
    story.now += 60_000;
    expect(await story.claim()).toEqual([3, 4]);
    await expect(move.takeBack()).rejects.toMatchObject({ code: 'state_forbids' });
    await expect(move.carryOver(nobody, GOES_ON)).rejects.toMatchObject({
      message: expect.stringContaining('took'),
    });
  });

  it('goes on after it was interrupted at each step, to the same target only', async () => {
    const story = await halfSent();
    const [target, other] = [await schema(), await schema()];
    await (await moveOf(story, target)).begin();
    const elsewhere = await moveOf(story, other);
    await expect(elsewhere.begin()).rejects.toMatchObject({ code: 'ledger_moved' });

    // The copy is whole, but nobody has compared it.
    await stopAt(story, target, 'copying');
    await stopAt(story, target, 'comparing');
    await expect(openPostgresHere(addressOf(target))).rejects.toMatchObject({ code: 'ledger_moved' });
    await expect(openPostgresReaderHere(addressOf(target))).rejects.toMatchObject({ code: 'ledger_moved' });
    await story.ledger.addOptOuts([], story.now);

    // Carried over, but not opened.
    const last = await moveOf(story, target);
    expect(await last.begin()).toBe('begun');
    await last.carryOver(nobody, GOES_ON);
    await expect(openPostgresHere(addressOf(target))).rejects.toMatchObject({ code: 'ledger_moved' });
    await expect(LEDGERS_HERE.write({ file: story.file })).rejects.toMatchObject({ code: 'ledger_moved' });
    await expect(last.takeBack()).rejects.toMatchObject({ code: 'ledger_moved' });
    await expect(elsewhere.begin()).rejects.toMatchObject({ code: 'ledger_moved' });

    const again = await moveOf(story, target);
    expect(await again.begin()).toBe('moved');
    await again.open();
    await again.open();
    await (await openPostgresHere(addressOf(target))).close();
  });

  it('waits for the session of a move that was killed, which ends its statement first', async () => {
    const story = await halfSent();
    const target = await schema();
    const key = `hashtextextended('tuma move ${target.schema}', 0)`;
    await target.sql(`SELECT pg_advisory_lock(${key})`);
    const move = await moveOf(story, target);
    const begun = move.begin();
    await expect(Promise.race([begun, sleep(400, 'waits')])).resolves.toBe('waits');
    await target.sql(`SELECT pg_advisory_unlock(${key})`);
    expect(await begun).toBe('begun');
    await move.takeBack();
  });

  it('is done by one of two who move it at once', async () => {
    const story = await halfSent();
    const target = await schema();
    const [one, two] = [await moveOf(story, target), await moveOf(story, target)];
    expect([await one.begin(), await two.begin()]).toEqual(['begun', 'begun']);
    await one.carryOver(nobody, GOES_ON);
    await expect(two.carryOver(nobody, GOES_ON)).rejects.toMatchObject({ code: 'ledger_moved' });
    await expect(two.takeBack()).rejects.toMatchObject({ code: 'ledger_moved' });
    expect(await two.begin()).toBe('moved');
    await two.open();
    await one.open();
  });

  it('never goes into a schema that holds another ledger, or what another move has left', async () => {
    const [story, stranger] = [await halfSent(), await halfSent()];
    const [used, begun] = [await schema(), await schema()];
    await (await openPostgresHere(addressOf(used))).close();
    const full = { code: 'state_forbids', message: 'That schema of Postgres holds a ledger already.' };
    await expect((await moveOf(story, used)).begin()).rejects.toMatchObject(full);
    await stopAt(stranger, begun, 'comparing');
    await expect((await moveOf(story, begun)).begin()).rejects.toMatchObject(full);
    // Nothing has kept it from sending.
    story.now += 60_000;
    expect(await story.claim()).toEqual([3, 4]);
    await begun.sql("UPDATE fact SET value = '0.5' WHERE name = 'schema_version'");
    const version = { code: 'state_forbids', message: expect.stringContaining('another version') };
    await expect((await moveOf(stranger, begun)).begin()).rejects.toMatchObject(version);
  });

  it('refuses a backup of the file from before the move, in any home of this machine', async () => {
    const story = await halfSent();
    const backup = join(makeTempDir(), 'ledger.db');
    const during = join(makeTempDir(), 'ledger.db');
    await story.ledger.backup(backup);
    const target = await schema();
    const move = await moveOf(story, target);
    await move.begin();
    await story.ledger.backup(during);
    await move.carryOver(nobody, GOES_ON);
    await move.open();
    const older = { code: 'ledger_moved', message: expect.stringContaining('older copy') };
    const stateFolder = stateOf(story);
    await expect(LEDGERS_HERE.write({ file: backup, stateFolder })).rejects.toMatchObject(older);
    await expect(LEDGERS_HERE.write({ file: during, stateFolder })).rejects.toMatchObject(older);
    const again = await moveOf({ ...story, file: during }, target);
    await expect(again.takeBack()).rejects.toMatchObject(older);
    await expect((await moveOf({ ...story, file: backup }, await schema())).begin()).rejects.toMatchObject(
      older,
    );
  });

  it('refuses a ledger that is older than what was sent from it', async () => {
    const story = await LedgerStory.begin();
    await story.ledger.close();
    const stateFolder = stateOf(story);
    story.ledger = await LEDGERS_HERE.write({ file: story.file, stateFolder });
    const older = join(story.directory, 'older.db');
    const n = await story.launch({ messages: 2 });
    await story.ledger.backup(older);
    await story.claim();
    await story.record(n, { 1: { to: 'sent' }, 2: { to: 'sent' } });
    const move = await moveOf({ ...story, file: older }, await schema());
    await move.begin();
    await expect(move.carryOver(nobody, GOES_ON)).rejects.toMatchObject({ code: 'ledger_behind' });
  });

  it('moves nothing whose claims could not be noted afterwards, and nothing that a person has stopped', async () => {
    const story = await halfSent();
    const move = await moveOf(story, await schema());
    await move.begin();
    rmSync(stateOf(story), { recursive: true });
    writeFileSync(join(story.directory, 'state'), '');
    await expect(move.carryOver(nobody, GOES_ON)).rejects.toMatchObject({ code: 'claims_unnoted' });
    const stopped = AbortSignal.abort('SIGINT');
    await expect(move.carryOver(nobody, stopped)).rejects.toMatchObject({ code: 'interrupted' });
    await move.takeBack();
    story.now += 60_000;
    expect(await story.claim()).toEqual([3, 4]);
  });

  it('ends with one clear error when the connection is lost, and the file goes on', async () => {
    const story = await halfSent();
    const target = await schema();
    await stopAt(story, target, 'comparing');
    const holder = new Client({ connectionString: target.url });
    await holder.connect();
    await holder.query(`BEGIN; LOCK TABLE ${target.schema}.message`);
    const move = await moveOf(story, target);
    await move.begin();
    const carried = move.carryOver(nobody, GOES_ON).catch((error: unknown) => error);
    const waiting = `SELECT pid FROM pg_locks WHERE NOT granted AND relation = '${target.schema}.message'::regclass`;
    await waitFor(async () => (await target.sql(waiting)).length > 0, {
      what: 'the copy to wait for the table',
    });
    await target.sql(`SELECT pg_terminate_backend(pid) FROM (${waiting}) AS found`);
    expect(await carried).toMatchObject({ code: 'database_unreachable' });
    await holder.end();
    await move.takeBack();
    story.now += 60_000;
    expect(await story.claim()).toEqual([3, 4]);
  });

  it('leaves a note of the claims at the new place', async () => {
    const story = await LedgerStory.begin();
    await story.ledger.close();
    story.ledger = await LEDGERS_HERE.write({ file: story.file, stateFolder: stateOf(story) });
    const n = await story.launch({ messages: 2 });
    await story.claim();
    await story.record(n, { 1: { to: 'sent' }, 2: { to: 'sent' } });
    const target = await schema();
    await moveAll(story, target);
    await target.sql(`DROP SCHEMA ${target.schema} CASCADE; CREATE SCHEMA ${target.schema}`);
    const empty = await openPostgresHere(addressOf(target), stateOf(story));
    expect(await empty.behind(story.now)).toMatchObject({ made: 2, known: 0, another: stateOf(story) });
    await empty.close();
  });

  it('finds one value that differs, a missing row, and a row too many', async () => {
    const story = await halfSent();
    const target = await schema();
    await stopAt(story, target, 'comparing');
    const database = new DatabaseSync(story.file, { readOnly: true });
    const client = new Client({ connectionString: target.url });
    await client.connect();
    await client.query(`SET search_path = ${target.schema}`);
    const ends = { database, client, progress: nobody, signal: GOES_ON };
    const compared = () => compareTables(ends, tablesOf(database));
    // Undone in the file, because the move did not go through.
    await target.sql(
      "ALTER TABLE audit DISABLE TRIGGER USER; DELETE FROM audit WHERE verb = 'move'; ALTER TABLE audit ENABLE TRIGGER USER",
    );
    await compared();
    const found = async (change: string, back: string, what: string) => {
      await target.sql(change);
      await expect(compared()).rejects.toMatchObject({
        code: 'invariant_broken',
        message: expect.stringContaining(what),
      });
      await target.sql(back);
    };
    const [row] = await target.sql('SELECT fields FROM message WHERE seq = 3');
    await found(
      "UPDATE message SET fields = '[]' WHERE seq = 3",
      `UPDATE message SET fields = '${String(row?.['fields'])}' WHERE seq = 3`,
      'table message, row 3 (fields)',
    );
    const price = await target.sql('SELECT * FROM price');
    expect(price).toHaveLength(1);
    await found(
      "INSERT INTO dead_number VALUES ('254700000001', 1, 'x')",
      'DELETE FROM dead_number',
      'table dead_number, row 1 (a row too many)',
    );
    await found('DELETE FROM price', 'SELECT 1', 'table price, row 1 (a missing row)');
    await client.end();
    database.close();
  });
});

/** Two of four messages were sent, and the others wait. */
async function halfSent(): Promise<LedgerStory> {
  const story = await LedgerStory.begin();
  const n = await story.launch({ messages: 4 });
  await story.claim();
  await story.record(n, { 1: { to: 'sent' }, 2: { to: 'sent' }, 3: { to: 'queued' }, 4: { to: 'queued' } });
  return story;
}

function claimOf({ worker, now }: LedgerStory) {
  const limits = { limit: 9, windowClosesAt: null, ceilingMicro: 1e12, priceMicro: 1, accountRate: null };
  return { batch: 1, epoch: 1, worker, fromSeq: 1, now, claimNumber: 1, ...limits };
}

async function moveAll(story: LedgerStory, target: PostgresForTests) {
  const move = await moveOf(story, target);
  await move.begin();
  const moved = await move.carryOver(nobody, GOES_ON);
  await move.open();
  return { move, moved };
}

/** The move ends at the last table of a step, as a kill would end it: the marks stay. */
async function stopAt(
  story: Pick<LedgerStory, 'file' | 'directory' | 'now'>,
  target: PostgresForTests,
  at: 'copying' | 'comparing',
): Promise<void> {
  const move = await moveOf(story, target);
  await move.begin();
  const stopping = new AbortController();
  const stop: MoveProgress = (where) => {
    if (where.step === at && where.table === 'message') stopping.abort('SIGINT');
  };
  await expect(move.carryOver(stop, stopping.signal)).rejects.toMatchObject({ code: 'interrupted' });
}

async function schema(): Promise<PostgresForTests> {
  const made = await postgresForTests();
  if (made === null) throw new Error('the Postgres of this run is gone');
  return made;
}

function addressOf(target: PostgresForTests) {
  return postgresAddress(target.url, null);
}

function stateOf({ directory }: Pick<LedgerStory, 'directory'>): string {
  const folder = join(directory, 'state');
  mkdirSync(folder, { recursive: true });
  return folder;
}

async function moveOf(
  story: Pick<LedgerStory, 'file' | 'directory' | 'now'>,
  target: PostgresForTests,
): Promise<LedgerMove> {
  const { file, now } = story;
  const move = await openMove({
    file,
    stateFolder: stateOf(story),
    address: addressOf(target),
    by: 'operator mary',
    now: () => now,
    log: QUIET,
  });
  moves.push(move);
  return move;
}

/** Without the facts that Postgres has for itself. */
async function rowsIn(target: PostgresForTests, file: string): Promise<number> {
  const database = new DatabaseSync(file, { readOnly: true });
  const tables = tablesOf(database).map(({ name }) => `SELECT count(*) AS n FROM ${name}`);
  database.close();
  const [sum] = await target.sql(`SELECT sum(n)::int AS n FROM (${tables.join(' UNION ALL ')}) AS counted`);
  return Number(sum?.['n']) - 1;
}

function ledgerIdIn(file: string): string {
  const database = new DatabaseSync(file, { readOnly: true });
  const id = database.prepare("SELECT value FROM fact WHERE name = 'ledger_id'").get()?.['value'];
  database.close();
  return String(id);
}
