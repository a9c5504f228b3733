import { expect, test } from 'vitest';
import { waitFor } from '../support/wait-for.ts';
import { checkRun, countState } from './check.ts';
import { CRASHES, killAtEach } from './crashes.ts';
import { ended, openStage } from './harness.ts';
import { killAt } from './hooks.ts';

test('what a killed worker had taken from the queue and not leased does not wait for its lock in Redis [A1]', async () => {
  const stage = await openStage({ sandboxHere: true });
  const hook = killAt('leaseBatch', 'before', 3);
  expect(await ended(stage.launch({ hook }))).toMatchObject({ signal: 'SIGKILL' });
  // BullMQ gives a job away when its lock is over, after 30 s. These never are.
  const locks = (await stage.redis.command('KEYS', '{tuma}:*:lock')) as string[];
  expect(locks).not.toEqual([]);
  for (const lock of locks) expect(await stage.redis.command('PERSIST', lock)).toBe(1);
  const run = stage.launch();
  const open = () => countState(stage, 'queued') + countState(stage, 'sending');
  await waitFor(() => open() === 0, { what: 'every batch to be sent' });
  const { document } = await ended(run);
  await checkRun(stage, { kills: 1, report: document });
});

test('killed at the steps of the protocol that cost most, a campaign still ends right [A2 A3 A7 A9 A10 A11]', async () => {
  await killAtEach(CRASHES.filter(({ quick }) => quick));
});

test('what nobody caught ends the process at once, and the next one goes on [A17]', async () => {
  const stage = await openStage({ sandboxHere: true, contacts: 300 });
  const at = { at: 'send', when: 'after', nth: 10 } as const;
  const thrown = await ended(stage.launch({ hook: { ...at, does: 'throw' } }));
  expect(thrown).toMatchObject({ code: 1, document: null });
  expect(JSON.parse(thrown.stderr.trim().split('\n').at(-1) ?? '')).toMatchObject({
    error: { message: expect.stringContaining('thrown on purpose') },
  });
  expect(await ended(stage.launch({ hook: { ...at, does: 'reject' } }))).toMatchObject({ code: 1 });
  const last = await ended(stage.launch());
  expect(last.code).toBe(3);
  await checkRun(stage, { kills: 2, report: last.document });
});
