import { readdirSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { readAll } from './reading.ts';
import { convert, MEMORY_MAX_MB } from './converter.ts';
import { repeated, zipOf, SHEET_BEGIN, SHEET_END, sheetOf, textCell, workbookOf } from './zip.ts';

/* Small workbooks that are large when they are read: the process that reads them stays below 400 MB. */

const MB = 1024 * 1024;
const PEOPLE = `<row r="1">${textCell('name')}${textCell('phone')}</row><row r="2">${textCell('Ann')}${textCell('0712345678')}</row>`;

const BINARY =
  '<Relationships><Relationship Id="a" Type="x/officeDocument" Target="xl/workbook.bin"/></Relationships>';

/** A workbook with another check sum of its sheet than it has. */
function damaged(): Buffer {
  const workbook = workbookOf({ sheet: sheetOf(PEOPLE) });
  const entry = workbook.lastIndexOf('xl/worksheets/sheet1.xml') - 46;
  workbook.writeUInt32LE(workbook.readUInt32LE(entry + 16) ^ 1, entry + 16);
  return workbook;
}

describe('a hostile workbook', () => {
  test('with one row of the number 999,999,999 is refused, and no copy of it is left', () => {
    const workbook = workbookOf({ sheet: sheetOf(`${PEOPLE}<row r="999999999">${textCell('x')}</row>`) });
    expect(workbook.length).toBeLessThan(2_000);
    const { answer, peakMb, folder } = convert(workbook);
    expect(answer.problem).toBe('it has a row 999999999; a sheet ends at row 1048576');
    expect(peakMb).toBeLessThan(MEMORY_MAX_MB);
    expect(readdirSync(folder)).toEqual(['list.xlsx']);
  });

  test('with a cell of 400 MB has one row that is too long, and its other rows are read', async () => {
    const sheet = repeated(`${SHEET_BEGIN}${PEOPLE}<row r="3"><c t="inlineStr"><is><t>`, 'a'.repeat(MB), {
      times: 400,
      after: `</t></is></c>${textCell('0722345678')}</row><row r="4">${textCell('Cat')}${textCell('0733345678')}</row>${SHEET_END}`,
    });
    const { answer, peakMb, target } = convert(workbookOf({ sheet }));
    expect(answer.rows).toBe(4);
    expect(peakMb).toBeLessThan(MEMORY_MAX_MB);
    const { rows } = await readAll(target);
    expect(rows.map(({ line, cells, problem }) => [line, problem?.reason ?? cells[0]])).toEqual([
      [2, 'Ann'],
      [3, 'cell too long'],
      [4, 'Cat'],
    ]);
  });

  test('with two million shared texts is read in bounded memory', async () => {
    const texts = Array.from({ length: 2_000 }, (_, at) => `<si><t>Mwanachama nambari ${at}</t></si>`).join(
      '',
    );
    const sharedStrings = repeated('<sst>', texts, { times: 1_000, after: '</sst>' });
    const row = `<row r="3"><c t="s"><v>1999999</v></c>${textCell('0722345678')}</row>`;
    const { answer, peakMb, target } = convert(workbookOf({ sheet: sheetOf(PEOPLE + row), sharedStrings }));
    expect(answer.rows).toBe(3);
    expect(peakMb).toBeLessThan(MEMORY_MAX_MB);
    const { rows } = await readAll(target);
    expect(rows.map(({ cells }) => cells[0])).toEqual(['Ann', 'Mwanachama nambari 1999']);
  });

  test.each([
    [
      'shared texts of 400 MB',
      workbookOf({
        sheet: sheetOf(PEOPLE),
        sharedStrings: repeated('<sst>', `<si><t>${'a'.repeat(4_000)}</t></si>`, {
          times: 100_000,
          after: '</sst>',
        }),
      }),
      'the texts of its cells have more than 192 MB',
    ],
    [
      'a tag without an end',
      workbookOf({ sheet: repeated(`${SHEET_BEGIN}<row r="`, 'a'.repeat(MB), { times: 8, after: '' }) }),
      'it has a tag without an end',
    ],
    [
      'a document type',
      workbookOf({ sheet: `<!DOCTYPE x [<!ENTITY a "aaaa">]>${sheetOf(PEOPLE)}` }),
      'it has a document type, which no spreadsheet writes',
    ],
    [
      'a cell far to the right',
      workbookOf({ sheet: sheetOf(`${PEOPLE}<row r="3"><c r="XFD3"><v>1</v></c></row>`) }),
      'its row 3 has a cell in column 16384; 1024 are read',
    ],
    [
      'a cell beyond the last column',
      workbookOf({ sheet: sheetOf(`<row r="1"><c r="ZZZZZZ1"><v>1</v></c></row>`) }),
      'its row 1 has a cell beyond the last column of a sheet',
    ],
    [
      'rows out of order',
      workbookOf({ sheet: sheetOf(`<row r="5">${textCell('a')}</row><row r="2">${textCell('b')}</row>`) }),
      'its row 2 stands behind row 5',
    ],
    ['a part that is damaged', damaged(), 'one of its parts is damaged'],
    [
      'a binary list of sheets',
      zipOf({ '_rels/.rels': BINARY, 'xl/workbook.bin': 'x' }),
      'it is a binary one (.xlsb)',
    ],
    [
      'a sheet that is cut off',
      workbookOf({ sheet: `${SHEET_BEGIN}<row r="1"><c` }),
      'one of its parts is cut off',
    ],
  ])('with %s is refused in a sentence', (_what, workbook, problem) => {
    const { answer, peakMb } = convert(workbook);
    expect(answer).toEqual({ problem });
    expect(peakMb).toBeLessThan(MEMORY_MAX_MB);
  });
});
