import { globSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { waitFor } from '../support/wait-for.ts';
import { checkRun, countCampaigns, countState, unjoinedReports } from './check.ts';
import { CLAIM_LIMIT, ended, openStage } from './harness.ts';
import type { Hook } from './hooks.ts';
import { seeded } from './seeds.ts';

vi.setConfig({ testTimeout: 90_000 });

test('A14 R1: launch --wait killed with its Redis at random moments goes on each time and sends nothing twice', async () => {
  const random = seeded('random kills', 1);
  const stage = await openStage({ contacts: 900 });
  const kills = 4;
  for (let kill = 0; kill < kills; kill += 1) {
    const { accepted } = await stage.provider.stats();
    const run = stage.launch();
    await stage.provider.accepted(accepted + random.whole(1, 120));
    await stage.killWithRedis(run);
    await checkRun(stage, { kills, settled: false });
  }
  const last = await ended(stage.launch());
  expect(last).toMatchObject({ code: 3, document: { campaign: { state: 'finished' } } });
  const findings = await checkRun(stage, { kills, report: last.document });
  expect(findings.sent + findings.uncertain).toBe(900);
  expect(findings.sent).toBeGreaterThan(400);
  expect(countCampaigns(stage)).toBe(1);
  expect(await unjoinedReports(stage)).toEqual([]);
  expect(await stage.tuma(['verify'])).toMatchObject({ code: 0, document: { violations: [] } });
});

test('A1: what a killed worker had taken from the queue and not leased does not wait for its lock in Redis', async () => {
  const stage = await openStage();
  const hook: Hook = { at: 'leaseBatch', when: 'before', nth: 3, does: 'kill' };
  expect(await ended(stage.launch({ hook }))).toMatchObject({ signal: 'SIGKILL' });
  const run = stage.launch();
  // The lock is held for 30 s, and looked at every 5 s.
  const open = () => countState(stage, 'queued') + countState(stage, 'sending');
  await waitFor(() => open() === 0, { what: 'every batch to be sent', timeoutMs: 25_000 });
  const { document } = await ended(run);
  await checkRun(stage, { kills: 1, report: document });
});

interface Crash {
  row: string;
  hook: Hook;
  /** How many messages the sandbox may have accepted in this run. */
  accepted: 'none' | 'some' | 'any';
  /** How many messages of this run are left `sending`. */
  sending: 'none' | 'some' | 'any';
}

const kill = (at: string, when: Hook['when'], nth: number, delay = 0): Hook => ({
  at,
  when,
  nth,
  delay,
  does: 'kill',
});

/** Along the send protocol, in its order. */
const CRASHES: Crash[] = [
  {
    row: 'B2 activated, nothing queued',
    hook: kill('activate', 'after', 1),
    accepted: 'none',
    sending: 'none',
  },
  { row: 'A1 before the claim', hook: kill('claim', 'before', 1), accepted: 'none', sending: 'none' },
  { row: 'A2 inside the claim', hook: kill('claim', 'during', 1, 150), accepted: 'none', sending: 'any' },
  { row: 'A3 claimed, not dispatched', hook: kill('claim', 'after', 1), accepted: 'none', sending: 'some' },
  {
    row: 'A4 connected',
    hook: kill('undici:client:connected', 'after', 6),
    accepted: 'any',
    sending: 'some',
  },
  {
    row: 'A7 on the wire',
    hook: kill('undici:client:sendHeaders', 'after', 24),
    accepted: 'some',
    sending: 'some',
  },
  { row: 'A8 answered, not buffered', hook: kill('send', 'after', 20), accepted: 'some', sending: 'some' },
  {
    row: 'A9 before the outcome',
    hook: kill('recordOutcomes', 'before', 2),
    accepted: 'some',
    sending: 'some',
  },
  {
    row: 'A10 inside the outcome',
    hook: kill('recordOutcomes', 'during', 2, 150),
    accepted: 'some',
    sending: 'any',
  },
  {
    row: 'A11 the outcome recorded',
    hook: kill('recordOutcomes', 'after', 3),
    accepted: 'some',
    sending: 'any',
  },
  {
    row: 'A11 before the release',
    hook: kill('releaseBatch', 'before', 1),
    accepted: 'any',
    sending: 'any',
  },
  { row: 'A12 after the release', hook: kill('releaseBatch', 'after', 1), accepted: 'any', sending: 'any' },
];

test('A1 A2 A3 A4 A7 A8 A9 A10 A11 A12 A14 B2: killed at each step of the protocol, a campaign still ends right', async () => {
  const stage = await openStage({ contacts: 1_500 });
  let uncertain = 0;
  for (const [index, { row, hook, accepted, sending }] of CRASHES.entries()) {
    const before = (await stage.provider.stats()).accepted;
    expect(await ended(stage.launch({ hook })), row).toMatchObject({ code: null, signal: 'SIGKILL' });
    const left = countState(stage, 'sending');
    await checkRun(stage, { kills: index + 1, settled: false });
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

test('B1: killed while it plans, nothing of the plan is visible, and the next launch plans anew', async () => {
  const stage = await openStage({ contacts: 3_000, sandbox: { latencyMs: 5 } });
  for (const hook of [kill('addMessages', 'after', 1), kill('activate', 'before', 1)]) {
    expect(await ended(stage.launch({ hook }))).toMatchObject({ signal: 'SIGKILL' });
    expect((await stage.tuma(['status'])).document).toMatchObject({ campaigns: [] });
    expect(await stage.tuma(['report', 'faults'])).toMatchObject({ code: 2, document: null });
  }
  expect((await stage.provider.stats()).received).toBe(0);
  const run = await ended(stage.launch());
  expect(run).toMatchObject({ code: 0, document: { messages: { sent: 3_000 } } });
  expect(await checkRun(stage, { kills: 0, report: run.document })).toMatchObject({ accepted: 3_000 });
});

test('B3: of two launches at the same instant one activates, the other watches the same campaign', async () => {
  const stage = await openStage();
  const go = join(stage.directory, 'go');
  const hook: Hook = { at: 'activate', when: 'before', nth: 1, does: 'wait', file: go };
  const runs = [stage.launch({ hook }), stage.launch({ hook })];
  await waitFor(() => globSync(`${go}.*`).length === 2, { what: 'both to stand before the activation' });
  writeFileSync(go, '');
  const [one, other] = await Promise.all(runs.map(ended));
  expect(one).toMatchObject({ code: 0, document: { messages: { sent: 400 } } });
  expect(other).toMatchObject({ code: 0, document: { messages: { sent: 400 } } });
  expect(one?.document?.campaign.id).toBe(other?.document?.campaign.id);
  expect(countCampaigns(stage)).toBe(1);
  expect(await checkRun(stage, { kills: 0, report: one?.document ?? null })).toMatchObject({ accepted: 400 });
});

test('A5 A6: a request that the provider has not read when the worker dies is uncertain, and is not sent again', async () => {
  const stage = await openStage();
  const run = stage.launch();
  await stage.provider.accepted(60);
  stage.provider.signal('SIGSTOP');
  await stage.killWithRedis(run);
  stage.provider.signal('SIGCONT');
  const last = await ended(stage.launch());
  expect(last.code).toBe(3);
  const { accepted, sent, uncertain } = await checkRun(stage, { kills: 1, report: last.document });
  expect(uncertain).toBeGreaterThan(0);
  // What waited in the sockets of the dead was taken after all: had it been sent again, I1 would have told.
  expect(accepted).toBeGreaterThan(sent);
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
