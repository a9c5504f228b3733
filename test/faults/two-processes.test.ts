import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { openSqliteReader } from '../../src/ledger/sqlite/sqlite-ledger.ts';
import { openSqliteLedger } from '../../src/ledger/sqlite/sqlite-ledger.ts';
import { startNode, type TestProcess } from '../support/processes.ts';
import { makeTempDir } from '../support/temp-home.ts';
import { waitFor } from '../support/wait-for.ts';
import { World } from '../ledger/contract-world.ts';

const CLAIMER = fileURLToPath(new URL('./claimer.ts', import.meta.url));
const MESSAGES = 3_000;
/** How often the log is copied back, at least, while two processes commit. */
const ROUNDS = 200;
const MOST_CAMPAIGNS = 5;

async function campaignIn(file: string, count = MESSAGES) {
  const ledger = await openSqliteLedger({ file });
  const never = () => Promise.reject(new Error('not needed'));
  const world = new World({ ledger, another: never, reader: never, sql: never, tables: never, close: never });
  world.now = Date.now();
  const campaign = await world.launch(count, { settings: { batchSize: 50 } });
  return { ledger, campaign };
}

function claimedBy(process: TestProcess): number[] {
  const lines = process
    .stdout()
    .split('\n')
    .filter((line) => line.startsWith('claimed '));
  return lines.flatMap((line) => line.slice('claimed '.length).split(' ').map(Number));
}

async function violationsIn(file: string) {
  const reader = await openSqliteReader({ file });
  const found = await reader.violations(null);
  await reader.close();
  return found;
}

/** Two processes send a campaign while a third connection copies the log back. Answers how often it did. */
async function sendWhileEmptied(file: string): Promise<number> {
  const { ledger } = await campaignIn(file);
  await ledger.close();
  const processes = [startNode(CLAIMER, [file, '1']), startNode(CLAIMER, [file, '2'])];
  // All the while: the fault that lost commits came from that.
  const third = new DatabaseSync(file);
  let rounds = 0;
  const checkpointing = setInterval(() => {
    const done = third.prepare('PRAGMA wal_checkpoint(RESTART)').get();
    if (done?.['busy'] === 0 && Number(done['checkpointed']) > 0) rounds += 1;
  }, 2);
  for (const { exited } of processes) expect((await exited).code).toBe(0);
  clearInterval(checkpointing);
  third.close();
  const claimed = processes.flatMap(claimedBy).sort((a, b) => a - b);
  expect(claimed).toEqual(Array.from({ length: MESSAGES }, (_, index) => index + 1));
  return rounds;
}

it('two processes on one file send every message of a campaign once, and lose no commit, while a third empties its log 200 times [D8]', async () => {
  const file = join(makeTempDir(), 'ledger.db');
  let [rounds, campaigns] = [0, 0];
  // One campaign is enough but on a machine that has much else to do.
  for (; rounds < ROUNDS && campaigns < MOST_CAMPAIGNS; campaigns += 1)
    rounds += await sendWhileEmptied(file);
  expect(rounds).toBeGreaterThanOrEqual(ROUNDS);
  expect(await violationsIn(file)).toEqual([]);
  const raw = new DatabaseSync(file);
  expect(raw.prepare('PRAGMA integrity_check').get()).toEqual({ integrity_check: 'ok' });
  expect(raw.prepare("SELECT count(*) AS sent FROM message WHERE state = 'sent'").get()).toEqual({
    sent: campaigns * MESSAGES,
  });
  raw.close();
});

it('a process that is killed while it claims and records leaves whole commits, and at most its claim uncertain [A2 A10]', async () => {
  const file = join(makeTempDir(), 'ledger.db');
  const { ledger, campaign } = await campaignIn(file);
  const doomed = startNode(CLAIMER, [file, '1']);
  await waitFor(() => claimedBy(doomed).length > 100, { what: 'the process to claim' });
  await doomed.stop('SIGKILL');
  const claimed = claimedBy(doomed);
  expect(new Set(claimed).size).toBe(claimed.length);
  const [dead] = await ledger.otherWorkers(null);
  const uncertain = await ledger.reap(dead?.worker ?? 0, Date.now());
  expect(uncertain).toBeLessThanOrEqual(7);
  expect(await violationsIn(file)).toEqual([]);
  const second = startNode(CLAIMER, [file, '2']);
  expect((await second.exited).code).toBe(0);
  const twice = claimedBy(second).filter((seq) => claimed.includes(seq));
  expect(twice).toEqual([]);
  expect((await ledger.latestNamed(campaign.name))?.settled).toBe(true);
  expect(await violationsIn(file)).toEqual([]);
  await ledger.close();
});
