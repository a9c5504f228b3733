import { describe, expect, test } from 'vitest';
import { cellsOf, contactsOf, readAll, refusalOf } from './reading.ts';

const TABLE = [
  ['mobile', 'name', 'city'],
  ['0712345678', 'Zoë Wanjikũ', 'Nairobi'],
  ['0722345678', 'Otieno', 'Kisumu'],
];
const ROWS = TABLE.slice(1);

function csv(delimiter: string, newline = '\n'): string {
  return TABLE.map((cells) => cells.join(delimiter)).join(newline) + newline;
}

function bigEndian(text: string): Buffer {
  return Buffer.from(text, 'utf16le').swap16();
}

describe('delimiters', () => {
  test.each([',', ';', '\t', '|'])('%j is found', async (delimiter) => {
    const { contacts, rows } = await readAll(contactsOf(csv(delimiter)));
    expect(contacts.dialect.delimiter).toBe(delimiter);
    expect(rows.map(({ cells }) => cells)).toEqual(ROWS);
  });

  test('the delimiter that names the mobile wins over one that is frequent in the text', async () => {
    const text = 'phone;message\n0712345678;Hello, you, there\n0722345678;Come, see, buy\n';
    expect(await cellsOf(text)).toEqual([
      ['0712345678', 'Hello, you, there'],
      ['0722345678', 'Come, see, buy'],
    ]);
  });

  test('a delimiter inside quotation marks does not count', async () => {
    const text = 'name;mobile\n"a,b,c,d";0712345678\n"e,f,g,h";0722345678\n';
    const { contacts } = await readAll(contactsOf(text));
    expect(contacts.dialect.delimiter).toBe(';');
  });

  test('a column that `columns` names as the mobile finds the delimiter too', async () => {
    const path = contactsOf('Nummer|a,b,c\n0712345678|x,y,z\n');
    const { contacts } = await readAll(path, { mobile: 'nummer' });
    expect(contacts.dialect.delimiter).toBe('|');
    expect(contacts.header).toEqual(['Nummer', 'a,b,c']);
  });

  test('a single column needs no delimiter', async () => {
    expect(await cellsOf('phone\n0712345678\n0722345678\n')).toEqual([['0712345678'], ['0722345678']]);
  });

  test("Excel's own sep= line is obeyed and is no header", async () => {
    const { contacts, rows } = await readAll(contactsOf('sep=;\r\nmobile;a,b\r\n0712345678;x,y\r\n'));
    expect(contacts.header).toEqual(['mobile', 'a,b']);
    expect(rows).toMatchObject([{ line: 3, cells: ['0712345678', 'x,y'] }]);
  });
});

describe('a sep= line', () => {
  test.each([
    ['sep=,', ','],
    ['SEP=\t', '\t'],
    ['sep=|', '|'],
    ['"sep=;"', ';'],
  ])('%j names the delimiter %j', async (line, delimiter) => {
    const cells = (first: string, second: string) => `${first}${delimiter}"${second}"\n`;
    const { contacts, rows } = await readAll(
      contactsOf(`${line}\n${cells('mobile', 'x;,|\ty')}${cells('0712345678', 'z')}`),
    );
    expect([contacts.dialect.delimiter, contacts.header]).toEqual([delimiter, ['mobile', 'x;,|\ty']]);
    expect(rows).toMatchObject([{ line: 3, cells: ['0712345678', 'z'] }]);
  });

  test('is none when more stands in it', async () => {
    const { contacts } = await readAll(contactsOf('sep=;phone\nx;0712345678\n'));
    expect(contacts.mobileColumn).toBe(1);
  });
});

test('a quotation mark that is a letter of the header hides no delimiter', async () => {
  const { contacts } = await readAll(contactsOf('size 6";phone\n7;0712345678\n'));
  expect(contacts.header).toEqual(['size 6"', 'phone']);
});

describe('line endings [X15]', () => {
  test.each(['\n', '\r\n', '\r'])(
    '%j ends a line, with and without one at the end of the file',
    async (newline) => {
      const text = csv(',', newline);
      const { contacts, rows } = await readAll(contactsOf(text));
      expect(contacts.dialect.newline).toBe(newline);
      expect(rows.map(({ line }) => line)).toEqual([2, 3]);
      expect(await cellsOf(text)).toEqual(ROWS);
      expect(await cellsOf(text.slice(0, -newline.length))).toEqual(ROWS);
    },
  );

  test('mixed in one file they all count, in quoted cells as well', async () => {
    const text = 'mobile,name\r\n0712345678,A\n0722345678,"B\r\nb\nb\rb"\r0732345678,C\n\r\n"0742345678","D"';
    const { contacts, rows } = await readAll(contactsOf(text));
    expect(rows.map(({ line, cells }) => [line, ...cells])).toEqual([
      [2, '0712345678', 'A'],
      [3, '0722345678', 'B\r\nb\nb\rb'],
      [7, '0732345678', 'C'],
      [9, '0742345678', 'D'],
    ]);
    expect(contacts.counts).toEqual({ rows: 4, invalid: 0, blank: 1 });
  });
});

describe('encodings [X15]', () => {
  test('a byte order mark of UTF-8 is no part of the header', async () => {
    const { contacts, rows } = await readAll(contactsOf(`\uFEFF${csv(',')}`));
    expect(contacts.header).toEqual(TABLE[0]);
    expect(rows.map(({ cells }) => cells)).toEqual(ROWS);
  });

  test.each([
    ['the UTF-16 that Excel calls Unicode text', Buffer.from(`\uFEFF${csv('\t')}`, 'utf16le')],
    ['UTF-16 without its mark', Buffer.from(csv('\t'), 'utf16le')],
    ['UTF-16 with the high byte first', bigEndian(`\uFEFF${csv('\t')}`)],
  ])('%s is refused with what to do', async (_, bytes) => {
    const refusal = await refusalOf(contactsOf(bytes));
    expect(refusal).toMatchObject({ code: 'contacts_invalid', exitCode: 6 });
    expect(refusal.hint).toContain('CSV UTF-8');
  });

  test('the Windows encoding of Excel is read, and shows the first three names that hold its letters', async () => {
    const names = ['Ann', 'Zo\xeb', 'Jos\xe9 0712345678', '\x93N\x94', 'Fran\xe7ois'];
    const lines = names.map((name) => `0712345678,${name}\r\n`);
    const path = contactsOf(Buffer.from(`mobile,name\r\n${lines.join('')}`, 'latin1'));
    const { contacts, rows } = await readAll(path);
    expect(rows.map(({ cells }) => cells[1])).toEqual(['Ann', 'Zoë', 'José 0712345678', '“N”', 'François']);
    expect(contacts.encoding).toBe('windows-1252');
    expect(contacts.samples).toEqual(['Zoë', 'José 071****678', '“N”']);
    expect(contacts.dialect).toEqual({ delimiter: ',', newline: '\r\n' });
  });

  test('the encoding is that of the whole file, also where its first letter stands at the end', async () => {
    const plain = '0712345678,Ann\n'.repeat(20_000);
    const windows = contactsOf(Buffer.from(`mobile,name\n${plain}0722345678,Zo\xeb\n`, 'latin1'));
    expect((await readAll(windows)).contacts.samples).toEqual(['Zoë']);
    expect((await readAll(contactsOf(`mobile,name\n${plain}0722345678,Zoë\n`))).contacts.encoding).toBe(
      'utf-8',
    );
  });

  test.each([1, 2, 3])('a letter of UTF-8 that two reads share is one, cut after byte %i', async (bytes) => {
    const head = 'mobile,name\n0712345678,';
    const fill = 'a'.repeat(65_536 - head.length - bytes);
    const { contacts } = await readAll(contactsOf(`${head}${fill}\u{1f600}\n`));
    expect(contacts.encoding).toBe('utf-8');
  });

  test('a wrong byte in a file with UTF-8 letters is refused with line, column and byte', async () => {
    const bytes = Buffer.concat([
      Buffer.from('mobile,name\n0712345678,Zoë\n0722345678,Zo'),
      Buffer.from([0xeb, 0x0a]),
    ]);
    const path = contactsOf(bytes);
    const refusal = await refusalOf(path);
    expect(refusal).toMatchObject({ code: 'contacts_invalid', where: `${path}:3:14` });
    expect(refusal.message).toContain('0xeb');
    expect(refusal.hint).toContain('CSV UTF-8');
  });

  test('a byte without a meaning in both encodings is refused with its place', async () => {
    const path = contactsOf(Buffer.from('mobile,name\n0712345678,Zo\x81\n', 'latin1'));
    expect(await refusalOf(path)).toMatchObject({ code: 'contacts_invalid', where: `${path}:2:14` });
  });

  test('the place of a wrong byte is right deep in a large file and behind replacement marks', async () => {
    const good = `0712345678,Zoë \uFFFD\n`.repeat(60_000);
    const bytes = Buffer.concat([
      Buffer.from(`mobile,name\n${good}0712345678,\uFFFD`),
      Buffer.from([0xc3]),
      Buffer.from('\n'),
    ]);
    const path = contactsOf(bytes);
    expect(await refusalOf(path)).toMatchObject({ where: `${path}:60002:13` });
  });

  test('a zero byte is refused with its place', async () => {
    const path = contactsOf('mobile,name\n0712345678,A\u0000B\n');
    expect(await refusalOf(path)).toMatchObject({ code: 'contacts_invalid', where: `${path}:2:13` });
  });
});
