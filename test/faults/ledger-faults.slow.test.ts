import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { waitFor } from '../support/wait-for.ts';
import { checkRun, countState, isOpen, unjoinedReports } from './check.ts';
import { ended, openStage } from './harness.ts';
import { keepOpen, settle, untilSettled } from './killing.ts';
import { addRun } from './summary.ts';

test('another process holds the ledger for 10 s: no answer is lost, no report is falsely acknowledged [D1 W13]', async () => {
  const stage = await openStage({ contacts: 3_000, env: { TUMA_RATE: '100/s' } });
  await keepOpen(stage);
  const worker = stage.serve('worker,collector');
  await stage.provider.accepted(200);
  const database = new DatabaseSync(stage.ledgerFile, { timeout: 10_000 });
  onTestFinished(() => database.close());
  const resumeMs: number[] = [];
  for (let time = 0; time < 3; time += 1) {
    database.exec('BEGIN IMMEDIATE');
    await sleep(5_000);
    // Meanwhile nobody is told that a report was stored.
    const url = `http://127.0.0.1:${stage.collectorPort}/webhooks/${stage.env['TUMA_WEBHOOK_TOKEN']}`;
    const body = JSON.stringify({ messageid: `held-${time}`, description: 'DeliveredToTerminal' });
    expect((await fetch(url, { method: 'POST', body })).status).toBe(503);
    await sleep(5_000);
    const { accepted } = await stage.provider.stats();
    database.exec('ROLLBACK');
    const from = performance.now();
    await stage.provider.accepted(accepted + 1, 15_000);
    resumeMs.push(performance.now() - from);
  }
  await untilSettled(stage);
  await waitFor(async () => (await unjoinedReports(stage)).length === 0, {
    what: 'every acknowledged report to be joined',
  });
  await worker.stop('SIGTERM');
  const findings = await checkRun(stage, { kills: 0 });
  expect(findings).toMatchObject({ accepted: 3_000, uncertain: 0 });
  addRun('ledger held for 10 s', findings, { runs: 3, resumeMs });
});

test('a backup that is put back in mid-campaign sends nothing until a person accepts it, and then nothing twice [D9]', async () => {
  // Slow enough that all of it is not gone while the backup is made.
  const stage = await openStage({ contacts: 900, env: { TUMA_RATE: '60/s' } });
  const env = { XDG_STATE_HOME: join(stage.directory, 'state') };
  await keepOpen(stage);
  const first = stage.serve('worker', { env });
  await stage.provider.accepted(150);
  const backup = join(stage.directory, 'backup.db');
  expect(await stage.tuma(['backup', backup], { env })).toMatchObject({ code: 0 });
  const atBackup = (await stage.provider.stats()).accepted;
  await stage.provider.accepted(atBackup + 150);
  await first.stop('SIGKILL');
  for (const part of ['-wal', '-shm']) rmSync(`${stage.ledgerFile}${part}`, { force: true });
  copyFileSync(backup, stage.ledgerFile);
  const { accepted } = await stage.provider.stats();

  const refused = await ended(stage.serve('worker', { env }));
  expect(refused).toMatchObject({ code: 1 });
  expect(refused.stderr).toContain('This ledger is older than what was sent from it');
  const launch = await ended(stage.launch({ env }));
  expect(launch).toMatchObject({ code: 1, document: null });
  expect(launch.stderr).toContain('ledger_behind');
  expect((await stage.tuma(['doctor'], { env })).code).toBe(1);
  expect((await stage.provider.stats()).accepted).toBe(accepted);

  const unknown = countState(stage, 'queued') + countState(stage, 'sending');
  const next = stage.serve('worker', { env, flags: ['--accept-loss'] });
  await next.printed(/are uncertain now/);
  await waitFor(() => !isOpen(stage), { what: 'nothing to be open' });
  await next.stop('SIGTERM');
  expect((await stage.provider.stats()).accepted).toBe(accepted);
  const findings = await checkRun(stage, { kills: 1, lostAnswers: unknown });
  expect(findings.sent + findings.uncertain).toBe(900);
  addRun('an older ledger put back', findings);
});

/** A home on a disk that can be made read-only; null where this user may not mount one. */
function mountedHome(directory: string, megabytes: number): { remount(how: 'ro' | 'rw'): void } | null {
  const home = join(directory, 'home');
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m,mode=0700`, 'tuma-test', home], {
      stdio: 'ignore',
    });
  } catch {
    return null;
  }
  onTestFinished(() => void execFileSync('umount', ['-l', home]));
  return { remount: (how) => void execFileSync('mount', ['-o', `remount,${how}`, home]) };
}

test('a read-only ledger is refused in one message, and goes on where it was when it can be written [D6]', async (context) => {
  const stage = await openStage({ contacts: 300 });
  mkdirSync(stage.home, { recursive: true });
  const disk = mountedHome(stage.directory, 300);
  context.skip(disk === null, 'this user may not mount a disk');
  await keepOpen(stage);
  const first = stage.serve('worker');
  await stage.provider.accepted(60);
  await first.stop('SIGTERM');
  disk?.remount('ro');
  const refused = await ended(stage.serve('worker'));
  expect(refused).toMatchObject({ code: 1, document: null });
  expect(refused.stderr).toMatch(/ledger_invalid|cannot be written/);
  disk?.remount('rw');
  await settle(stage);
  const findings = await checkRun(stage, { kills: 0 });
  expect(findings).toMatchObject({ accepted: 300, uncertain: 0 });
  addRun('ledger read-only', findings);
});

test('a disk that fills up stops the claims before it is full, and lets them go on when there is room [D2]', async (context) => {
  const stage = await openStage({ contacts: 1_500, env: { TUMA_RATE: '100/s' } });
  mkdirSync(stage.home, { recursive: true });
  context.skip(mountedHome(stage.directory, 280) === null, 'this user may not mount a disk');
  await keepOpen(stage);
  const worker = stage.serve('worker,collector');
  await stage.provider.accepted(100);
  const resumeMs: number[] = [];
  for (let time = 0; time < 3; time += 1) {
    execFileSync('fallocate', ['-l', '90M', join(stage.home, 'filler')]);
    await waitFor(() => countState(stage, 'sending') === 0, { what: 'a pause' });
    await sleep(1_500);
    const { accepted } = await stage.provider.stats();
    await sleep(1_000);
    expect((await stage.provider.stats()).accepted).toBe(accepted);
    rmSync(join(stage.home, 'filler'));
    const from = performance.now();
    await stage.provider.accepted(accepted + 1, 15_000);
    resumeMs.push(performance.now() - from);
  }
  await untilSettled(stage);
  await worker.stop('SIGTERM');
  const findings = await checkRun(stage, { kills: 0 });
  expect(findings).toMatchObject({ accepted: 1_500, uncertain: 0 });
  addRun('disk full', findings, { runs: 3, resumeMs });
});
