import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test, vi } from 'vitest';
import type { TestProcess } from '../support/processes.ts';
import { waitFor } from '../support/wait-for.ts';
import { checkRun, countCampaigns, countState, unjoinedReports } from './check.ts';
import { ended, openStage, type Stage } from './harness.ts';
import { PATIENCE_MS } from './provider.ts';
import { type Seeded, seeded } from './seeds.ts';
import { addRun } from './summary.ts';

vi.setConfig({ testTimeout: 600_000 });

const CONTACTS = 3_000;
/** Longer than a run takes from its start to its first messages, on a slow machine. */
const LATEST_KILL_MS = 4_000;

/** Lets runs be killed until the campaign is settled or the kills are used up; then sees it through. Answers the kills. */
async function killRepeatedly(
  fault: string,
  random: Seeded,
  { most, kill }: { most: number; kill: (stage: Stage, run: TestProcess) => Promise<void> },
): Promise<number> {
  const stage = await openStage({ contacts: CONTACTS });
  const resumeMs: number[] = [];
  let kills = 0;
  while (kills < most && (kills === 0 || countCampaigns(stage) === 0 || isOpen(stage))) {
    const { accepted } = await stage.provider.stats();
    const startedAt = performance.now();
    const run = stage.launch();
    const first = stage.provider.accepted(accepted + 1, 30_000).then(
      () => performance.now() - startedAt,
      () => null,
    );
    // Half of the kills come at any time at all, half while messages are under way.
    if (random.next() < 0.5) await sleep(random.whole(0, LATEST_KILL_MS));
    else await Promise.race([stage.provider.accepted(accepted + random.whole(1, 150)), run.exited]);
    const before = await Promise.race([first, sleep(0, null)]);
    if (kills > 0 && before !== null) resumeMs.push(before);
    await kill(stage, run);
    kills += 1;
    if (countCampaigns(stage) > 0) await checkRun(stage, { kills, settled: false });
  }
  const last = await ended(stage.launch());
  expect([0, 3]).toContain(last.code);
  addRun(fault, await checkRun(stage, { kills, report: last.document }), resumeMs);
  expect(await unjoinedReports(stage)).toEqual([]);
  expect(countCampaigns(stage)).toBe(1);
  return kills;
}

function isOpen(stage: Stage): boolean {
  return countState(stage, 'queued') + countState(stage, 'sending') > 0;
}

test('A14 R1: 60 random kills of launch --wait, the private Redis dying with it each other time', async () => {
  const random = seeded('random kills');
  let kills = 0;
  while (kills < 60)
    kills += await killRepeatedly('SIGKILL of launch', random, {
      most: Math.min(15, 60 - kills),
      kill: async (stage, run) => {
        if (random.next() < 0.5) stage.redis.kill();
        await run.stop('SIGKILL');
      },
    });
  expect(kills).toBe(60);
});

const hasStrace = spawnSync('strace', ['-V']).status === 0;

test.runIf(hasStrace)(
  'A2 A10: killed when the ledger asks for its sync, inside a claim or an outcome',
  async () => {
    const random = seeded('kills at a sync');
    const stage = await openStage({ contacts: CONTACTS });
    const kills = 12;
    for (let kill = 0; kill < kills; kill += 1) {
      // Counted for each thread; nearly all syncs are those of the ledger's writer. Node's SQLite calls fsync.
      const at = `inject=fsync:signal=SIGKILL:when=${random.whole(5, 120)}`;
      const log = join(stage.directory, `strace-${kill}`);
      const run = stage.launch({ under: ['strace', '-f', '-qq', '-o', log, '-e', 'trace=fsync', '-e', at] });
      await waitFor(() => readFileSync(log, 'utf8').includes('killed by SIGKILL'), {
        what: 'the kill',
        timeoutMs: PATIENCE_MS,
      });
      // strace follows the private Redis too, and would stay for it.
      stage.redis.kill();
      expect((await run.exited).signal).toBe('SIGKILL');
      if (countCampaigns(stage) > 0) await checkRun(stage, { kills: kill + 1, settled: false });
    }
    const last = await ended(stage.launch());
    const findings = await checkRun(stage, { kills, report: last.document });
    expect(findings.uncertain).toBeGreaterThan(0);
    addRun('SIGKILL at a sync', findings);
  },
);

test('S1 S3: 20 orderly stops at random moments leave nothing uncertain', async () => {
  const random = seeded('signals');
  const stage = await openStage({ contacts: CONTACTS });
  for (let stop = 0; stop < 20; stop += 1) {
    const { accepted } = await stage.provider.stats();
    const run = stage.launch();
    await Promise.race([stage.provider.accepted(accepted + random.whole(1, 100)), run.exited]);
    await run.stop((['SIGTERM', 'SIGINT', 'SIGHUP'] as const)[random.whole(0, 2)]);
    const findings = await checkRun(stage, { kills: 0, settled: false });
    expect(findings.uncertain).toBe(0);
  }
  const last = await ended(stage.launch());
  addRun('SIGTERM, SIGINT, SIGHUP', await checkRun(stage, { kills: 0, report: last.document }));
});
