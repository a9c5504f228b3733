import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { ROOT } from '../support/processes.ts';
import { checkRun, countCampaigns, countState } from './check.ts';
import { ended, openStage } from './harness.ts';
import { orderOf } from './power-cut.ts';
import { redisOutside, sendRecorded } from './recorded-campaign.ts';
import { seeded } from './seeds.ts';
import { injected, noStrace } from './strace.ts';
import { addRun } from './summary.ts';

/* The disk refuses, or the power goes, at one call of the kernel (L3). */

vi.setConfig({ testTimeout: 300_000 });

const CONTACTS = 400;

test.skipIf(noStrace)(
  'A18: the check of the order fails of a ledger that does not sync its commits',
  async () => {
    const weak = join(ROOT, 'test/faults/weak-sync-process.ts');
    const { stage, calls } = await sendRecorded({ contacts: 80, nodeFlags: ['--import', weak] });
    const { early } = orderOf(calls, stage.ledgerFile);
    expect(early.filter((what) => what.startsWith('message')).length).toBeGreaterThan(40);
    expect(early.filter((what) => what.startsWith('ack')).length).toBeGreaterThan(40);
  },
);

test.skipIf(noStrace)('A2 A10: killed in the middle of a commit’s pages, none of it happened', async () => {
  const random = seeded('kills at a page');
  const stage = await openStage({ contacts: 1_500, env: { TUMA_REDIS_URL: await redisOutside() } });
  const kills = 10;
  for (let kill = 1; kill <= kills; kill += 1) {
    const log = join(stage.directory, `calls-${kill}`);
    // Counted for each thread; nearly all are those of the ledger's writer.
    const under = injected(log, `pwrite64:signal=SIGKILL:when=${random.whole(100, 900)}`);
    expect(await ended(stage.launch({ under }))).toMatchObject({ signal: 'SIGKILL' });
    if (countCampaigns(stage) > 0) await checkRun(stage, { kills: kill, settled: false });
  }
  const last = await ended(stage.launch());
  const findings = await checkRun(stage, { kills, report: last.document });
  addRun('SIGKILL at a page', findings);
});

test.skipIf(noStrace)(
  'D3: a sync that fails ends the worker, which commits nothing more; the next one goes on',
  async () => {
    const stage = await openStage({ contacts: CONTACTS, env: { TUMA_REDIS_URL: await redisOutside() } });
    const log = join(stage.directory, 'calls');
    const under = injected(log, 'fsync,fdatasync:error=EIO:when=15');
    const broken = await ended(stage.launch({ under, hook: { clockSpeed: 20 } }));
    expect([broken.code, broken.stderr]).toEqual([1, expect.stringContaining('the ledger is damaged')]);
    const [before = '', after = ''] = readFileSync(log, 'utf8').split(/ EIO .*$/m);
    const commits = (calls: string) => calls.split('\n').filter((call) => call.includes('ledger.db-wal>'));
    expect(commits(before).length).toBeGreaterThan(20);
    // Its end syncs what was committed before, and copies it to the main file.
    expect(commits(after).filter((call) => !call.includes('sync('))).toEqual([]);
    await checkRun(stage, { kills: 1, settled: false });
    const last = await ended(stage.launch());
    await checkRun(stage, { kills: 1, report: last.document });
  },
);

test.skipIf(noStrace)(
  'D2: pages for which there is no space are verdicts that wait, and none is lost',
  async () => {
    const stage = await openStage({ contacts: CONTACTS, env: { TUMA_REDIS_URL: await redisOutside() } });
    const log = join(stage.directory, 'calls');
    const under = injected(log, 'pwrite64:error=ENOSPC:when=600..606');
    const run = await ended(stage.launch({ under }));
    expect([run.code, run.stderr]).toEqual([0, expect.stringContaining('the disk is full')]);
    expect(countState(stage, 'uncertain')).toBe(0);
    await checkRun(stage, { kills: 0, report: run.document });
  },
);
