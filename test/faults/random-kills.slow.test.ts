import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { TestProcess } from '../support/processes.ts';
import { waitFor } from '../support/wait-for.ts';
import { checkRun, countCampaigns } from './check.ts';
import { CLAIM_LIMIT, ended, openStage } from './harness.ts';
import { endWorkers, killing, settle } from './killing.ts';
import { seeded } from './seeds.ts';
import { addRun } from './summary.ts';

const CONTACTS = 3_000;
const MANY_CONTACTS = 20_000;

test.for([
  { kills: 200, lives: 1 },
  { kills: 200, lives: 2 },
])(
  '$kills random kills of a worker, $lives alive at a time, Redis dying with some of them [A13 A14 R1]',
  async ({ kills, lives }) => {
    const random = seeded(`random kills, ${lives} at a time`);
    const stage = await openStage({ contacts: CONTACTS });
    const plan = { random, times: kills, lives, end: killing(stage, random) };
    const { mostLeft, resumeMs } = await endWorkers(stage, plan);
    await settle(stage);
    const findings = await checkRun(stage, { kills });
    expect(findings.sent + findings.uncertain).toBe(findings.messages);
    expect(mostLeft).toBeLessThanOrEqual(CLAIM_LIMIT);
    addRun('SIGKILL of a worker', findings, { runs: kills, resumeMs });
  },
);

/** strace follows the private Redis too, and would stay for it; one that was just starting is in no record yet. */
async function endOf(run: TestProcess, directory: string) {
  const ended = run.exited.then((end) => ({ end }));
  for (;;) {
    for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) endRedisOf(pid, directory);
    const done = await Promise.race([ended, sleep(100)]);
    if (done !== undefined) return done.end;
  }
}

function endRedisOf(pid: string, directory: string): void {
  try {
    const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8');
    if (command.includes('redis-server') && command.includes(directory)) process.kill(Number(pid), 'SIGKILL');
  } catch {
    // It has ended by itself.
  }
}

const hasStrace = spawnSync('strace', ['-V']).status === 0;

test.runIf(hasStrace)(
  'killed when the ledger asks for its sync, inside a claim or an outcome [A2 A10]',
  async () => {
    const random = seeded('kills at a sync');
    // More than all these lives can send, or one would end before its sync.
    const stage = await openStage({ contacts: MANY_CONTACTS });
    const kills = 12;
    for (let kill = 0; kill < kills; kill += 1) {
      // Counted for each thread; nearly all syncs are those of the ledger's writer. Node's SQLite calls fsync.
      const at = `inject=fsync:signal=SIGKILL:when=${random.whole(5, 120)}`;
      const log = join(stage.directory, `strace-${kill}`);
      const run = stage.launch({ under: ['strace', '-f', '-qq', '-o', log, '-e', 'trace=fsync', '-e', at] });
      await waitFor(() => readFileSync(log, 'utf8').includes('killed by SIGKILL'), {
        what: 'the kill',
      });
      expect((await endOf(run, stage.directory)).signal).toBe('SIGKILL');
      if (countCampaigns(stage) > 0) await checkRun(stage, { kills: kill + 1, settled: false });
    }
    const last = await ended(stage.launch());
    const findings = await checkRun(stage, { kills, report: last.document });
    expect(findings.uncertain).toBeGreaterThan(0);
    addRun('SIGKILL at a sync', findings, { runs: kills });
  },
);
