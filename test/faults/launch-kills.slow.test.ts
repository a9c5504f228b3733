import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { TestProcess } from '../support/processes.ts';
import { checkRun, countCampaigns, isOpen, unjoinedReports } from './check.ts';
import { ended, openStage, type Stage } from './harness.ts';
import { type Seeded, seeded } from './seeds.ts';
import { addRun } from './summary.ts';

const CONTACTS = 3_000;
/** Longer than a launch takes from its start to its first messages, on a slow machine. */
const LATEST_KILL_MS = 2_500;

/** Lets runs be killed until the campaign is settled or the kills are used up; then sees it through. Answers the kills. */
async function killLaunches(random: Seeded, most: number): Promise<number> {
  const stage = await openStage({ contacts: CONTACTS });
  const resumeMs: number[] = [];
  let kills = 0;
  while (kills < most && (countCampaigns(stage) === 0 || isOpen(stage))) {
    const { accepted } = await stage.provider.stats();
    const startedAt = performance.now();
    const run = stage.launch();
    const first = stage.provider.accepted(accepted + 1, 30_000).then(
      () => performance.now() - startedAt,
      () => null,
    );
    await atSomeTime(stage, run, { random, accepted });
    const before = await Promise.race([first, sleep(0, null)]);
    if (kills > 0 && before !== null) resumeMs.push(before);
    if (random.next() < 0.5) stage.redis.kill();
    await run.stop('SIGKILL');
    kills += 1;
    if (kills % 5 === 0 && countCampaigns(stage) > 0) await checkRun(stage, { kills, settled: false });
  }
  const last = await ended(stage.launch());
  expect([0, 3]).toContain(last.code);
  const findings = await checkRun(stage, { kills, report: last.document });
  addRun('SIGKILL of launch --wait', findings, { runs: kills, resumeMs });
  expect(await unjoinedReports(stage)).toEqual([]);
  expect(countCampaigns(stage)).toBe(1);
  return kills;
}

/** Half of the kills come at any time at all, half while messages are under way. */
async function atSomeTime(
  stage: Stage,
  run: TestProcess,
  { random, accepted }: { random: Seeded; accepted: number },
): Promise<void> {
  if (random.next() < 0.5) await sleep(random.whole(0, LATEST_KILL_MS));
  else await Promise.race([stage.provider.accepted(accepted + random.whole(1, 150)), run.exited]);
}

test('100 random kills of launch --wait, the private Redis dying with it each other time [A14 B1 B2 R1]', async () => {
  const random = seeded('kills of launch --wait');
  let kills = 0;
  while (kills < 100) kills += await killLaunches(random, Math.min(25, 100 - kills));
  expect(kills).toBe(100);
});
