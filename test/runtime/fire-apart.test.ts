import { rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { firingApart } from '../../src/runtime/fire-apart.ts';
import { tuma } from '../cli/command-line.ts';
import { openLaunchingHome } from '../cli/launching-home.ts';
import { MemoryLog } from '../collector/fake-store.ts';
import { openLedgerHere } from '../support/ledger-here.ts';
import { makeTempDir } from '../support/temp-home.ts';

/* A firing that is planned by the real process of its own. */

async function launchDaily() {
  const launching = await openLaunchingHome();
  onTestFinished(() => launching.close());
  const { home, env } = launching;
  const folder = makeTempDir();
  const contacts = join(folder, 'c.csv');
  writeFileSync(contacts, 'phone,name\n0712345678,Ann\n0712345679,Bob\n');
  // A file that changed a moment ago may still be written.
  utimesSync(contacts, 0, 0);
  writeFileSync(
    join(folder, 'job.yaml'),
    'name: rent\nkind: transactional\nsender: DUKA\nmessage: Hi <<name>>\ncontacts: c.csv\nwindow: always\nevery: { cron: "0 9 * * *", contacts: reread }\n',
  );
  utimesSync(join(folder, 'job.yaml'), 0, 0);
  const ran = await tuma(['launch', join(folder, 'job.yaml'), '--yes'], { env });
  expect(ran).toMatchObject({ code: 0 });
  const ledgerFile = join(home, 'ledger.db');
  const ledger = await openLedgerHere(ledgerFile);
  onTestFinished(() => ledger.close());
  const now = Date.now() + 2 * 86_400_000;
  const [due] = await ledger.dueSchedules(now);
  if (due === undefined) throw new Error('the job is not due');
  const { schedule, nextAt } = due;
  const reread = schedule.settings.every?.reread;
  if (reread === undefined) throw new Error('the job reads nothing anew');
  const times = { nextAt, fireAt: nextAt, missed: [], followingAt: nextAt + 86_400_000, now };
  const firing = { schedule: schedule.n, ...times, id: 'firing22', name: 'rent 9', reread };
  const log = new MemoryLog();
  const fire = firingApart({ home, ledgerFile, stateFolder: null }, { ledger, log });
  return {
    ledger,
    schedule,
    contacts,
    log,
    fire: (signal = new AbortController().signal) => fire(schedule, firing, signal),
  };
}

test('makes one campaign, and nothing for the second process that tries', async () => {
  const { ledger, fire } = await launchDaily();
  const fired = await fire();
  expect(fired).toMatchObject({ name: 'rent 9', state: 'running' });
  expect(await ledger.dueBatches({ now: Date.now() + 3 * 86_400_000, perCampaign: 5 })).toHaveLength(1);
  expect(await fire()).toBeNull();
});

test('pauses the job for contacts that are missing, and the log of this process says so', async () => {
  const { ledger, schedule, contacts, log, fire } = await launchDaily();
  rmSync(contacts);
  expect(await fire()).toBeNull();
  expect(log.lines.at(-1)).toContain('a recurring job waits: its files are wrong');
  expect(await ledger.campaign(schedule.n)).toMatchObject({ state: 'paused', reason: 'start' });
});

test('a process that is stopped leaves the firing to the next look', async () => {
  const { ledger, schedule, fire } = await launchDaily();
  await expect(fire(AbortSignal.timeout(20))).rejects.toThrow(/abort/i);
  expect(await ledger.campaign(schedule.n)).toMatchObject({ state: 'scheduled' });
  expect(await fire()).toMatchObject({ state: 'running' });
});
