import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { startRedis } from '../support/redis.ts';
import { waitFor } from '../support/wait-for.ts';
import { checkRun, isOpen, leasesEver } from './check.ts';
import { ended, openStage, type Stage } from './harness.ts';
import { keepOpen, untilSettled } from './killing.ts';
import { startProxy } from './proxy.ts';
import { addRun } from './summary.ts';

/**
 * Resolves when a job came out of the queue and a message was accepted after it, both within `timeoutMs` of `from`, the
 * present by default. Answers how long that took.
 */
async function untilResumed(stage: Stage, timeoutMs: number, from = performance.now()): Promise<number> {
  const passedMs = () => performance.now() - from;
  const leases = leasesEver(stage);
  await waitFor(() => leasesEver(stage) > leases, { what: 'a job', timeoutMs: timeoutMs - passedMs() });
  const { accepted } = await stage.provider.stats();
  await stage.provider.accepted(accepted + 1, timeoutMs - passedMs());
  expect(passedMs()).toBeLessThan(timeoutMs);
  return passedMs();
}

test('100 FLUSHALLs in one campaign lose nothing, repeat nothing, and it goes on within 10 s of each [R3 I8]', async () => {
  const stage = await openStage({ contacts: 9_000, env: { TUMA_RATE: '70/s' } });
  await keepOpen(stage);
  const worker = stage.serve('worker,collector');
  await stage.provider.accepted(20);
  const resumeMs: number[] = [];
  for (let flush = 0; flush < 100; flush += 1) {
    expect(isOpen(stage)).toBe(true);
    const flushedAt = performance.now();
    await stage.redis.command('FLUSHALL');
    resumeMs.push(await untilResumed(stage, 10_000, flushedAt));
  }
  expect(await stage.tuma(['rate', 'faults', 'unlimited'])).toMatchObject({ code: 0 });
  await untilSettled(stage);
  await worker.stop('SIGTERM');
  const findings = await checkRun(stage, { kills: 0 });
  expect(findings).toMatchObject({ accepted: 9_000, uncertain: 0 });
  addRun('FLUSHALL', findings, { runs: 100, resumeMs });
});

test('Redis killed, out of memory, read-only, standing still, its connections cut: it goes on each time [R1 R5 R7 R8 R10]', async () => {
  const stage = await openStage({ contacts: 9_000, env: { TUMA_RATE: '70/s' } });
  const redis = (...words: [string, ...string[]]) => stage.redis.command(...words);
  await keepOpen(stage);
  const worker = stage.serve('worker,collector');
  await stage.provider.accepted(20);
  const faults: Record<string, () => Promise<unknown>> = {
    'Redis killed': async () => stage.redis.kill(),
    'Redis out of memory for 4 s': async () => {
      await redis('CONFIG', 'SET', 'maxmemory', '1');
      await sleep(4_000);
      await redis('CONFIG', 'SET', 'maxmemory', '0');
    },
    'Redis read-only for 4 s': async () => {
      await redis('REPLICAOF', '127.0.0.1', '1');
      await sleep(4_000);
      await redis('REPLICAOF', 'NO', 'ONE');
    },
    'Redis stands still for 4 s': async () => {
      const pid = stage.redis.pid() ?? 0;
      process.kill(pid, 'SIGSTOP');
      await sleep(4_000);
      process.kill(pid, 'SIGCONT');
    },
    'Redis keeps its clients waiting for 4 s': async () => {
      await redis('CLIENT', 'PAUSE', '4000');
      await sleep(4_000);
    },
    'connections to Redis killed for 4 s': async () => {
      for (let kill = 0; kill < 8; kill += 1) {
        await redis('CLIENT', 'KILL', 'TYPE', 'normal').catch(() => undefined);
        await sleep(500);
      }
    },
  };
  const resumed: [string, number][] = [];
  for (const [fault, strike] of Object.entries(faults)) {
    for (let time = 0; time < 2; time += 1) {
      await strike();
      resumed.push([fault, await untilResumed(stage, 30_000)]);
    }
  }
  expect(await stage.tuma(['rate', 'faults', 'unlimited'])).toMatchObject({ code: 0 });
  await untilSettled(stage);
  await worker.stop('SIGTERM');
  const findings = await checkRun(stage, { kills: 0 });
  expect(findings).toMatchObject({ accepted: 9_000, uncertain: 0 });
  const none = { ...findings, messages: 0 };
  addRun('Redis in all kinds of trouble (below)', findings, { runs: resumed.length });
  for (const [fault, ms] of resumed) addRun(fault, none, { resumeMs: [ms] });
});

test('a connection to Redis that has gone dumb is noticed, and sending goes on over a new one [R9]', async () => {
  const redis = await startRedis();
  const proxy = await startProxy(redis.address.path ?? redis.address.port ?? 0);
  const env = { TUMA_REDIS_URL: `redis://127.0.0.1:${proxy.port}`, TUMA_RATE: '50/s' };
  const stage = await openStage({ contacts: 4_000, env });
  await keepOpen(stage);
  const worker = stage.serve('worker,collector');
  await stage.provider.accepted(50);
  const dumbFrom = performance.now();
  proxy.blackHole();
  await sleep(3_000);
  proxy.heal();
  const resumeMs = [await untilResumed(stage, 30_000, dumbFrom)];
  expect(await stage.tuma(['rate', 'faults', 'unlimited'])).toMatchObject({ code: 0 });
  await untilSettled(stage);
  await worker.stop('SIGTERM');
  const findings = await checkRun(stage, { kills: 0 });
  expect(findings).toMatchObject({ accepted: 4_000, uncertain: 0 });
  addRun('half-open connection to Redis', findings, { resumeMs });
});

test('a Redis that evicts keys is refused at the start; one that begins to while it is used costs nothing [R6]', async () => {
  const redis = await startRedis();
  const { path, host, port } = redis.address;
  const url = path === undefined ? `redis://${host}:${port}` : `unix:${path}`;
  const stage = await openStage({ contacts: 3_000, env: { TUMA_REDIS_URL: url, TUMA_RATE: '100/s' } });
  await redis.command('CONFIG', 'SET', 'maxmemory-policy', 'allkeys-lru');
  await keepOpen(stage);
  const refused = await ended(stage.serve('worker,collector'));
  expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('may evict keys')]);
  await redis.command('CONFIG', 'SET', 'maxmemory-policy', 'noeviction');
  const worker = stage.serve('worker,collector');
  await stage.provider.accepted(100);
  await redis.command('CONFIG', 'SET', 'maxmemory-policy', 'allkeys-lru');
  await redis.command('CONFIG', 'SET', 'maxmemory', '1');
  await sleep(6_000);
  await redis.command('CONFIG', 'SET', 'maxmemory', '0');
  expect(String(await redis.command('INFO', 'stats'))).toMatch(/evicted_keys:[1-9]/);
  const resumeMs = [await untilResumed(stage, 30_000)];
  await untilSettled(stage);
  await worker.stop('SIGTERM');
  const findings = await checkRun(stage, { kills: 0 });
  expect(findings).toMatchObject({ accepted: 3_000, uncertain: 0 });
  addRun('Redis evicts keys', findings, { resumeMs });
});
