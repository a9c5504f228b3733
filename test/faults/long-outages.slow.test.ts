import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { startRedis } from '../support/redis.ts';
import { waitFor } from '../support/wait-for.ts';
import { checkRun, countState, mobilesIn } from './check.ts';
import { CLAIM_LIMIT, ended, type Stage, openStage } from './harness.ts';
import { launchFor } from './orders.ts';
import type { Hook } from './hooks.ts';
import { addRun } from './summary.ts';

/* Tests that wait for an outage to pass wait side by side. */

/** Long enough for the leases of a dead worker to end, on a busy machine too. */
const SETTLED_MS = 300_000;
/** Messages that the breaker lets fail in a row before it opens. */
const BREAKER = 5;

/** Resolves when nothing is queued or sending. */
async function settled(stage: Stage): Promise<void> {
  const open = () => countState(stage, 'queued') + countState(stage, 'sending');
  await waitFor(() => open() === 0, { what: 'the campaign to be settled', timeoutMs: SETTLED_MS });
}

test.concurrent('Redis is down for 20 s, longer than BullMQ waits for a job, and sending goes on when it is back [R2]', async ({
  onTestFinished,
}) => {
  const redis = await startRedis();
  const { path, host, port } = redis.address;
  const env = { TUMA_REDIS_URL: path === undefined ? `redis://${host}:${port}` : `unix:${path}` };
  const stage = await openStage({
    onTestFinished,
    contacts: 6_000,
    env,
    sandbox: { latencyMs: 100 },
  });
  const serve = stage.serve();
  await serve.printed(/serving/);
  await launchFor(stage);
  await stage.provider.accepted(300);
  await redis.kill();
  await sleep(20_000);
  const { accepted } = await stage.provider.stats();
  expect(countState(stage, 'queued')).toBeGreaterThan(0);
  const backAt = performance.now();
  await redis.start();
  await stage.provider.accepted(accepted + 1, 15_000);
  const resumeMs = performance.now() - backAt;
  await settled(stage);
  await serve.stop('SIGTERM');
  const findings = await checkRun(stage, { kills: 0 });
  expect(findings).toMatchObject({ accepted: 6_000, uncertain: 0 });
  addRun('Redis down for 20 s', findings, { resumeMs: [resumeMs] });
});

/**
 * Stops a process that does not hold the ledger's write lock just now: one that does would hold everybody up until it is
 * woken, for it lives and nobody may break its lock.
 */
async function stopOutsideTransaction(stage: Stage, pid: number): Promise<void> {
  for (;;) {
    process.kill(pid, 'SIGSTOP');
    if (isWritable(stage.ledgerFile)) return;
    process.kill(pid, 'SIGCONT');
    await sleep(5);
  }
}

function isWritable(file: string): boolean {
  const database = new DatabaseSync(file, { timeout: 2_000 });
  try {
    database.exec('BEGIN IMMEDIATE; ROLLBACK');
    return true;
  } catch {
    return false;
  } finally {
    database.close();
  }
}

test.concurrent('a worker that was stopped for longer than lease and grace starts no call of what it had claimed [A15]', async ({
  onTestFinished,
}) => {
  const stage = await openStage({
    onTestFinished,
    contacts: 1_500,
    sandbox: { latencyMs: 300 },
  });
  const [zombie, survivor] = [stage.serve('worker'), stage.serve('worker,collector')];
  await Promise.all([zombie, survivor].map((worker) => worker.printed(/serving/)));
  await launchFor(stage);
  await stage.provider.accepted(200);
  await stopOutsideTransaction(stage, zombie.pid);
  await settled(stage);
  const reaped = mobilesIn(stage, 'uncertain');
  expect(reaped.length).toBeGreaterThan(0);
  expect(reaped.length).toBeLessThanOrEqual(CLAIM_LIMIT);
  const { received } = await stage.provider.stats();
  // Asked before the stop, and answered while it stood: the answers wait in its sockets.
  const { acceptedByMobile } = await stage.provider.truth();
  const answered = reaped.filter((mobile) => acceptedByMobile.has(mobile));
  expect(answered.length).toBeGreaterThan(0);
  process.kill(zombie.pid, 'SIGCONT');
  await zombie.printed(/registers again/);
  await Promise.all([zombie, survivor].map((worker) => worker.stop('SIGTERM')));
  expect((await stage.provider.stats()).received).toBe(received);
  // The late answers prove of their messages that they were sent. Of the others nothing is known, and nothing is forgotten.
  const open = mobilesIn(stage, 'uncertain');
  expect(open.toSorted()).toEqual(reaped.filter((mobile) => !answered.includes(mobile)).toSorted());
  expect(countState(stage, 'sent') + open.length).toBe(1_500);
  // It lives and holds the lock of its wire note, so nothing of what it had claimed could be proven.
  const findings = await checkRun(stage, { kills: 0, lostAnswers: CLAIM_LIMIT });
  expect(findings.accepted).toBe(1_500 - (reaped.length - answered.length));
  addRun('SIGSTOP beyond lease and grace', findings);
});

test.concurrent('an event loop that stands still for a minute neither holds the campaign up nor sends anything twice [A16]', async ({
  onTestFinished,
}) => {
  const stage = await openStage({ onTestFinished, contacts: 1_500 });
  const hook: Hook = { at: 'send', when: 'after', nth: 60, does: 'block', delay: 60_000 };
  const blocked = stage.serve('worker', { hook });
  await blocked.printed(/serving/);
  await launchFor(stage);
  await stage.provider.accepted(60);
  const other = stage.serve('worker,collector');
  // While it stands still: what it had not leased is sent by the other, what it had waits for it.
  await stage.provider.accepted(400, 40_000);
  const { messages } = await stage.provider.truth();
  expect([...messages.values()].every((entries) => entries.length === 1)).toBe(true);
  await settled(stage);
  await Promise.all([blocked, other].map((worker) => worker.stop('SIGTERM')));
  addRun('event loop blocked for 60 s', await checkRun(stage, { kills: 0, lostAnswers: CLAIM_LIMIT }));
});

test.concurrent('Redis stands still for longer than its locks hold: sending goes on when it answers, and nothing is sent twice [R8]', async ({
  onTestFinished,
}) => {
  const redis = await startRedis();
  const { path, host, port } = redis.address;
  const env = {
    TUMA_REDIS_URL: path === undefined ? `redis://${host}:${port}` : `unix:${path}`,
    TUMA_RATE: '60/s',
  };
  const stage = await openStage({ onTestFinished, contacts: 3_000, env });
  const workers = [stage.serve('worker'), stage.serve('worker,collector')];
  await Promise.all(workers.map((worker) => worker.printed(/serving/)));
  await launchFor(stage);
  await stage.provider.accepted(200);
  await redis.signal('SIGSTOP');
  // BullMQ holds the lock of a job for 30 s.
  await sleep(40_000);
  const { accepted } = await stage.provider.stats();
  await redis.signal('SIGCONT');
  const backAt = performance.now();
  await stage.provider.accepted(accepted + 1, 30_000);
  const resumeMs = performance.now() - backAt;
  expect(await stage.tuma(['rate', 'faults', 'unlimited'])).toMatchObject({ code: 0 });
  await settled(stage);
  await Promise.all(workers.map((worker) => worker.stop('SIGTERM')));
  const findings = await checkRun(stage, { kills: 0 });
  expect(findings).toMatchObject({ accepted: 3_000, uncertain: 0 });
  addRun('Redis stands still for 40 s', findings, { resumeMs: [resumeMs] });
});

test.concurrent('a provider that is away when a campaign is launched again lets it wait, not fail and not give up messages [P1]', async ({
  onTestFinished,
}) => {
  const stage = await openStage({ onTestFinished, contacts: 600, gated: true });
  stage.gate.holdAfter(100);
  const killed = stage.launch();
  await stage.gate.full();
  await stage.killWithRedis(killed);
  await Promise.all([stage.provider.kill(), stage.gate.refuse()]);
  stage.gate.release();
  const run = stage.launch({ hook: { clockSpeed: 10 } });
  await run.printed(/sending waits/i);
  await Promise.all([stage.provider.start(), stage.gate.accept()]);
  const { code, document } = await ended(run);
  expect(code).toBe(3);
  const findings = await checkRun(stage, { kills: 1, lostAnswers: BREAKER, report: document });
  expect(findings.sent + findings.uncertain).toBe(600);
});
