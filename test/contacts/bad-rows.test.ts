import { describe, expect, test } from 'vitest';
import { contactsOf, readAll } from './reading.ts';

const GOOD = ['0712345678,Ann', '0722345678,Bob', '0732345678,"Carl, C"', '0742345678,"Dan ""D"" D"'];

/** The rows of a file that holds `bad` among good ones: [line, reason or null]. */
async function judged(bad: string): Promise<[number, string | null][]> {
  const text = ['mobile,name', GOOD[0], GOOD[1], bad, GOOD[2], GOOD[3], GOOD[0]].join('\n');
  const { rows } = await readAll(contactsOf(text));
  return rows.map(({ line, problem }) => [line, problem?.reason ?? null]);
}

describe('one bad row never costs a good one beside it', () => {
  test.each([
    ['a missing cell', '0752345678', 'too few cells'],
    ['a cell too many', '0752345678,Eve,extra', 'too many cells'],
    ['a mark never closed', '0752345678,"Eve', 'bad quoting'],
    ['a mark never closed in the first cell', '"0752345678,Eve', 'bad quoting'],
    ['text behind a mark', '0752345678,"Eve" E', 'bad quoting'],
    ['marks that should be doubled', '0752345678,"Eve "E" E"', 'bad quoting'],
    ['a placeholder', '0752345678,Hi {{name}}', 'template marks'],
    ['a placeholder of ours', '0752345678,<<name>>', 'template marks'],
    ['a placeholder in quotation marks', '0752345678,"<<name>>"', 'template marks'],
    ['a long cell', `0752345678,${'x'.repeat(4_097)}`, 'cell too long'],
    ['a long cell in quotation marks', `0752345678,"${'x'.repeat(4_097)}"`, 'cell too long'],
    ['a row above the bound', `0752345678,${'x'.repeat(65_537)}`, 'row too long'],
    ['a very long row', `0752345678,${'x'.repeat(600_000)}`, 'row too long'],
    ['a very long cell in quotation marks', `0752345678,"${'x'.repeat(600_000)}"`, 'row too long'],
    ['a very long row with a mark never closed', `0752345678,"${'é'.repeat(300_000)}`, 'row too long'],
  ])('%s', async (_, bad, reason) => {
    expect(await judged(bad)).toEqual([
      [2, null],
      [3, null],
      [4, reason],
      [5, null],
      [6, null],
      [7, null],
    ]);
  });
});

test('a mark that is opened in the first of 50,000 rows and never closed costs that row only [X14]', async () => {
  const rows = Array.from({ length: 50_000 }, (_, at) => `07${10_000_000 + at},Name ${at}`);
  const { contacts, rows: read } = await readAll(
    contactsOf(`mobile,name\n0799999999,"Ann\n${rows.join('\n')}\n`),
  );
  expect(contacts.counts).toEqual({ rows: 50_001, invalid: 1, blank: 0 });
  expect(read[0]).toMatchObject({ line: 2, raw: '0799999999,"Ann', problem: { reason: 'bad quoting' } });
  expect(read.slice(1).map(({ raw }) => raw)).toEqual(rows);
});

test('a cell of several lines that are no rows is one cell', async () => {
  const text = 'mobile,note,city\n0712345678,"Call\n0722345678\nor, maybe, Bob",Nairobi\n0732345678,x,y\n';
  const { rows } = await readAll(contactsOf(text));
  expect(rows.map(({ line, cells }) => [line, cells[1]])).toEqual([
    [2, 'Call\n0722345678\nor, maybe, Bob'],
    [5, 'x'],
  ]);
});

test.each([
  [
    'before the number',
    'name,mobile,note\n"Ann\nMary",0712345678,x\nC,0722345678,y\n',
    ['Ann\nMary', '0712345678', 'x'],
  ],
  [
    'on both sides',
    'name,mobile,note\n"A\nB",0712345678,"x\ny"\nC,0722345678,y\n',
    ['A\nB', '0712345678', 'x\ny'],
  ],
  [
    'quoted numbers',
    'name,mobile,note\n"A\nB","0712 345 678","x, y"\nC,0722345678,y\n',
    ['A\nB', '0712 345 678', 'x, y'],
  ],
  ['CR LF', 'name,mobile,note\r\n"A\r\nB",0712345678,x\r\nC,0722345678,y\r\n', ['A\r\nB', '0712345678', 'x']],
  [
    'a quoted first line',
    'mobile,name,note\n"0712345678",Ann,"x\ny"\n0722345678,C,y\n',
    ['0712345678', 'Ann', 'x\ny'],
  ],
])('a cell of several lines is one, wherever it stands: %s', async (_, text, first) => {
  const { contacts, rows } = await readAll(contactsOf(text));
  expect(rows.map(({ problem }) => problem)).toEqual([null, null]);
  expect(rows[0]?.cells).toEqual(first);
  expect(contacts.counts).toMatchObject({ rows: 2, invalid: 0 });
});

test.each([
  ['closed in its first cell', '"Ann,0712345678,x\nBob",0722345678,y\n'],
  ['closed behind its number', '"Ann,0712345678,x\nBob,0722345678,y"\n'],
  ['closed, and opened again', '"Ann,0712345678,x\nBob",0722345678,"y\nno row"\n'],
])('a row whose stray mark the next row closes is never joined with it: %s', async (_, lines) => {
  const { rows } = await readAll(contactsOf(`name,mobile,note\n${lines}C,0732345678,z\n`));
  expect(rows[0]).toMatchObject({ line: 2, problem: { reason: 'bad quoting' } });
  expect(rows.flatMap(({ cells }) => cells)).not.toContainEqual(expect.stringContaining('Ann'));
  expect(rows.at(-1)?.cells).toEqual(['C', '0732345678', 'z']);
});

test.each([
  ['closed by one behind a quoted delimiter', 'name,mobile\n"Ann, 6"",0711111111\nBob 7",0722222222\n', 2],
  [
    'closed by the first line of a cell of several lines',
    'mobile,town,note\n0712000001,Kisumu,"Home\n0712000003,"\nNakuru",second\n',
    2,
  ],
  [
    'closed behind delimiters of its own',
    'mobile,name\n0712000001,"Kim, Jr\n0712000002,Plot 7, Moi Ave\nKisumu"\n',
    3,
  ],
  [
    'closed in the middle of the next row',
    'mobile,name,city\n0711111111,"Ann,Nairobi\n0722222222,Bob",Kisumu\n',
    2,
  ],
  ['closed before the number, which stands twice', 'invoice,mobile\n"INV1,0711111111\nINV2",0711111111\n', 2],
  ['closed two rows on', 'mobile,name\n0712345678,"Ann\n0722345678,Bob\n0732345678,Carl"\n', 3],
  [
    'or the number of next of kin, in a note as it is exported',
    '"name","mobile","note"\n"Ben","0711222333","next of kin:\nAnn, 0722000111, wife\nthanks"\n',
    3,
  ],
  [
    'or a number in the last line of a note',
    'mobile,note\n0711222333,"Kilimani\n0722000111, ask for Ann"\n',
    2,
  ],
  ['before a number that Excel has kept', 'mobile,note\n0711222333,"big\n2.54712345678E+11,6"\n', 2],
  ['before a link to a number', 'mobile,note\n0711222333,"big\ntel:0722000111,6"\n', 2],
  ['before a number with dashes', 'mobile,note\n0711222333,"big\n0722\u2011000\u2011111,6"\n', 2],
  ['before a number in groups of two', 'mobile,note\n0711222333,"big\n07.22.12.34.56,6"\n', 2],
  ['before one whose groups could be years', 'mobile,note\n0711222333,"big\n2012-2013-2014,6"\n', 2],
  ['before one between marks', 'mobile,note\n0711222333,"big\n*0722000111*,6"\n', 2],
  ['before a link to a number in brackets', 'mobile,note\n0711222333,"big\n(Tel: 0722000111),6"\n', 2],
  ['before one in Arabic digits', 'name,mobile\n"Ann,٠٧١٢٣٤٥٦٧٨\nBob",0722345678\n', 2],
  ['before one in full-width digits', 'name,mobile\n"Ann,０７１２３４５６７８\nBob",0722345678\n', 2],
  ['before one with marks that nobody sees', 'name,mobile\n"Ann,0712\u200b345678\nBob",0722345678\n', 2],
  ['before a float with a comma', 'name;mobile\n"Ann;254712345678,0\nBob";0722345678\n', 2],
])('where a mark may be stray or not, none of its lines is sent: %s', async (_, text, lines) => {
  const { rows } = await readAll(contactsOf(text));
  const bad = rows.slice(0, lines);
  expect(bad.map(({ line, problem }) => [line, problem?.reason])).toEqual(
    Array.from({ length: lines }, (_none, at) => [at + 2, 'bad quoting']),
  );
  expect(rows.slice(lines).every(({ problem }) => problem !== null)).toBe(true);
});

test.each([
  [
    'an amount with quoted delimiters and a date',
    'amount,due,address,mobile\n"1,250,000.00",2026-11-27,"P.O. Box 123\nMoi Avenue, Block 4, Nairobi",0712000002\n',
    ['1,250,000.00', '2026-11-27', 'P.O. Box 123\nMoi Avenue, Block 4, Nairobi', '0712000002'],
  ],
  [
    'another number, and delimiters in the lines',
    'id,mobile,address,due,amount\nid1,0712100160,"P.O. Box 123, 00100\nMoi Avenue, Nairobi",2026-11-27,"1,250,000.00"\n',
    ['id1', '0712100160', 'P.O. Box 123, 00100\nMoi Avenue, Nairobi', '2026-11-27', '1,250,000.00'],
  ],
  [
    'an account number between two of them',
    'name,mobile,address,account,note\nAnn,0712000001,"Box 7\nNairobi",0012345678,"call\nlater"\n',
    ['Ann', '0712000001', 'Box 7\nNairobi', '0012345678', 'call\nlater'],
  ],
  [
    'next of kin among more cells than a row has',
    'mobile,note\n0712000001,"next of kin:\nAnn, 0722000111, wife\nthanks"\n',
    ['0712000001', 'next of kin:\nAnn, 0722000111, wife\nthanks'],
  ],
  [
    'inches behind a number, in a line that opens no cell',
    'mobile,sizes,town\n0712000001,"pipes\n07220001,6"" wide\nlong",Nairobi\n',
    ['0712000001', 'pipes\n07220001,6" wide\nlong', 'Nairobi'],
  ],
  [
    'lines that have words before or behind a number there',
    'mobile,note\n0712000001,"House\nBlock 12345678, Nairobi\n12345678 Moi Avenue, Nairobi"\n',
    ['0712000001', 'House\nBlock 12345678, Nairobi\n12345678 Moi Avenue, Nairobi'],
  ],
  [
    'a line that has a date where the number belongs',
    'mobile,note\n0712000001,"due on\n2026-11-27, or later"\n',
    ['0712000001', 'due on\n2026-11-27, or later'],
  ],
  [
    'a line that has a date as people write it there',
    'mobile,note\n0712000001,"due on\n27/11/2026, or later"\n',
    ['0712000001', 'due on\n27/11/2026, or later'],
  ],
  [
    'a line that has a date of two digits of a year there',
    'mobile,note\n0712000001,"27/11/26, called\n03/12/26, paid"\n',
    ['0712000001', '27/11/26, called\n03/12/26, paid'],
  ],
])('a row of several lines is one row, whatever looks like a number in it: %s', async (_, text, cells) => {
  const { rows } = await readAll(contactsOf(text));
  expect(rows.map((row) => [row.problem, row.cells])).toEqual([[null, cells]]);
});

test('quotation marks inside a cell that does not start with one are letters', async () => {
  const text = 'mobile,name\n0712345678,6" pipe\n0722345678,Ann "AJ" Jones\n0732345678,"Q, quoted"\n';
  const { rows } = await readAll(contactsOf(text));
  expect(rows.map(({ cells }) => cells[1])).toEqual(['6" pipe', 'Ann "AJ" Jones', 'Q, quoted']);
  expect(rows.every(({ problem }) => problem === null)).toBe(true);
});

test.each([
  ['="0712345678","Ann, Mary","5\'11"""', ['0712345678', 'Ann, Mary', '5\'11"']],
  ['0712345678, "Q, quoted" ,6" pipe', ['0712345678', 'Q, quoted', '6" pipe']],
  ['0712345678,O"Brien,"Box ""7"""', ['0712345678', 'O"Brien', 'Box "7"']],
  ['0712345678,O"Brien,"Box 7', null],
  ['0712345678,O"Brien,"Box" 7', null],
])('also beside a quoted cell, where every one is closed: %s', async (row, cells) => {
  const { rows } = await readAll(contactsOf(`mobile,name,note\n${row}\n0722345678,Bob,\n`));
  expect(rows[0]).toMatchObject(
    cells === null ? { problem: { reason: 'bad quoting' } } : { cells, problem: null },
  );
  expect(rows[1]).toMatchObject({ line: 3, problem: null });
});

test('a blank cell before or behind a quoted one is a cell in a file with tabs, too', async () => {
  const { rows } = await readAll(contactsOf('mobile\ta\tb\tc\td\n="0712345678"\t\t"x y"\t\tz\n'));
  expect(rows).toMatchObject([{ cells: ['0712345678', '', 'x y', '', 'z'], problem: null }]);
});

test('lines that hold nothing, or only delimiters, are no rows and are counted', async () => {
  const { contacts, rows } = await readAll(
    contactsOf('mobile,name\n\n0712345678,Ann\n,\n  ,  \n"",""\n0722345678,Bob\n\n'),
  );
  expect(rows.map(({ line }) => line)).toEqual([3, 7]);
  expect(contacts.counts).toEqual({ rows: 2, invalid: 0, blank: 5 });
});

test('a row whose mobile is blank but whose name is not is a row', async () => {
  const { rows } = await readAll(contactsOf('mobile,name\n,Ann\n'));
  expect(rows).toMatchObject([{ line: 2, cells: ['', 'Ann'], problem: null }]);
});

test('a row just within the bounds is good, one byte more is not', async () => {
  const cells = (count: number) => `${'é,'.repeat(15)}${'x'.repeat(count)}`;
  const columns = `mobile,${Array.from({ length: 15 }, (_, at) => `c${at}`).join(',')}`;
  const { rows } = await readAll(contactsOf(`${columns}\n${cells(4_096)}\n${cells(4_097)}\n`));
  expect(rows.map(({ problem }) => problem?.reason ?? null)).toEqual([null, 'cell too long']);
  const width = 17;
  const wide = (bytes: number) => `${'x'.repeat(3_855)},`.repeat(width).slice(0, bytes);
  const header = ['mobile', ...Array.from({ length: width - 1 }, (_, at) => `c${at}`)].join(',');
  const judgedWide = await readAll(contactsOf(`${header}\n${wide(65_536)}\n${wide(65_537)}\n`));
  expect(judgedWide.rows.map(({ problem }) => problem?.reason ?? null)).toEqual([null, 'row too long']);
});

test('what is known of a bad row is its raw text, cut when it is too long', async () => {
  const { rows } = await readAll(
    contactsOf(`mobile,name\n0712345678,"A\n0722345678,${'x'.repeat(70_000)}\n`),
  );
  expect(rows[0]?.raw).toBe('0712345678,"A');
  expect(rows[1]?.raw).toHaveLength(1_000);
});
