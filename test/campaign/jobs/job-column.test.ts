import { describe, expect, test } from 'vitest';
import { jobColumn } from '../../../src/campaign/jobs/job-column.ts';
import type { LoadedJob } from '../../../src/campaign/jobs/load-job.ts';

const contactsOf = (header: string[]) => ({ header, path: 'list.csv' });

describe('a column that the job file names', () => {
  const column = (written: string, header: string[], columns: Record<string, string> = {}) =>
    jobColumn(
      { job: { columns }, placeOf: () => 'job.yaml:3:1' } as unknown as LoadedJob,
      contactsOf(header),
      {
        written,
        key: ['key'],
      },
    );

  test('is found as a template finds a field', () => {
    expect(column('amount due', ['phone', 'Amount  due'])).toBe(1);
    expect(column('invoice', ['phone', 'inv'], { Invoice: 'inv' })).toBe(1);
    expect(column('name', ['Name', 'name'])).toBe(1);
  });

  test.each([
    ['constructor', ['phone'], '`key: constructor` is no column of list.csv.'],
    ['toString', ['phone'], '`key: toString` is no column of list.csv.'],
    ['NAME', ['Name', 'name'], '`key: NAME`: Several columns of the CSV are called "NAME".'],
  ])('that is none, or more than one, is refused: %s', (written, header, message) => {
    expect(() => column(written, header)).toThrow(
      expect.objectContaining({ code: 'job_invalid', message, where: 'job.yaml:3:1' }),
    );
  });

  test('whose name in `columns` leads to no column is told so, though the CSV has a column of that name', () => {
    const dangling = { phone: 'Invoice' };
    expect(() => column('phone', ['name', 'phone'], dangling)).toThrow(
      expect.objectContaining({
        message:
          '`key: phone`: `columns` says that "phone" is the column "Invoice", which the CSV does not have.',
        hint: 'The columns are: name, phone.',
      }),
    );
    expect(() => column('phone', ['name', 'Invoices'], dangling)).toThrow(
      expect.objectContaining({ hint: 'Did you mean "Invoices"? The columns are: name, Invoices.' }),
    );
  });

  test('is looked for among columns that are there, and no name in `columns` that leads nowhere', () => {
    const columns = { bill: 'Invoice', first: 'name' };
    expect(() => column('town', ['name', 'phone'], columns)).toThrow(
      expect.objectContaining({ hint: 'The fields are: first, name, phone.' }),
    );
    expect(() => column('NAME', ['Name', 'name'])).toThrow(
      expect.objectContaining({ hint: 'Rename one in the CSV.' }),
    );
  });
});
