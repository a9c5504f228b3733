import { copyFileSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, it, onTestFinished } from 'vitest';
import { FirstCheckpoint } from '../../../src/ledger/sqlite/first-checkpoint.ts';
import type { ThreadAnswer, ThreadRequest } from '../../../src/ledger/thread/ledger-thread.ts';
import { makeTempDir } from '../../support/temp-home.ts';
import { waitFor } from '../../support/wait-for.ts';
import type { World } from '../contract-world.ts';
import { type Home, makeHome, open } from './older-ledger.ts';

/* The log of a young ledger may be lost: what was there before the first claim is in the main file by then. */

/** Leases a batch, and claims it. */
async function claimNext(world: World): Promise<number> {
  const worker = await world.worker();
  const lease = await world.lease(worker);
  return (await world.claim(lease, worker)).messages.length;
}

/** A snapshot of this moment, held until the test or its caller ends it. */
function readerOf(file: string): DatabaseSync {
  const reader = new DatabaseSync(file, { readOnly: true });
  onTestFinished(() => (reader.isOpen ? reader.close() : undefined));
  reader.exec('BEGIN; SELECT count(*) FROM message');
  return reader;
}

it('the first claim of a process finds its campaign in the main file, without the log [D19]', async () => {
  const home = makeHome();
  const { world } = await open(home);
  await world.launch(30, { settings: { batchSize: 10 } });
  expect(await claimNext(world)).toBe(10);
  const alone = join(makeTempDir(), 'ledger.db');
  copyFileSync(home.file, alone);
  const database = new DatabaseSync(alone);
  onTestFinished(() => database.close());
  expect(database.prepare('SELECT state FROM campaign').all()).toMatchObject([{ state: 'running' }]);
  expect(database.prepare('SELECT state, count(*) AS n FROM message').all()).toMatchObject([
    { state: 'queued', n: 30 },
  ]);
});

it('the first claim waits for a reader of an older moment, and all else goes on', async () => {
  const home = makeHome();
  const { ledger, world } = await open(home);
  await world.draft(1, { name: 'before' });
  const reader = readerOf(home.file);
  await world.launch(10);
  let claimed = 0;
  const claiming = claimNext(world).then((count) => (claimed = count));
  for (let turn = 0; turn < 30; turn += 1) await ledger.facts();
  expect(claimed).toBe(0);
  reader.close();
  await claiming;
  expect(claimed).toBe(10);
  // No later claim of this process waits.
  readerOf(home.file);
  await world.launch(10, { name: 'other', firstMobile: 100 });
  expect(await claimNext(world)).toBe(10);
});

it('a first claim that waited in vain is refused as busy, and the next one tries again', async () => {
  const file = join(makeTempDir(), 'test.db');
  const database = new DatabaseSync(file);
  onTestFinished(() => database.close());
  database.exec('PRAGMA journal_mode = WAL; CREATE TABLE message (n)');
  const reader = readerOf(file);
  database.exec('INSERT INTO message VALUES (1)');
  const [answers, taken]: [ThreadAnswer[], ThreadRequest[]] = [[], []];
  const first = new FirstCheckpoint(
    {
      take: (requests) => void taken.push(...requests),
      drain: async () => undefined,
      fault: () => undefined,
    },
    {
      database,
      port: { answer: (some) => void answers.push(...some), log: console },
      patienceMs: 30,
    },
  );
  first.take([
    [1, 'claim', []],
    [2, 'heartbeat', []],
  ]);
  expect(taken).toEqual([[2, 'heartbeat', []]]);
  await waitFor(() => answers.length > 0, { what: 'the answer' });
  expect(answers).toMatchObject([[1, { code: 'ledger_busy' }, undefined]]);
  first.take([[3, 'claim', []]]);
  await first.drain();
  expect(answers.slice(1)).toMatchObject([[3, { code: 'ledger_busy' }, undefined]]);
  reader.close();
  first.take([[4, 'claim', []]]);
  await first.drain();
  expect(taken.slice(1)).toEqual([[4, 'claim', []]]);
});

it('the first claim waits while rows of a draft are being written', async () => {
  const database = new DatabaseSync(join(makeTempDir(), 'test.db'));
  onTestFinished(() => database.close());
  database.exec('PRAGMA journal_mode = WAL; CREATE TABLE message (n); BEGIN');
  const taken: ThreadRequest[] = [];
  const first = new FirstCheckpoint(
    {
      take: (requests) => void taken.push(...requests),
      drain: async () => undefined,
      fault: () => undefined,
    },
    { database, port: { answer: () => undefined, log: console } },
  );
  first.take([[1, 'claim', []]]);
  await Promise.resolve();
  expect(taken).toEqual([]);
  database.exec('COMMIT');
  await first.drain();
  expect(taken).toEqual([[1, 'claim', []]]);
});

it('a disk that fails while the log is copied is told to the commits, and the claim is refused [D3]', async () => {
  const failing = () => {
    throw Object.assign(new Error('disk I/O error'), { errcode: 1_034 });
  };
  const [answers, faults]: [ThreadAnswer[], unknown[]] = [[], []];
  const first = new FirstCheckpoint(
    { take: () => undefined, drain: async () => undefined, fault: (error) => void faults.push(error) },
    {
      database: { prepare: failing } as unknown as DatabaseSync,
      port: { answer: (some) => void answers.push(...some), log: console },
    },
  );
  first.take([[1, 'claim', []]]);
  await first.drain();
  expect(answers).toMatchObject([[1, { code: 'ledger_invalid' }, undefined]]);
  expect(faults).toMatchObject([{ errcode: 1_034 }]);
});

/** The header of the log, and its first page. The claims begin there: what came before is in the main file. */
const FIRST_FRAME_BYTES = 32 + 24 + 4_096;

function flip(log: string, at: number): void {
  const bytes = readFileSync(log);
  bytes[at] = (bytes[at] ?? 0) ^ 1;
  writeFileSync(log, bytes);
}

/** What a fault does to the log of a killed process. */
const FAULTS: { what: string; damage: (log: string) => void }[] = [
  { what: 'flipped in a bit of a page', damage: (log) => flip(log, FIRST_FRAME_BYTES - 100) },
  { what: 'flipped in its first bit', damage: (log) => flip(log, 0) },
  { what: 'cut', damage: (log) => truncateSync(log, FIRST_FRAME_BYTES + 100) },
  { what: 'emptied', damage: (log) => truncateSync(log, 0) },
  { what: 'removed', damage: (log) => rmSync(log) },
];

it.each(FAULTS)(
  'a young ledger that was killed is refused, and keeps its id, with its log $what [D19]',
  async ({ damage }) => {
    const home = makeHome();
    const { ledger, world } = await open(home);
    const { ledgerId } = await ledger.facts();
    await world.launch(30, { settings: { batchSize: 10 } });
    expect(await claimNext(world)).toBe(10);
    expect(await claimNext(world)).toBe(10);
    const killed: Home = { ...home, file: join(makeTempDir(), 'ledger.db') };
    for (const part of ['', '-wal']) copyFileSync(`${home.file}${part}`, `${killed.file}${part}`);
    damage(`${killed.file}-wal`);

    const again = await open(killed);
    expect((await again.ledger.facts()).ledgerId).toBe(ledgerId);
    expect(await again.ledger.behind(world.now)).toMatchObject({ made: 20, open: [{ name: 'promo' }] });
    await expect(claimNext(again.world)).rejects.toMatchObject({ code: 'ledger_behind' });
    await again.world.verify();
  },
);
