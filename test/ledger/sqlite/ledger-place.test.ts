import {
  copyFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, it, onTestFinished, vi } from 'vitest';
import type { Ledger } from '../../../src/ledger/contracts/ledger.ts';
import { refuseLostLedger } from '../../../src/ledger/sqlite/lost-ledger.ts';
import { LedgerPlace } from '../../../src/ledger/sqlite/ledger-place.ts';
import { openSqliteLedger } from '../../../src/ledger/sqlite/sqlite-ledger.ts';
import { openSqliteReader } from '../../../src/ledger/sqlite/sqlite-ledger.ts';
import { makeTempDir } from '../../support/temp-home.ts';
import { waitFor } from '../../support/wait-for.ts';
import { World } from '../contract-world.ts';

/** A ledger of which a worker has claimed five messages. */
async function openInUse(): Promise<{
  file: string;
  world: World;
  ledger: Ledger;
  claim: () => Promise<unknown>;
}> {
  const file = join(makeTempDir(), 'ledger.db');
  const ledger = await openSqliteLedger({ file });
  onTestFinished(() => ledger.close());
  const world = new World({ ledger } as never);
  await world.launch(20);
  await ledger.backup(`${file}.old`);
  const worker = await world.worker();
  const lease = await world.lease(worker);
  const claim = () => world.claim(lease, worker, { limit: 5 });
  await claim();
  return { file, world, ledger, claim };
}

/** The copies of the open ledger beside its path. */
function savedBeside(file: string): string[] {
  return readdirSync(dirname(file)).filter((name) => /^ledger\.(?:rescued|damaged|partial)-/.test(name));
}

function checkpoint(file: string): void {
  const raw = new DatabaseSync(file);
  raw.exec('PRAGMA wal_checkpoint(PASSIVE)');
  raw.close();
}

const WEBHOOK = { receivedAt: 1, method: 'POST', contentType: 'text/plain', query: '', ip: '127.0.0.1' };

it.each<[string, (file: string) => void]>([
  ['removed', (file) => rmSync(file)],
  ['moved away', (file) => renameSync(file, `${file}.away`)],
  ['replaced', (file) => renameSync(`${file}.old`, file)],
])(
  'of a ledger that is %s while it is open nothing is claimed, launched or acknowledged [D18]',
  async (_how, lose) => {
    const { file, world, ledger, claim } = await openInUse();
    expect(await ledger.inPlace()).toBe(true);
    lose(file);
    await expect(claim()).rejects.toMatchObject({ code: 'ledger_lost' });
    await expect(world.launch(5, { name: 'other' })).rejects.toMatchObject({ code: 'ledger_lost' });
    const webhook = { ...WEBHOOK, body: Buffer.from('report') };
    await expect(ledger.storeWebhook(webhook)).rejects.toMatchObject({ code: 'ledger_lost' });
    expect(await ledger.inPlace()).toBe(false);
  },
);

it('a ledger that is written over by an older copy of itself is noticed within some looks [D18]', async () => {
  const { file, ledger } = await openInUse();
  expect(await ledger.inPlace()).toBe(true);
  copyFileSync(`${file}.old`, file);
  await waitFor(async () => !(await ledger.inPlace()), { what: 'the look into the file' });
});

it('a ledger that is written over by a copy from before its latest claims is noticed, too [D18]', async () => {
  const { file, world, ledger, claim } = await openInUse();
  await ledger.backup(`${file}.since`);
  await claim();
  checkpoint(file);
  expect(await ledger.inPlace()).toBe(true);
  copyFileSync(`${file}.since`, file);
  await waitFor(async () => !(await ledger.inPlace()), { what: 'the look into the file' });
  await expect(world.launch(5, { name: 'other' })).rejects.toMatchObject({ code: 'ledger_lost' });
});

it('a large ledger that is written over is not called saved [D18]', async () => {
  const { file, world, ledger } = await openInUse();
  await world.launch(40_000, { name: 'large', firstMobile: 1_000 });
  checkpoint(file);
  expect(await ledger.inPlace()).toBe(true);
  copyFileSync(`${file}.old`, file);
  await waitFor(async () => !(await ledger.inPlace()), { what: 'the look into the file' });
  await ledger.close();
  expect(savedBeside(file)).toEqual([expect.stringMatching(/^ledger\.damaged-/)]);
});

it('a file that cannot be read for a moment is looked at again before it counts as lost [D18]', async () => {
  const { file, ledger } = await openInUse();
  const whole = readFileSync(file);
  // As it is while another one is copied over it.
  writeFileSync(file, 'no database');
  expect(await ledger.inPlace()).toBe(true);
  writeFileSync(file, whole);
  expect(await ledger.inPlace()).toBe(true);
});

it('a file that another process writes may be unreadable for seconds; it is lost when it rests like that [D18]', async () => {
  const file = join(makeTempDir(), 'ledger.db');
  await (await openSqliteLedger({ file })).close();
  const place = new LedgerPlace(file);
  let now = 0;
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => now);
  onTestFinished(() => clock.mockRestore());
  const look = () => {
    now += 1_000;
    return place.isInPlace();
  };
  expect(look()).toBe(true);
  for (let second = 1; second <= 9; second += 1) {
    writeFileSync(file, 'no database');
    utimesSync(file, second, second);
    expect(look(), `second ${second}`).toBe(true);
  }
  expect([look(), look(), look()]).toEqual([true, true, false]);
});

it('a ledger that is closed in its place leaves nothing beside it', async () => {
  const { file, ledger } = await openInUse();
  await ledger.close();
  expect(savedBeside(file)).toEqual([]);
});

it('the open ledger is saved whole beside its path, and its log goes with the file that is gone [D18]', async () => {
  const { file, ledger } = await openInUse();
  rmSync(file);
  await ledger.close();
  const [copy = '', ...others] = savedBeside(file);
  expect([copy, others]).toEqual([expect.stringMatching(/^ledger\.rescued-2\d{3}-[-T\d]+\.db$/), []]);
  expect(existsSync(`${file}-wal`)).toBe(false);
  expect(() => refuseLostLedger(file)).toThrow(copy);
  const reader = await openSqliteReader({ file: join(dirname(file), copy) });
  onTestFinished(() => reader.close());
  expect(await reader.overview(1)).toMatchObject({ messages: { sending: 5, queued: 15 } });
  expect(await reader.violations(null)).toEqual([]);
});
