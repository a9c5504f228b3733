import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { waitFor } from '../support/wait-for.ts';
import { checkRun, countCampaigns, isOpen, unjoinedReports } from './check.ts';
import { openStage } from './harness.ts';
import { keepOpen, nextContacts, settle, untilSettled } from './killing.ts';
import { seeded } from './seeds.ts';
import { addRun } from './summary.ts';

test('100 random kills of the collector, and every report that it acknowledged is there [W1 W2 W3 I6]', async () => {
  const random = seeded('kills of the collector');
  const stage = await openStage({
    contacts: 1_500,
    env: { TUMA_RATE: '60/s' },
    sandbox: { reportDelayMs: { min: 10, max: 1_500 } },
  });
  await keepOpen(stage);
  const worker = stage.serve('worker');
  await worker.printed(/serving/);
  const kills = 100;
  let taken = 0;
  for (let kill = 0; kill < kills; kill += 1) {
    if (!isOpen(stage)) await keepOpen(stage);
    const collector = stage.serve('collector');
    const before = (await stage.provider.stats()).reports.taken;
    // Half of the kills come at any time at all, half when reports were taken.
    if (random.next() < 0.5) await sleep(random.whole(0, 900));
    else {
      const enough = before + random.whole(1, 40);
      await waitFor(async () => (await stage.provider.stats()).reports.taken >= enough, {
        what: 'some reports',
      });
    }
    await collector.stop('SIGKILL');
    taken += (await stage.provider.stats()).reports.taken - before;
  }
  expect(taken).toBeGreaterThan(kills);
  const last = stage.serve('collector');
  await untilSettled(stage);
  await waitFor(async () => (await unjoinedReports(stage)).length === 0, {
    what: 'every acknowledged report to be joined',
  });
  await Promise.all([worker, last].map((each) => each.stop('SIGTERM')));
  const findings = await checkRun(stage, { kills: 0 });
  expect(findings.uncertain).toBe(0);
  addRun('SIGKILL of the collector', findings, { runs: kills });
});

test('60 random kills of a launch: no half plan is ever seen, and every campaign is sent once [B1 B2]', async () => {
  const random = seeded('kills of a launch');
  const stage = await openStage({ contacts: 4_000, sandbox: { latencyMs: 5 } });
  const worker = stage.serve('worker');
  await worker.printed(/serving/);
  const kills = 60;
  for (let kill = 0; kill < kills; kill += 1) {
    if (countCampaigns(stage) > 0 && !isOpen(stage)) nextContacts(stage);
    const launch = stage.start(['launch', 'job.yaml', '--yes']);
    await Promise.race([sleep(random.whole(100, 1_400)), launch.exited]);
    await launch.stop('SIGKILL');
    if (countCampaigns(stage) > 0) await checkRun(stage, { kills: 0, settled: false });
  }
  await worker.stop('SIGTERM');
  await keepOpen(stage);
  await settle(stage);
  addRun('SIGKILL of a launch', await checkRun(stage, { kills: 0 }), { runs: kills });
});
