import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { checkRun } from './check.ts';
import { CLAIM_LIMIT, ended, openStage } from './harness.ts';
import { endWorkers, settle } from './killing.ts';
import { seeded } from './seeds.ts';
import { addRun } from './summary.ts';

const CONTACTS = 3_000;
/** Answers come within 50 ms; the rest is for the last balance and the end of a process, on a busy machine. */
const STOP_MS = 6_000;

test('50 orderly stops of a worker at random moments leave nothing uncertain [S1 S3]', async () => {
  const random = seeded('stops of a worker');
  const stage = await openStage({ contacts: CONTACTS });
  const stops = 50;
  const tookMs: number[] = [];
  const exits = new Map<string, (number | null)[]>();
  const { resumeMs } = await endWorkers(stage, {
    random,
    times: stops,
    end: async (worker) => {
      const signal = (['SIGTERM', 'SIGINT', 'SIGHUP'] as const)[random.whole(0, 2)] ?? 'SIGTERM';
      const at = performance.now();
      await worker.stop(signal);
      // One that was still starting may have been ended by the signal itself, or have left with its number.
      if (/serving/.test(worker.stderr())) {
        tookMs.push(performance.now() - at);
        exits.set(signal, [...(exits.get(signal) ?? []), (await worker.exited).code]);
      }
      return { mayLeave: false };
    },
  });
  expect([...exits.keys()].toSorted()).toEqual(['SIGHUP', 'SIGINT', 'SIGTERM']);
  expect(new Set([...exits.values()].flat())).toEqual(new Set([0]));
  expect(Math.max(...tookMs)).toBeLessThan(STOP_MS);
  await settle(stage);
  const findings = await checkRun(stage, { kills: 0 });
  expect(findings.uncertain).toBe(0);
  addRun('SIGTERM, SIGINT, SIGHUP of a worker', findings, { runs: stops, resumeMs });
});

test('30 workers that are told twice quit without the answers, and leave no more than a killed one [S2]', async () => {
  const random = seeded('second signals');
  // Slow answers: the first signal would wait for them.
  const stage = await openStage({ contacts: CONTACTS, sandbox: { latencyMs: 500 } });
  const stops = 30;
  const { mostLeft, resumeMs } = await endWorkers(stage, {
    random,
    times: stops,
    end: async (worker) => {
      const ending = worker.stop('SIGINT');
      await sleep(random.whole(20, 200));
      await worker.stop('SIGINT');
      await ending;
      return { mayLeave: true };
    },
  });
  expect(mostLeft).toBeLessThanOrEqual(CLAIM_LIMIT);
  // Who waits for the answers leaves none.
  expect(mostLeft).toBeGreaterThan(0);
  await settle(stage);
  addRun('SIGINT twice', await checkRun(stage, { kills: stops }), { runs: stops, resumeMs });
});

test('20 orderly stops of launch --wait leave nothing uncertain [S1 S3]', async () => {
  const random = seeded('stops of launch --wait');
  const stage = await openStage({ contacts: CONTACTS });
  const stops = 20;
  for (let stop = 0; stop < stops; stop += 1) {
    const { accepted } = await stage.provider.stats();
    const run = stage.launch();
    await Promise.race([stage.provider.accepted(accepted + random.whole(1, 100)), run.exited]);
    await run.stop((['SIGTERM', 'SIGINT', 'SIGHUP'] as const)[random.whole(0, 2)]);
    if (stop % 5 === 4)
      expect(await checkRun(stage, { kills: 0, settled: false })).toMatchObject({ uncertain: 0 });
  }
  const last = await ended(stage.launch());
  const findings = await checkRun(stage, { kills: 0, report: last.document });
  expect(findings.uncertain).toBe(0);
  addRun('SIGTERM, SIGINT, SIGHUP of launch --wait', findings, { runs: stops });
});

test('a worker that cannot end, for another process holds the ledger, is ended by itself when its grace is over [S2]', async () => {
  const stage = await openStage({ contacts: CONTACTS, env: { TUMA_DEADLINE: '6s' } });
  const run = stage.launch();
  await stage.provider.accepted(200);
  const database = new DatabaseSync(stage.ledgerFile, { timeout: 10_000 });
  onTestFinished(() => database.close());
  database.exec('BEGIN IMMEDIATE');
  const at = performance.now();
  process.kill(run.pid, 'SIGTERM');
  expect(await ended(run)).toMatchObject({ code: 143 });
  const tookMs = performance.now() - at;
  database.exec('ROLLBACK');
  expect(tookMs).toBeGreaterThan(20_500);
  expect(tookMs).toBeLessThan(25_000);
  expect(run.stderr()).toContain('Not finished 21 s after SIGTERM');
  await settle(stage);
  const findings = await checkRun(stage, { kills: 1 });
  // Every answer came while it waited, and is in its wire note.
  expect(findings.uncertain).toBe(0);
  addRun('the grace of a stop is over', findings);
});
