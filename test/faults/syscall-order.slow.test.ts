import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ROOT } from '../support/processes.ts';
import { waitFor } from '../support/wait-for.ts';
import { acceptedWhileSending, checkRun, countCampaigns, countState, latestWorker } from './check.ts';
import { ended, openStage } from './harness.ts';
import { leftBehind, uncertainIn } from './left-behind.ts';
import { orderOf } from './power-cut.ts';
import { redisOutside, sendRecorded } from './recorded-campaign.ts';
import { seeded } from './seeds.ts';
import { injected, noStrace } from './strace.ts';
import { addRun } from './summary.ts';

/* The disk refuses, or the power goes, at one call of the kernel (L3). */

const CONTACTS = 400;

test.skipIf(noStrace)(
  'the check of the order fails of a ledger that does not sync its commits [A18]',
  async () => {
    const weak = join(ROOT, 'test/faults/weak-sync-process.ts');
    const { stage, calls } = await sendRecorded({ contacts: 80, nodeFlags: ['--import', weak] });
    const { early } = orderOf(calls, stage.ledgerFile);
    expect(early.filter((what) => what.startsWith('message')).length).toBeGreaterThan(40);
    expect(early.filter((what) => what.startsWith('ack')).length).toBeGreaterThan(40);
  },
);

test.skipIf(noStrace)('killed in the middle of a commit’s pages, none of it happened [A2 A10]', async () => {
  const random = seeded('kills at a page');
  const stage = await openStage({ contacts: 1_500, env: { TUMA_REDIS_URL: await redisOutside() } });
  let kills = 0;
  while (kills < 10) {
    const log = join(stage.directory, `calls-${kills}`);
    // Counted for each thread; nearly all are those of the ledger's writer.
    const under = injected(log, `pwrite64:signal=SIGKILL:when=${random.whole(100, 900)}`);
    // What late kills have left may be too little to write so many pages for.
    if ((await ended(stage.launch({ under }))).signal !== 'SIGKILL') break;
    kills += 1;
    if (countCampaigns(stage) > 0) await checkRun(stage, { kills, settled: false });
  }
  expect(kills).toBeGreaterThan(4);
  const last = await ended(stage.launch());
  const findings = await checkRun(stage, { kills, report: last.document });
  addRun('SIGKILL at a page', findings);
});

test.skipIf(noStrace)(
  'a sync that fails ends the worker, which commits nothing more; the next one goes on [D3]',
  async () => {
    const stage = await openStage({ contacts: CONTACTS, env: { TUMA_REDIS_URL: await redisOutside() } });
    const log = join(stage.directory, 'calls');
    const under = injected(log, 'fsync,fdatasync:error=EIO:when=22');
    const broken = await ended(stage.launch({ under, hook: { clockSpeed: 20 } }));
    expect([broken.code, broken.stderr]).toEqual([1, expect.stringContaining('the ledger is damaged')]);
    const [before = '', after = ''] = readFileSync(log, 'utf8').split(/ EIO .*$/m);
    const callsOn = (file: string, calls: string) =>
      calls.split('\n').filter((call) => call.includes(`${file}>`));
    expect(callsOn('ledger.db-wal', before).length).toBeGreaterThan(20);
    // Its end: the log is synced once, what was committed before goes to the main file, and that is synced.
    expect(callsOn('ledger.db-wal', after)).toEqual([expect.stringContaining('sync(')]);
    const [first = '', ...copied] = after.split('\n').filter((call) => call.includes('/ledger.db'));
    expect(first).toContain('ledger.db-wal>');
    expect(copied.every((call) => call.includes('/ledger.db>'))).toBe(true);
    expect(copied.findIndex((call) => call.includes('sync('))).toBe(copied.length - 1);
    // So the next one finds no log with a hole in it, behind which its own commits would be lost at a power cut.
    expect(existsSync(`${stage.ledgerFile}-wal`)).toBe(false);
    await checkRun(stage, { kills: 1, settled: false });
    const last = await ended(stage.launch());
    await checkRun(stage, { kills: 1, report: last.document });
  },
);

test.skipIf(noStrace)(
  'pages for which there is no space are verdicts that wait, and none is lost [D2]',
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

test.skipIf(noStrace)(
  'killed while verdicts wait for space on a full disk: the noted ones count, and what was on the wire is never sent again [D2]',
  async () => {
    const stage = await openStage({ contacts: 1_500, env: { TUMA_REDIS_URL: await redisOutside() } });
    const log = join(stage.directory, 'calls');
    const run = stage.launch({ under: injected(log, 'pwrite64:error=ENOSPC:when=800+') });
    await run.printed(/the disk is full/);
    await waitFor(async () => (await acceptedWhileSending(stage)) > 0, {
      what: 'verdicts to wait for space',
    });
    process.kill(latestWorker(stage), 'SIGKILL');
    expect(await ended(run)).toMatchObject({ signal: 'SIGKILL' });
    const { onWire, judged } = leftBehind(stage);
    expect(judged.length).toBeGreaterThan(0);
    const last = await ended(stage.launch());
    expect(last).toMatchObject({ document: { messages: { uncertain: onWire.length } } });
    expect(uncertainIn(stage).toSorted()).toEqual(onWire.toSorted());
    const findings = await checkRun(stage, { kills: 1, report: last.document });
    expect(findings.sent + findings.uncertain).toBe(1_500);
    addRun('SIGKILL on a full disk', findings);
  },
);
