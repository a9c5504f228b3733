import { rmSync, writeFileSync } from 'node:fs';
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
  writeFileSync(
    join(folder, 'job.yaml'),
    'name: rent\nkind: transactional\nsender: DUKA\nmessage: Hi <<name>>\ncontacts: c.csv\nwindow: always\nevery: { cron: "0 9 * * *", contacts: reread }\n',
  );
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
  const fire = firingApart(
    { home, ledgerFile, ledgerPlace: ledgerFile, postgres: null, stateFolder: null },
    { ledger, log },
  );
  return {
    ledger,
    schedule,
    contacts,
    log,
    /** One try: with the look of the try before it. */
    fire: (look: string | null, signal = new AbortController().signal) =>
      fire(schedule, { ...firing, look }, signal),
  };
}

/** The first try takes a look at the files. */
async function looked(fire: Awaited<ReturnType<typeof launchDaily>>['fire']): Promise<string> {
  const first = await fire(null);
  if (!('look' in first)) throw new Error('fired at the first look');
  return first.look;
}

test('makes one campaign at the second look, and nothing for the second process that tries', async () => {
  const { ledger, fire } = await launchDaily();
  const look = await looked(fire);
  expect(await fire(look)).toMatchObject({ campaign: { name: 'rent 9', state: 'running' } });
  expect(await ledger.dueBatches({ now: Date.now() + 3 * 86_400_000, perCampaign: 5 })).toHaveLength(1);
  expect(await fire(look)).toEqual({ campaign: null });
});

test('makes nothing of contacts that changed since the first look', async () => {
  const { ledger, schedule, contacts, fire } = await launchDaily();
  const look = await looked(fire);
  writeFileSync(contacts, 'phone,name\n0712345678,Ann\n');
  const second = await fire(look);
  expect(second).toEqual({ look: expect.stringMatching(/^[0-9a-f]{64}$/) });
  expect(second).not.toEqual({ look });
  expect(await ledger.campaign(schedule.n)).toMatchObject({ state: 'scheduled' });
});

test('pauses the job for contacts that are missing at both looks, and the log of this process says so', async () => {
  const { ledger, schedule, contacts, log, fire } = await launchDaily();
  rmSync(contacts);
  expect(await fire(await looked(fire))).toEqual({ campaign: null });
  expect(log.lines.at(-1)).toContain('a recurring job waits: its files are wrong');
  expect(await ledger.campaign(schedule.n)).toMatchObject({ state: 'paused', reason: 'start' });
});

test('a process that is stopped leaves the firing to the next look', async () => {
  const { ledger, schedule, fire } = await launchDaily();
  const look = await looked(fire);
  await expect(fire(look, AbortSignal.timeout(20))).rejects.toThrow(/abort/i);
  expect(await ledger.campaign(schedule.n)).toMatchObject({ state: 'scheduled' });
  expect(await fire(look)).toMatchObject({ campaign: { state: 'running' } });
});
