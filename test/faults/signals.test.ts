import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { inNewHome } from '../support/new-ledger.ts';
import { ROOT, startProcess } from '../support/processes.ts';
import { waitFor } from '../support/wait-for.ts';
import { checkRun, countState, lastClaimAt } from './check.ts';
import { ended, IN_FLIGHT, openStage, type Stage } from './harness.ts';
import { launchFor } from './orders.ts';

/** Waits until messages are on the wire that are not answered, and others are claimed behind them. */
async function inTheMiddle(stage: Stage): Promise<void> {
  await stage.gate.full();
  await waitFor(() => countState(stage, 'sending') > IN_FLIGHT, {
    what: 'claims behind what is on the wire',
  });
}

/** A first signal puts back what was claimed and is not on the wire. */
async function isHeeded(stage: Stage): Promise<void> {
  await waitFor(() => countState(stage, 'sending') <= IN_FLIGHT, { what: 'the unsent to be put back' });
}

test('a first signal leaves nothing uncertain, tells it by the exit code, and the next run finishes [S1 S3]', async () => {
  const stage = await openStage({ sandboxHere: true, contacts: 600, gated: true });
  const exits = { SIGTERM: 143, SIGINT: 130, SIGHUP: 129 } as const;
  for (const [signal, code] of Object.entries(exits)) {
    stage.gate.holdAfter(50);
    const run = stage.launch();
    await inTheMiddle(stage);
    process.kill(run.pid, signal);
    await isHeeded(stage);
    stage.gate.release();
    expect(await ended(run), signal).toMatchObject({ code, signal: null });
    expect(await checkRun(stage, { kills: 0, settled: false }), signal).toMatchObject({ uncertain: 0 });
    expect(countState(stage, 'sending'), signal).toBe(0);
    expect(countState(stage, 'queued'), signal).toBeGreaterThan(0);
  }
  // Whoever leaves in order takes the private Redis with it.
  expect(stage.redis.pid()).toBeNull();
  const last = await ended(stage.launch());
  expect(last).toMatchObject({ code: 0, document: { messages: { sent: 600, uncertain: 0 } } });
  await checkRun(stage, { kills: 0, report: last.document });
});

test('serve that is asked to stop ends with 0 and leaves nothing uncertain [S1]', async () => {
  const stage = await openStage({ sandboxHere: true, contacts: 600, gated: true });
  stage.gate.holdAfter(40);
  const serve = stage.serve();
  await serve.printed(/serving/);
  await launchFor(stage);
  await inTheMiddle(stage);
  process.kill(serve.pid, 'SIGTERM');
  await serve.printed(/stopping/);
  const knownAt = Date.now();
  // It waits for the answers, and for nothing else.
  await isHeeded(stage);
  stage.gate.release();
  expect(await serve.exited).toEqual({ code: 0, signal: null });
  expect(lastClaimAt(stage)).toBeGreaterThan(0);
  expect(lastClaimAt(stage)).toBeLessThanOrEqual(knownAt);
  expect(await checkRun(stage, { kills: 0, settled: false })).toMatchObject({ uncertain: 0 });
  expect(countState(stage, 'sending')).toBe(0);
});

test('a second signal quits at once, and what was on the wire is uncertain [S2]', async () => {
  const stage = await openStage({ sandboxHere: true, contacts: 600, gated: true });
  stage.gate.holdAfter(100);
  const run = stage.launch();
  await inTheMiddle(stage);
  process.kill(run.pid, 'SIGTERM');
  await isHeeded(stage);
  process.kill(run.pid, 'SIGTERM');
  expect(await ended(run)).toMatchObject({ code: 143 });
  stage.gate.release();
  const last = await ended(stage.launch());
  const { uncertain } = await checkRun(stage, { kills: 1, report: last.document });
  expect(last.code).toBe(3);
  expect(uncertain).toBe(IN_FLIGHT);
});

test('nobody reads its output any more, and a full disk takes its log: it sends all the same [S4]', async () => {
  for (const [output, code] of [
    ['2>&1 | :', 0],
    ['>/dev/full 2>&1', 1],
  ] as const) {
    const stage = await openStage({ sandboxHere: true, contacts: 200 });
    const script = `{ "$@"; echo $? >exit; } ${output}`;
    const launch = inNewHome(['launch', 'job.yaml', '--yes', '--wait']);
    const words = [process.execPath, join(ROOT, 'src/cli/main.ts'), ...launch];
    const run = startProcess('/bin/sh', ['-c', script, 'sh', ...words], {
      cwd: stage.directory,
      env: stage.env,
    });
    await run.exited;
    expect(readFileSync(join(stage.directory, 'exit'), 'utf8'), output).toBe(`${code}\n`);
    expect(await checkRun(stage, { kills: 0 })).toMatchObject({ sent: 200, accepted: 200 });
  }
});
