import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { jobColumn, placesOf } from '../../../src/campaign/jobs/job-column.ts';
import type { LoadedJob } from '../../../src/campaign/jobs/load-job.ts';
import { TumaError } from '../../../src/domain/errors.ts';
import { FieldIndex } from '../../../src/domain/text/template-fields.ts';

const contactsOf = (header: string[]) => ({ header, path: 'list.csv' });

describe('corrected contacts', () => {
  test('whose columns stand in another order, or are spelled with other spaces and capitals, find their places', () => {
    const wanted = ['First name', 'phone', 'Amount  due'];
    expect(placesOf(contactsOf(['amount due', 'phone', 'FIRST  NAME']), wanted, ['FIRST  NAME'])).toEqual([
      2, 1, 0,
    ]);
  });

  test('columns that differ only in capitals stay apart', () => {
    const wanted = ['Name', 'phone', 'name'];
    expect(placesOf(contactsOf(['phone', 'name', 'Name']), wanted, ['Name'])).toEqual([2, 0, 1]);
  });

  test('a column that the text names and the campaign does not have refuses them', () => {
    const wanted = ['Name', 'phone', 'name'];
    const refused = () => placesOf(contactsOf(['phone', 'NAME']), wanted, ['NAME']);
    expect(refused).toThrow('cannot be told apart');
    expect(placesOf(contactsOf(['phone', 'NAME']), wanted, [])).toEqual([1, 0, 1]);
    expect(placesOf(contactsOf(['phone']), ['phone', 'note'], ['phone'])).toEqual([0, -1]);
  });

  test('say when they are sent what they said in the plan, whatever they are called', () => {
    const name = fc.constantFrom(
      'Name',
      'name',
      'NAME',
      ' name',
      'due',
      'Due ',
      'Amount due',
      'amount  due',
      'x',
    );
    const header = fc.uniqueArray(name, { minLength: 1, maxLength: 6 });
    const columns = fc.constantFrom<Record<string, string>>({}, { sum: 'amount due' }, { name: 'due' });
    const texts = fc.array(fc.constantFrom('name', 'Name', 'due', 'amount due', 'sum'), { maxLength: 3 });
    let compared = 0;
    fc.assert(
      fc.property(header, header, columns, texts, (wanted, given, aliases, names) => {
        const plan = names.map((text) => new FieldIndex({ header: given, columns: aliases }).find(text));
        const send = names.map((text) => new FieldIndex({ header: wanted, columns: aliases }).find(text));
        if (![...plan, ...send].every(({ found }) => found)) return;
        const columnOf = (field: (typeof plan)[number]) => (field.found ? field.column : -1);
        const said = plan.map((field) => given[columnOf(field)] ?? '');
        let places: number[];
        try {
          places = placesOf(contactsOf(given), wanted, said);
        } catch (error) {
          expect(error).toBeInstanceOf(TumaError);
          return;
        }
        compared += names.length;
        expect(send.map((field) => places[columnOf(field)])).toEqual(plan.map(columnOf));
      }),
      { numRuns: 5_000 },
    );
    expect(compared).toBeGreaterThan(100);
  });
});

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
