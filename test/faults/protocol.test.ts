import { expect, test, vi } from 'vitest';
import { waitFor } from '../support/wait-for.ts';
import { acceptedWhileSending, checkRun, countState } from './check.ts';
import { CLAIM_LIMIT, ended, killInside, openStage, type StartOptions } from './harness.ts';
import { KILL_AT_FIRST_CONNECTION, killAt } from './hooks.ts';

vi.setConfig({ testTimeout: 120_000 });

/** BullMQ holds the lock of a job for 30 s, and looks every 5 s whether it is over. */
const BEFORE_LOCK_MS = 25_000;

test('A1: what a killed worker had taken from the queue and not leased does not wait for its lock in Redis', async () => {
  const stage = await openStage();
  const hook = killAt('leaseBatch', 'before', 3);
  expect(await ended(stage.launch({ hook }))).toMatchObject({ signal: 'SIGKILL' });
  const run = stage.launch();
  const open = () => countState(stage, 'queued') + countState(stage, 'sending');
  await waitFor(() => open() === 0, { what: 'every batch to be sent', timeoutMs: BEFORE_LOCK_MS });
  const { document } = await ended(run);
  await checkRun(stage, { kills: 1, report: document });
});

interface Crash {
  row: string;
  start: StartOptions;
  /** How many messages the sandbox may have accepted in this run. */
  accepted: 'none' | 'some' | 'any';
  /** How many messages of this run are left `sending`. */
  sending: 'none' | 'some' | 'any';
  /** Whether some of those left were accepted, which nobody here knows: the ones that must not go again. */
  taken?: true;
}

/** Along the send protocol, in its order. */
const CRASHES: Crash[] = [
  {
    row: 'B2 activated, nothing queued',
    start: { hook: killAt('activate', 'after', 1) },
    accepted: 'none',
    sending: 'none',
  },
  {
    row: 'A1 before the claim',
    start: { hook: killAt('claim', 'before', 1) },
    accepted: 'none',
    sending: 'none',
  },
  { row: 'A2 inside the claim', start: killInside('claim', 1), accepted: 'none', sending: 'none' },
  {
    row: 'A3 claimed, not dispatched',
    start: { hook: killAt('claim', 'after', 1) },
    accepted: 'none',
    sending: 'some',
  },
  {
    row: 'A4 connected',
    start: { hook: KILL_AT_FIRST_CONNECTION },
    accepted: 'none',
    sending: 'some',
  },
  {
    row: 'A7 on the wire',
    start: { hook: killAt('undici:client:sendHeaders', 'after', 24) },
    accepted: 'some',
    sending: 'some',
    taken: true,
  },
  {
    row: 'A8 answered, not buffered',
    start: { hook: killAt('send', 'after', 20) },
    accepted: 'some',
    sending: 'some',
    taken: true,
  },
  {
    row: 'A9 before the outcome',
    start: { hook: killAt('recordOutcomes', 'before', 2) },
    accepted: 'some',
    sending: 'some',
    taken: true,
  },
  {
    row: 'A10 inside the outcome',
    start: killInside('outcomes', 2),
    accepted: 'some',
    sending: 'some',
    taken: true,
  },
  {
    row: 'A11 the outcome recorded',
    start: { hook: killAt('recordOutcomes', 'after', 3) },
    accepted: 'some',
    sending: 'any',
  },
  {
    row: 'A11 before the release',
    start: { hook: killAt('releaseBatch', 'before', 1) },
    accepted: 'any',
    sending: 'any',
  },
  {
    row: 'A12 after the release',
    start: { hook: killAt('releaseBatch', 'after', 1) },
    accepted: 'any',
    sending: 'any',
  },
];

test('A1 A2 A3 A4 A7 A8 A9 A10 A11 A12 A14 B2: killed at each step of the protocol, a campaign still ends right', async () => {
  const stage = await openStage({ contacts: 1_500 });
  let uncertain = 0;
  for (const [index, { row, start, accepted, sending, taken = false }] of CRASHES.entries()) {
    const before = (await stage.provider.stats()).accepted;
    expect(await ended(stage.launch(start)), row).toMatchObject({ code: null, signal: 'SIGKILL' });
    const left = countState(stage, 'sending');
    await checkRun(stage, { kills: index + 1, settled: false });
    if (taken) expect(await acceptedWhileSending(stage), row).toBeGreaterThan(0);
    if (accepted === 'none') expect(await acceptedWhileSending(stage), row).toBe(0);
    // The previous run's leftovers were called uncertain, none of them queued, by this one.
    expect(countState(stage, 'uncertain'), row).toBe(uncertain);
    uncertain += left;
    const sent = (await stage.provider.stats()).accepted - before;
    expect(left, row).toBeLessThanOrEqual(CLAIM_LIMIT);
    if (sending !== 'any') expect(left > 0, row).toBe(sending === 'some');
    if (accepted !== 'any') expect(sent > 0, row).toBe(accepted === 'some');
  }
  const last = await ended(stage.launch());
  expect(last).toMatchObject({ code: 3, document: { messages: { uncertain } } });
  const findings = await checkRun(stage, { kills: CRASHES.length, report: last.document });
  expect(findings.sent + uncertain).toBe(1_500);
});

test('A17: what nobody caught ends the process at once, and the next one goes on', async () => {
  const stage = await openStage({ contacts: 900 });
  const at = { at: 'send', when: 'after', nth: 10 } as const;
  const thrown = await ended(stage.launch({ hook: { ...at, does: 'throw' } }));
  expect(thrown).toMatchObject({ code: 1, document: null });
  expect(JSON.parse(thrown.stderr.trim().split('\n').at(-1) ?? '')).toMatchObject({
    error: { message: expect.stringContaining('thrown on purpose') },
  });
  expect(await ended(stage.launch({ hook: { ...at, does: 'reject' } }))).toMatchObject({ code: 1 });
  const exhausted = stage.launch({
    hook: { ...at, does: 'exhaust' },
    nodeFlags: ['--max-old-space-size=64'],
  });
  const { code, signal } = await exhausted.exited;
  expect(code === 0 ? 'ended well' : (signal ?? `code ${code}`)).toMatch(/SIGABRT|SIGTRAP|code 1\d\d/);
  const last = await ended(stage.launch());
  expect(last.code).toBe(3);
  await checkRun(stage, { kills: 3, report: last.document });
});
