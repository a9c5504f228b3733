import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { loadJob } from '../../../src/campaign/jobs/load-job.ts';
import { type ReminderPlanInput, reminderPlan } from '../../../src/campaign/planning/plan-reminders.ts';
import type { ContactsFile } from '../../../src/contacts/contacts-file.ts';
import type { Campaign, CampaignSettings } from '../../../src/domain/campaign.ts';
import type { NewMessage } from '../../../src/ledger/contracts/records.ts';
import { makeTempDir } from '../../support/temp-home.ts';

const NOW = Date.parse('2026-11-25T06:00Z');
const remind = { column: 'Due', offset: '0d', atMinute: 540, format: null, keyed: true };
const settings = { zone: 'Africa/Nairobi', window: null, remind, header: ['phone', 'Due'] };

const NEVER = () => Promise.reject(new Error('nobody reads'));

/** The plan of a job that reminds by its column "Due". */
async function planned(given: Partial<ReminderPlanInput> = {}) {
  const file = join(makeTempDir(), 'job.yaml');
  writeFileSync(file, 'name: rent\nkind: transactional\nmessage: Hi\nremind: { column: Due }\n');
  const plan = reminderPlan(await loadJob(file), {
    contacts: { path: 'c.csv', header: ['phone', 'Due'] } as unknown as ContactsFile,
    settings: settings as unknown as CampaignSettings,
    upload: null,
    earlier: null,
    now: NOW,
    ...given,
  });
  if (plan === null) throw new Error('no reminders');
  return plan;
}

it('reads the date of each row, and says of a blank or another cell which column it is', async () => {
  const plan = await planned();
  expect(plan.occurrenceOf(['p', ' '])).toMatchObject({
    ok: false,
    reason: { code: 'missing', field: 'Due' },
  });
  expect(plan.occurrenceOf(['p', 'soon'])).toMatchObject({
    ok: false,
    reason: 'not a date',
    detail: expect.stringMatching(/^Due: /) as string,
  });
  const moment = (cell: string) => {
    const occurrence = plan.occurrenceOf(['p', cell]);
    return occurrence.ok ? [occurrence.notBefore - NOW, plan.isPast(occurrence)] : occurrence;
  };
  // Nine in Nairobi is now: that very moment is not past.
  expect(moment('2026-11-25')).toEqual([0, false]);
  expect(moment('2026-11-24')).toEqual([-86_400_000, true]);
  expect((await planned({ now: NOW + 1 })).isPast(plan.occurrenceOf(['p', '2026-11-25']) as never)).toBe(
    true,
  );
});

it('reads the time from a column of its own, and says of a wrong column where the job names it', async () => {
  const file = join(makeTempDir(), 'job.yaml');
  const write = (column: string) =>
    writeFileSync(
      file,
      `name: visit\nkind: transactional\nmessage: Hi\nremind:\n  column: day\n  at: { column: ${column} }\n`,
    );
  const plan = async () =>
    reminderPlan(await loadJob(file), {
      contacts: { path: 'c.csv', header: ['phone', 'day', 'hour'] } as unknown as ContactsFile,
      settings: {
        ...settings,
        remind: { column: 'day', offset: '0d', atMinute: 540, atColumn: 'hour', format: null, keyed: false },
      } as unknown as CampaignSettings,
      upload: null,
      earlier: null,
      now: NOW,
    });
  write('hour');
  const visits = await plan();
  expect(visits?.occurrenceOf(['p', '2026-11-25', '10:30'])).toMatchObject({ notBefore: NOW + 5_400_000 });
  expect(visits?.occurrenceOf(['p', '2026-11-25', 'noon'])).toEqual({
    ok: false,
    reason: 'not a time',
    detail: 'hour: write it as 14:30',
  });
  expect((await loadJob(file)).job.remind).toMatchObject({ atColumn: 'hour', atMinute: 540 });
});

it('asks what went out before in a plan of its own, and what is open in corrected contacts, by the clock of these', async () => {
  const asked: unknown[] = [];
  const earlier = { remindedBefore: async (query: object) => (asked.push(query), [true]) };
  const own = await planned({ earlier });
  const rows = [{ line: 2 }] as NewMessage[];
  expect([own.compare, await own.remindedBefore?.(rows)]).toEqual([null, [true]]);
  expect(asked.splice(0)).toEqual([{ name: 'rent', keyed: true, rows, now: NOW }]);
  expect((await planned()).remindedBefore).toBeNull();

  const kept = { ...settings, zone: 'UTC', header: ['phone', 'Due'] };
  const ledger = {
    compareReminders: async (...query: unknown[]) => (asked.push(query), []),
    openReminders: async () => 0,
  };
  const upload = { campaign: { n: 3, settings: kept } as unknown as Campaign, ledger, reader: NEVER };
  const corrected = await planned({ earlier, upload });
  expect([corrected.remindedBefore, await corrected.compare?.(rows)]).toEqual([null, []]);
  expect(asked).toEqual([[3, rows, NOW]]);
  expect(corrected.occurrenceOf(['p', '2026-11-25'])).toMatchObject({ notBefore: NOW + 3 * 3_600_000 });
});

it.each([[['Due', 'phone']], [['phone', 'due']], [['phone', 'Due', 'note']]])(
  'refuses corrected contacts with other columns than those of the campaign: %j',
  async (header) => {
    const campaign = { n: 3, settings: { ...settings, header } } as unknown as Campaign;
    const ledger = { compareReminders: async () => [], openReminders: async () => 0 };
    await expect(planned({ upload: { campaign, ledger, reader: NEVER } })).rejects.toMatchObject({
      code: 'contacts_invalid',
      hint: `The columns are: ${header.join(', ')}.`,
      where: 'c.csv:1:1',
    });
  },
);
