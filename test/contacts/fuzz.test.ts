import { writeFileSync } from 'node:fs';
import { parse } from 'csv-parse/sync';
import { stringify } from 'csv-stringify/sync';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { RECORD_REASONS } from '../../src/domain/row-reason.ts';
import { openContacts, type ContactRow } from '../../src/contacts/contacts-file.ts';
import { RecordParser } from '../../src/contacts/record-parser.ts';
import { csvLine } from '../../src/reports/csv-line.ts';
import { TumaError } from '../../src/domain/errors.ts';
import { unneutralised } from '../../src/domain/text/printable.ts';
import { freshPath } from './reading.ts';
import { fuzzRuns } from '../support/fuzz-runs.ts';

const DELIMITERS = [',', ';', '\t', '|'] as const;
const NEWLINES = ['\n', '\r\n', '\r'] as const;

/** Text made of what matters to a CSV, cut into pieces at random places. */
const nasty = fc.string({
  unit: fc.constantFrom(
    ...',;|\t"""\n\n\r',
    '\r\n',
    'a',
    '07',
    '0712345678',
    ' ',
    'é',
    '😀',
    '\u00A0',
    '{{',
    '<<',
  ),
  maxLength: 120,
});

function pushed(
  text: Buffer,
  cuts: number[],
  delimiter = ',',
  shape = { width: 2, mobileColumn: 0 },
): ContactRow[] {
  const parser = new RecordParser({ path: 'fuzz.csv', delimiter, firstLine: 1, shape });
  const ends = [...cuts.map((cut) => cut % (text.length + 1)), text.length].sort((a, b) => a - b);
  const rows: ContactRow[] = [];
  let from = 0;
  for (const end of ends) {
    rows.push(...parser.push(text.subarray(from, end)));
    from = end;
  }
  return [...rows, ...parser.end()];
}

test('where the bytes are cut does not matter, even within a character', () => {
  fc.assert(
    fc.property(nasty, fc.array(fc.nat(400), { maxLength: 8 }), (text, cuts) => {
      const bytes = Buffer.from(text);
      expect(pushed(bytes, cuts)).toEqual(pushed(bytes, []));
    }),
    { numRuns: fuzzRuns(2_000) },
  );
});

test('every line of the file is in exactly one record, with its number', () => {
  fc.assert(
    fc.property(nasty, (text) => {
      const lines = text.split(/\r\n|\n|\r/);
      if (lines.at(-1) === '') lines.pop();
      const inRows = pushed(Buffer.from(text), []).flatMap(({ line, raw }) =>
        raw.split(/\r\n|\n|\r/).map((part, at) => [line + at, part]),
      );
      expect(inRows).toEqual(lines.map((part, at) => [at + 1, part]));
    }),
    { numRuns: fuzzRuns(3_000) },
  );
});

test('a well-formed file gives the cells that csv-parse gives', () => {
  const cell = fc.string({ unit: fc.constantFrom(...',;|\t"\n\r x', 'é', 'a1', '😀'), maxLength: 6 });
  const table = fc.array(fc.array(cell, { minLength: 2, maxLength: 2 }), { minLength: 1, maxLength: 12 });
  fc.assert(
    fc.property(
      table,
      fc.constantFrom(...DELIMITERS),
      fc.constantFrom(...NEWLINES),
      fc.boolean(),
      (cells, delimiter, newline, quoted) => {
        const text = stringify(cells, { delimiter, record_delimiter: newline, quoted });
        const ours = pushed(Buffer.from(text), [], delimiter).map(({ cells }) => cells);
        const theirs = parse(text, {
          delimiter,
          record_delimiter: ['\r\n', '\n', '\r'],
          relax_column_count: true,
          trim: true,
        });
        expect(ours).toEqual(theirs);
        if (quoted) expect(ours).toEqual(cells);
      },
    ),
    { numRuns: fuzzRuns(2_000) },
  );
});

/** A table of two to four columns, a number in one of them, and what stands beside it. */
const listOf = (cell: fc.Arbitrary<string>) =>
  fc.integer({ min: 2, max: 4 }).chain((width) =>
    fc.record({
      shape: fc.nat(width - 1).map((mobileColumn) => ({ width, mobileColumn })),
      others: fc.array(fc.array(cell, { minLength: width - 1, maxLength: width - 1 }), {
        minLength: 1,
        maxLength: 6,
      }),
    }),
  );

function withNumbers(others: string[][], mobileColumn: number): string[][] {
  return others.map((cells, at) => cells.toSpliced(mobileColumn, 0, `07123456${at}0`));
}

test('a list with cells of several lines comes back as it was, whichever column holds the number', () => {
  const cell = fc.string({ unit: fc.constantFrom(...',;"\n\r xé1', '\r\n'), maxLength: 6 });
  const list = listOf(cell.map((text) => text.replace(/^'/, '')));
  fc.assert(
    fc.property(list, fc.constantFrom(...NEWLINES), ({ shape, others }, newline) => {
      const cells = withNumbers(others, shape.mobileColumn);
      const text = stringify(cells, { record_delimiter: newline, quoted: true });
      expect(pushed(Buffer.from(text), [], ',', shape).map((row) => row.cells)).toEqual(cells);
    }),
    { numRuns: fuzzRuns(3_000) },
  );
});

test('a list whose lines look like rows in part comes back as it was: addresses, amounts, numbers, dates', () => {
  const cell = fc.constantFrom(
    'Otieno, Brian, Dr',
    '39628107',
    '004645240070',
    '2026-11-27',
    '1,250,000.00',
    '',
    'P.O. Box 123, 00100\nMoi Avenue, Nairobi',
    'Plot 7\nKisumu',
    'two\nlines, "quoted" too',
  );
  const list = fc.integer({ min: 1, max: 5 }).chain((others) =>
    fc.record({
      mobileColumn: fc.nat(others),
      others: fc.array(fc.array(cell, { minLength: others, maxLength: others }), {
        minLength: 1,
        maxLength: 4,
      }),
    }),
  );
  fc.assert(
    fc.property(list, ({ mobileColumn, others }) => {
      const cells = withNumbers(others, mobileColumn);
      const shape = { width: cells[0]?.length ?? 0, mobileColumn };
      expect(pushed(Buffer.from(stringify(cells)), [], ',', shape).map((row) => row.cells)).toEqual(cells);
    }),
    { numRuns: fuzzRuns(2_000) },
  );
});

test('a stray mark, in however many rows, never joins one with another', () => {
  const cell = fc.constantFrom('Ann', 'x y', '', '6', '"a, b"', 'a, b', '"say ""hi"" now"');
  const list = fc.integer({ min: 2, max: 4 }).chain((width) =>
    fc.record({
      shape: fc.nat(width - 1).map((mobileColumn) => ({ width, mobileColumn })),
      rows: fc.array(
        fc.record({
          others: fc.array(cell, { minLength: width - 1, maxLength: width - 1 }),
          at: fc.nat(width - 1),
          mark: fc.constantFrom('', '"', '"', '""'),
          behind: fc.boolean(),
        }),
        { minLength: 1, maxLength: 6 },
      ),
    }),
  );
  fc.assert(
    fc.property(list, ({ shape, rows }) => {
      const numbered = withNumbers(
        rows.map(({ others }) => others),
        shape.mobileColumn,
      );
      const lines = rows.map(({ at, mark, behind }, row) => {
        const cells = numbered[row] as string[];
        return cells.with(at, behind ? `${cells[at]}${mark}` : `${mark}${cells[at]}`).join(',');
      });
      const raws = pushed(Buffer.from(lines.join('\n')), [], ',', shape).map(({ raw }) => raw);
      expect(raws).toEqual(lines);
    }),
    { numRuns: fuzzRuns(2_000) },
  );
});

/** Reads bytes as a contacts file: an error for a person, or rows that add up. */
async function readBytes(path: string, bytes: Uint8Array): Promise<string> {
  writeFileSync(path, bytes);
  try {
    await using contacts = await openContacts({ path, countries: ['KE'] });
    const rows: ContactRow[] = [];
    for await (const chunk of contacts.rows()) rows.push(...chunk);
    for (const row of rows) {
      if (row.problem === null) expect(row.cells).toHaveLength(contacts.header.length);
      else expect(RECORD_REASONS).toContain(row.problem.reason);
    }
    const invalid = rows.filter(({ problem }) => problem !== null).length;
    expect(contacts.counts).toMatchObject({ rows: rows.length, invalid });
    return 'read';
  } catch (error) {
    if (!(error instanceof TumaError)) throw error;
    expect(error.code).toBe('contacts_invalid');
    expect(error.where).toMatch(/:\d+:\d+$/);
    return 'refused';
  }
}

test('any bytes are refused for a reason or read so that the counts are right, and never a crash [X15]', async () => {
  const path = freshPath();
  const seen = new Set<string>();
  const anyBytes = fc.uint8Array({ maxLength: 200 });
  const withHeader = nasty.map((text) => Buffer.from(`mobile,name\n${text}`));
  const wide = nasty.map((text) => Buffer.from(`\uFEFFmobile\tname\n${text}`, 'utf16le'));
  const damaged = fc.tuple(withHeader, fc.nat(200), fc.nat(255)).map(([bytes, at, value]) => {
    bytes[at % bytes.length] = value;
    return bytes;
  });
  await fc.assert(
    fc.asyncProperty(fc.oneof(anyBytes, withHeader, wide, damaged), async (bytes) => {
      seen.add(await readBytes(path, bytes));
    }),
    { numRuns: fuzzRuns(2_500) },
  );
  expect([...seen].sort()).toEqual(['read', 'refused']);
});

test('what an export neutralises for spreadsheets comes back as it was [X13]', () => {
  const cell = fc.string({ unit: fc.constantFrom(...'=+-@\'＝1a ,"', '\n', '\t') });
  fc.assert(
    fc.property(fc.array(cell, { minLength: 1, maxLength: 5 }), (texts) => {
      // What has such an apostrophe already has lost it when it was read.
      const cells = ['0712345678', ...texts.map((text) => unneutralised(text.trim()))];
      const shape = { width: cells.length, mobileColumn: 0 };
      const [row, ...more] = pushed(Buffer.from(csvLine(cells)), [], ',', shape);
      expect(more).toEqual([]);
      expect(row?.cells).toEqual(cells);
    }),
    { numRuns: fuzzRuns(3_000) },
  );
});
