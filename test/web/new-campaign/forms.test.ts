import { describe, expect, test } from 'vitest';
import type { JobKeys } from '../../../src/campaign/jobs/job-text.ts';
import type { ContactsLook } from '../../../src/campaign/prepare/preparation.ts';
import {
  contactsValues,
  readContacts,
  withoutLostColumns,
} from '../../../src/web/pages/new-campaign/contacts-form.ts';
import { cronOf, cycleOf, CYCLE_NAMES } from '../../../src/web/pages/new-campaign/cycles.ts';
import {
  fieldButtons,
  messageValues,
  readMessage,
  replaceCostly,
  typedMessage,
} from '../../../src/web/pages/new-campaign/message-form.ts';
import { readWhen, typedWhen, whenValues } from '../../../src/web/pages/new-campaign/when-form.ts';

const LOOK: ContactsLook = {
  sheets: null,
  sheet: null,
  headerLine: 1,
  header: ['Simu', 'Jina', 'Balance', 'Due', 'Simu 2'],
  rows: [
    { line: 2, cells: ['0712345678', 'Achieng', '1,200.00', '2026-12-21', '0722000001'] },
    { line: 3, cells: ['0712345679', 'Brian', '950.50', '2026-12-22', ''] },
  ],
  mobile: { column: 0, numbers: 2, of: 2 },
};

describe('the contacts', () => {
  test('what a job says comes back from its own form unchanged', () => {
    const job: Partial<JobKeys> = {
      name: 'agm',
      kind: 'promotional',
      columns: { mobile: ['Simu', 'Simu 2'], name: 'Jina' },
      key: 'Due',
    };
    const { uses } = contactsValues(job, LOOK);
    expect(uses).toEqual(['mobile', 'text', 'text', 'key', 'mobile']);
    const typed = Object.fromEntries(uses.map((use, column) => [`column-${column}`, use]));
    const reading = readContacts(
      { name: 'agm', kind: 'promotional', header: '1', ...typed },
      { job, look: LOOK },
    );
    expect(reading).toEqual({ job: { name: 'agm', kind: 'promotional' }, wrong: [] });
  });

  test('another column of numbers is named, and own names of columns stay', () => {
    const job: Partial<JobKeys> = { columns: { name: 'Jina' } };
    const typed = {
      name: 'agm',
      kind: 'promotional',
      'column-0': 'text',
      'column-4': 'mobile',
      'column-3': 'key',
    };
    const { job: change } = readContacts(typed, { job, look: LOOK });
    expect(change.columns).toEqual({ name: 'Jina', mobile: 'Simu 2' });
    expect(change.key).toEqual(['Due']);
  });

  test('a form without a name, a kind or a column of numbers says so at each field', () => {
    const reading = readContacts({ name: ' ', 'column-0': 'text' }, { job: {}, look: LOOK });
    expect(reading.wrong).toEqual([
      { field: 'name', problem: 'nameMissing' },
      { field: 'promotional', problem: 'kindMissing' },
      { field: 'column-0', problem: 'mobileMissing' },
    ]);
    const wrong = readContacts(
      { name: 'a/b', kind: 'promotional', header: '0' },
      { job: {}, look: LOOK },
    ).wrong;
    expect(wrong.map(({ problem }) => problem)).toEqual(['nameWrong', 'headerWrong']);
  });

  test('columns that a new file lacks are forgotten', () => {
    const job: Partial<JobKeys> = { columns: { mobile: 'Phone', name: 'jina' }, key: ['Due', 'Invoice'] };
    expect(withoutLostColumns(job, LOOK.header)).toEqual({ columns: { name: 'jina' }, key: null });
    expect(withoutLostColumns({ columns: { mobile: 'simu' } }, LOOK.header)).toEqual({});
  });
});

describe('the message', () => {
  test('a text keeps its lines, and a button puts its field at the end', () => {
    const values = typedMessage({
      text: 'Hi\r\nyou ',
      put: 'money Balance',
      language: 'sw',
      sender: ' DUKA ',
    });
    expect(values).toEqual({ text: 'Hi\nyou <<money Balance>>', language: 'sw', sender: 'DUKA', gsm: false });
    expect(readMessage(values, null).job).toEqual({
      sender: 'DUKA',
      language: 'sw',
      message: 'Hi\nyou <<money Balance>>',
      gsm: null,
    });
    expect(messageValues({ message: 'Hi', gsm: 'true' })).toMatchObject({
      text: 'Hi',
      gsm: true,
      language: 'en',
    });
  });

  test('an empty text and a long sender are wrong, and no sender where the settings name none', () => {
    const wrong = (values: { text: string; sender: string }, usual: string | null) =>
      readMessage({ language: 'en', gsm: false, ...values }, usual).wrong.map(({ problem }) => problem);
    expect(wrong({ text: ' ', sender: 'A'.repeat(21) }, null)).toEqual(['textMissing', 'senderWrong']);
    expect(wrong({ text: 'Hi', sender: '' }, null)).toEqual(['senderMissing']);
    expect(wrong({ text: 'Hi', sender: '' }, 'DUKA')).toEqual([]);
  });

  test('all costly characters are replaced at once, also those of the rows', () => {
    const values = { text: 'It’s <<Jina>> – ok', sender: '', language: 'en', gsm: false };
    expect(replaceCostly(values)).toEqual({ ...values, text: "It's <<Jina>> - ok", gsm: true });
    expect(replaceCostly({ ...values, text: 'It’s <<Jina' }).text).toBe('It’s <<Jina');
  });

  test('columns of amounts and of dates are put in as such, the column of numbers not at all', () => {
    expect(fieldButtons(LOOK, 'KES').map(({ put }) => put)).toEqual([
      'Jina',
      'money Balance',
      'date Due',
      'Simu 2',
    ]);
  });
});

describe('the time', () => {
  const at = { zone: 'Africa/Nairobi', now: Date.parse('2026-11-28T09:00:00Z') };
  const context = { job: {}, currency: 'KES', ...at };
  const usual = whenValues({ kind: 'promotional' }, at);

  test.each<Partial<JobKeys>>([
    { window: 'always' },
    { start: '2026-12-21T09:00', window: { from: '08:00', to: '17:00', days: 'mon-sat' }, budget: '1000' },
    { every: { cron: '30 8 * * mon' }, window: 'always', rate: '10/s' },
    { every: { cron: '*/5 * * * *' }, window: 'always' },
    { remind: { column: 'Due', offset: '-2d', at: '10:00' }, window: 'always' },
    {
      remind: {
        column: 'Due',
        offsets: ['-7d', { offset: '-2d', message: 'Soon' }, '1d'],
        at: { column: 'Time' },
        format: 'dd/mm/yyyy',
      },
      window: 'always',
    },
    { canary: { first: '20' }, window: 'always' },
  ])('what a job says comes back from its own form unchanged: %o', (job) => {
    const { job: change, wrong } = readWhen(whenValues(job, at), { ...context, job });
    expect(wrong).toEqual([]);
    const kept = { ...job, ...change } as Record<string, unknown>;
    const keys = Object.entries(kept).filter(([, value]) => value !== null);
    expect(Object.fromEntries(keys)).toEqual(job);
  });

  test('the hours of a new job are those of its kind', () => {
    expect(usual).toMatchObject({ when: 'now', always: false, from: '08:00', to: '18:00', days: 'mon-sun' });
    expect(whenValues({ kind: 'transactional' }, at).always).toBe(true);
  });

  test('reminders are never tried first', () => {
    const values = { ...usual, when: 'remind' as const, column: 'Due', canary: true };
    expect(readWhen(values, context).job.canary).toBeNull();
  });

  test.each([
    [{ when: 'at', day: '', hour: '09:00' }, 'dayWrong'],
    [{ when: 'at', day: '2026-12-21', hour: '' }, 'hourWrong'],
    [{ when: 'at', day: '2026-11-27', hour: '09:00' }, 'startPast'],
    [{ when: 'remind', column: '' }, 'columnMissing'],
    [{ when: 'remind', column: 'Due', offsets: '2, 2' }, 'offsetsWrong'],
    [{ when: 'remind', column: 'Due', offsets: 'soon' }, 'offsetsWrong'],
    [{ when: 'every', cycle: 'mon', everyHour: '25:00' }, 'hourWrong'],
    [{ from: '18:00', to: '08:00' }, 'hoursWrong'],
    [{ rate: 'fast' }, 'rateWrong'],
    [{ budget: '-5' }, 'budgetWrong'],
  ])('%o is wrong: %s', (typed, problem) => {
    const form = { ...formOf(usual), ...typed };
    const { wrong } = readWhen(typedWhen(form, usual), context);
    expect(wrong.map((each) => each.problem)).toEqual([problem]);
  });

  test('each cycle is read back from its five fields', () => {
    for (const cycle of CYCLE_NAMES)
      expect(cycleOf(cronOf(cycle, '07:05') ?? '')).toEqual({ cycle, hour: '07:05' });
  });
});

/** The fields as a browser sends them. */
function formOf(values: object): Record<string, string> {
  return Object.fromEntries(
    Object.entries(values)
      .filter(([, value]) => value !== false)
      .map(([name, value]) => [name, String(value)]),
  );
}
