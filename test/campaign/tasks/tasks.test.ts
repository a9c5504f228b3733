import { once } from 'node:events';
import { existsSync, mkdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import { addUser } from '../../../src/campaign/people/users.ts';
import { removeOldFiles } from '../../../src/campaign/tasks/task-files.ts';
import type { WorkApart } from '../../../src/campaign/tasks/task.ts';
import { Tasks } from '../../../src/campaign/tasks/tasks.ts';
import { type DoTask, workTask } from '../../../src/campaign/tasks/work-task.ts';
import { TumaError } from '../../../src/domain/errors.ts';
import { askedFrom } from '../../../src/ledger/contracts/asked-from.ts';
import type { Ledger } from '../../../src/ledger/contracts/ledger.ts';
import { MemoryLog } from '../../collector/fake-store.ts';
import { LedgerStory } from '../../support/ledger-story.ts';

const MINUTE = 60_000;
const ADMIN = { name: 'ada', identities: ['ada'], isAdmin: true };
const ERASE = { asked: { kind: 'erase', mobile: '254711000001' }, total: 100, audit: null } as const;
const RESULT = { kind: 'erase' as const, rewritten: true } as never;

/** A process: `alive`, or `unknown` to all others. */
const processOf = (fate: string) => ({
  bootId: fate,
  pidNamespace: 'p',
  pid: 2,
  startTicks: '1',
  roles: 'command',
});

let story: LedgerStory;
beforeEach(async () => {
  story = await LedgerStory.begin();
});

async function envOf(ledger: Ledger = story.ledger) {
  const clock = { now: () => story.now, monotonic: () => story.now, sleep: async () => undefined };
  const processes = {
    self: () => processOf('web'),
    fate: ({ bootId }: { bootId: string }) =>
      bootId === 'unknown' ? ('unknown' as const) : ('alive' as const),
  };
  const reader = await story.reader();
  return { ledger, reader, clock, processes, log: new MemoryLog() };
}

async function tasksWith(workApart: WorkApart): Promise<Tasks> {
  const env = await envOf();
  return new Tasks({ ...env, reader: async () => env.reader, sharedFolder: story.directory, workApart });
}

/** One task, worked on by this process. Answers its row. */
async function worked(doTask: DoTask, ledger: Ledger = story.ledger) {
  const orders: Parameters<WorkApart>[0][] = [];
  const tasks = await tasksWith(async (order) => void orders.push(order));
  const { id } = await tasks.begin(ADMIN, ERASE);
  await tasks.ended(id);
  const env = await envOf(ledger);
  const [order] = orders;
  if (order === undefined) throw new Error('nothing was ordered');
  const work = workTask(env, { ...order, signal: new AbortController().signal }, doTask);
  const error = await work.then(
    () => null,
    (why: unknown) => why,
  );
  return { row: await env.reader.task(id), error };
}

it('work that is done and cannot be noted has not failed: it is left as stopped', async () => {
  const busy = new TumaError('busy', { message: 'the ledger is in use' });
  let calls = 0;
  const busyOnce: Ledger['endTask'] = (end) =>
    (calls += 1) === 1 ? Promise.reject(busy) : story.ledger.endTask(end);
  const ledger = { ...story.ledger, endTask: busyOnce };
  const { row, error } = await worked(async () => RESULT, ledger);
  expect(error).toBe(busy);
  expect(row).toMatchObject({ state: 'working', result: null });
});

it('whoever loses the right while it works gets nothing more made, and the task says why', async () => {
  const change = { now: story.now, by: 'test' };
  const { row, error } = await askedFrom.run(
    { from: '127.0.0.1', right: { of: 'home', role: 'admin' } },
    () =>
      worked(async (_asked, { signal }) => {
        const stopped = once(signal, 'abort');
        // The link of this machine may do nothing any more from the first user on.
        await addUser({ ledger: story.ledger, change, name: 'ada', role: 'admin' });
        await stopped;
        throw signal.reason;
      }),
  );
  expect(error).toBe(null);
  expect(row).toMatchObject({ state: 'failed', asked: '{"kind":"erase"}' });
  expect(JSON.parse(row?.result ?? '')).toMatchObject({ code: 'right_lost' });
});

it('a task whose process dies before it takes it has failed, and takes no place of others', async () => {
  const tasks = await tasksWith(() => Promise.reject(new Error('no memory')));
  const { id } = await tasks.begin(ADMIN, ERASE);
  await tasks.ended(id);
  expect(await tasks.find(id, ADMIN)).toMatchObject({
    state: 'failed',
    asked: { kind: 'erase' },
    failure: { code: 'internal' },
  });
});

it.each([
  ['alive', 'working'],
  ['unknown', 'stopped'],
])('a process that is %s and silent for long leaves its task %s', async (fate, state) => {
  const tasks = await tasksWith(async ({ id, process: dead }) => {
    const process = JSON.stringify({ identity: processOf(fate), attempt: 'a' });
    await story.ledger.takeTask({ id, process, dead, now: story.now });
  });
  const { id } = await tasks.begin(ADMIN, ERASE);
  await tasks.ended(id);
  story.now += 11 * MINUTE;
  expect(await tasks.find(id, ADMIN)).toMatchObject({ state });
});

it('files that nobody wrote to for a day go without a ledger, and younger ones stay', async () => {
  const folder = join(story.directory, 'exports');
  mkdirSync(folder);
  const fileOf = (name: string, ageMs: number) => {
    const file = join(folder, name);
    writeFileSync(file, 'full numbers');
    utimesSync(file, (story.now - ageMs) / 1_000, (story.now - ageMs) / 1_000);
    return file;
  };
  const old = fileOf('a-1.csv', 25 * 60 * MINUTE);
  const young = fileOf('b-1.csv', 23 * 60 * MINUTE);
  await removeOldFiles(story.directory, story.now);
  expect([existsSync(old), existsSync(young)]).toEqual([false, true]);
  await removeOldFiles(join(story.directory, 'no-home'), story.now);
});
