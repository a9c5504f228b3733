import { expect, test, vi } from 'vitest';
import { waitFor } from '../support/wait-for.ts';
import { checkRun, countState } from './check.ts';
import { openStage } from './harness.ts';
import { campaignState, launchFor } from './orders.ts';
import { PATIENCE_MS } from './provider.ts';

vi.setConfig({ testTimeout: 120_000 });

test('M3 M2: two workers with money for 137 of 400 messages send 137, are never refused, pause, and go on after a top-up', async () => {
  const prices = { 1: '0.80', 2: '0.80', 3: '0.80', 4: '0.80' };
  const stage = await openStage({
    sandbox: { prices, startBalance: '110.39' },
    env: { TUMA_PRICE: '0.80' },
  });
  const workers = [stage.serve('worker'), stage.serve('worker')];
  await Promise.all(workers.map((worker) => worker.printed(/serving/, PATIENCE_MS)));
  await launchFor(stage, ['--partial']);
  await waitFor(async () => (await campaignState(stage)).reason === 'balance', {
    what: 'the pause for balance',
    timeoutMs: PATIENCE_MS,
  });
  const short = await checkRun(stage, { kills: 0, settled: false });
  expect(short).toMatchObject({ accepted: 137, sent: 137, uncertain: 0, queued: 263 });
  expect([...(await stage.provider.truth()).refused]).toEqual([]);
  await stage.provider.topUp('1000.00');
  await waitFor(() => countState(stage, 'sent') === 400, { what: '400 sent', timeoutMs: PATIENCE_MS });
  await Promise.all(workers.map((worker) => worker.stop('SIGTERM')));
  expect(await checkRun(stage, { kills: 0 })).toMatchObject({ accepted: 400, uncertain: 0 });
  expect([...(await stage.provider.truth()).refused]).toEqual([]);
});

test('A13: of two workers one is killed; the other goes on, and what the dead one held is uncertain, never sent again', async () => {
  const stage = await openStage({ contacts: 1_200 });
  const [killed, survivor] = [stage.serve('worker'), stage.serve('worker,collector')];
  await Promise.all([killed, survivor].map((worker) => worker.printed(/serving/, PATIENCE_MS)));
  await launchFor(stage);
  await stage.provider.accepted(250);
  await killed.stop('SIGKILL');
  await waitFor(() => countState(stage, 'queued') + countState(stage, 'sending') === 0, {
    what: 'the survivor to finish',
    timeoutMs: PATIENCE_MS,
  });
  await survivor.stop('SIGTERM');
  const findings = await checkRun(stage, { kills: 1 });
  expect(findings.uncertain).toBeGreaterThan(0);
  expect(findings.sent).toBe(1_200 - findings.uncertain);
});
