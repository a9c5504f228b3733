import { describe, expect, test } from 'vitest';
import { FieldIndex } from '../../src/domain/text/template-fields.ts';
import { hashFile } from '../../src/contacts/source-file.ts';
import { openContacts } from '../../src/contacts/contacts-file.ts';
import { cellsOf, contactsOf, readAll, refusalOf } from './reading.ts';

describe('the column of the mobile', () => {
  test.each(['mobile', 'Phone', ' MSISDN ', 'tel', 'NUMBER', 'Cell'])(
    'is found by the name %j',
    async (name) => {
      const { contacts } = await readAll(contactsOf(`first,${name},last\na,0712345678,b\n`));
      expect(contacts.mobileColumn).toBe(1);
    },
  );

  test('is the one that `columns` names, in any case, before any other', async () => {
    const path = contactsOf('phone,Second Phone\n0712345678,0722345678\n');
    const { contacts } = await readAll(path, { mobile: 'second phone ' });
    expect(contacts.mobileColumn).toBe(1);
  });

  test.each([
    ['Phone  number', 'Phone number'],
    ['Phone number', ' phone   NUMBER '],
    ['T\u00e9l\u00e9phone', 'te\u0301le\u0301phone'],
    ['te\u0301le\u0301phone', 'T\u00e9l\u00e9phone'],
    ['\u200fPhone\u200b number\u200f', 'Phone number'],
  ])('is found as a template finds a column: %j by %j', async (name, written) => {
    const path = contactsOf(`first;${name}\na;0712345678\n`);
    const { contacts } = await readAll(path, { mobile: written });
    expect(contacts.mobileColumn).toBe(1);
    const found = new FieldIndex({ header: contacts.header, columns: { mobile: written } }).find('mobile');
    expect(found).toEqual({ found: true, column: 1 });
  });

  test('is not asked among headers that differ only in case or blanks: they are refused', async () => {
    const path = contactsOf('phone number,town,Phone  Number\n0712345678,a,0712345678\n');
    expect(await refusalOf(path, { mobile: 'Phone Number' })).toMatchObject({
      message: 'Two columns differ only in case or blanks: "phone number" and "Phone  Number".',
      where: `${path}:1:19`,
    });
  });

  test.each(
    'Phone Number|phone_number|Mobile No|mobile_no|Telephone|Tel.|MSISDN|Contact|Simu|Namba ya simu|Phone #1'.split(
      '|',
    ),
  )('is known by its name: %s', async (name) => {
    const { contacts } = await readAll(contactsOf(`Jina,${name}\nAsha,0712345678\n`));
    expect([contacts.mobileColumn, contacts.mobileGuess]).toEqual([
      1,
      { column: 1, by: 'header', numbers: 1, of: 1 },
    ]);
  });

  test('is known by its cells where nine of ten are mobiles of an allowed country, and not below', async () => {
    const rows = (good: number, bad: number) =>
      ['0712345678,1\n'.repeat(good), '12,2\n'.repeat(bad), ',3\n'].join('');
    const { contacts } = await readAll(contactsOf(`Wateja,Kiasi\n${rows(9, 1)}`));
    expect(contacts.mobileGuess).toEqual({ column: 0, by: 'cells', numbers: 9, of: 10 });
    expect((await refusalOf(contactsOf(`Wateja,Kiasi\n${rows(8, 1)}`))).message).toContain(
      'No column is known',
    );
    const abroad = contactsOf('Wateja,Kiasi\n+255712345678,1\n');
    expect((await refusalOf(abroad)).message).toContain('No column is known');
  });

  test('of two known names is the one that holds numbers', async () => {
    const { contacts } = await readAll(contactsOf('Contact,Phone No\nAnn,0712345678\n'));
    expect(contacts.mobileColumn).toBe(1);
  });

  test('is asked for where the cells of two columns are mobiles', async () => {
    const path = contactsOf('Home line,Other one\n0712345678,0722345678\n');
    expect(await refusalOf(path)).toMatchObject({
      message: 'Several columns may hold the numbers: Home line, Other one.',
      hint: 'Say which one in the job file, for example: columns: { mobile: Home line }',
      where: `${path}:1:11`,
    });
  });

  test('is asked for when two could be meant, and both are named', async () => {
    const path = contactsOf('name,phone,tel\nA,0712345678,0722345678\n');
    const refusal = await refusalOf(path);
    expect(refusal).toMatchObject({ code: 'contacts_invalid', where: `${path}:1:12` });
    expect(refusal.message).toContain('phone, tel');
    expect(refusal.hint).toContain('columns: { mobile:');
  });

  test('is asked for when there is none, with the names that there are', async () => {
    const path = contactsOf('name,Telefon\nA,none\n');
    const refusal = await refusalOf(path);
    expect(refusal).toMatchObject({ code: 'contacts_invalid', where: `${path}:1:1` });
    expect(refusal.hint).toContain('name, Telefon');
  });

  test('is asked for when `columns` names one that is not there', async () => {
    const refusal = await refusalOf(contactsOf('name,phone\nA,0712345678\n'), { mobile: 'Handy' });
    expect(refusal.message).toContain('`columns.mobile: Handy` is no column of');
    expect(refusal.hint).toContain('name, phone');
  });
});

describe('a header below titles', () => {
  const lineOf = async (list: string, columns: Record<string, string> = {}) => {
    const { contacts, rows } = await readAll(contactsOf(list), columns);
    return [contacts.headerLine, contacts.titleLines, rows.map(({ line }) => line)];
  };

  test.each([
    ['a title', 'Members of 2026;;\n\nname;phone;town\nAnn;0712345678;Embu\n', [3, 1, [4]]],
    ['a quoted title', '"Members, 2026",,\nname,phone,town\nAnn,0712345678,Embu\n', [2, 1, [3]]],
    [
      'a title that is a name of the column',
      'Contacts,,\nname,phone,town\nAnn,0712345678,Embu\n',
      [2, 1, [3]],
    ],
    ['titles and a date', 'SACCO\nPrinted,27/11/2026\n\nname,phone,town\nAnn,0712345678,Embu\n', [4, 2, [5]]],
    ['a letterhead', '"SACCO, Tel 0722 000 000",,\nname,phone,town\nAnn,0712345678,Embu\n', [2, 1, [3]]],
    [
      'an unknown name of the mobile',
      'SACCO,,\nJina,Nr.,Mji\nAnn,0712345678,Embu\nBen,0722345678,Embu\n',
      [2, 1, [3, 4]],
    ],
  ])('is found: %s', async (_what, list, expected) => {
    expect(await lineOf(list)).toEqual(expected);
  });

  test('is found by the name in `columns`, too', async () => {
    const list = 'SACCO,,\nJina,Handy,Mji\nAnn,0712345678,Embu\n';
    expect(await lineOf(list, { mobile: 'handy' })).toEqual([2, 1, [3]]);
  });

  test.each([
    [
      'a cell that says phone',
      'jina,nr,device\nAnn,0712345678,Phone\nBen,0722345678,Phone\n',
      [1, 0, [2, 3]],
    ],
    [
      'a header with nameless columns',
      'name,phone,,\nAnn,0712345678,Embu,x\nBen,0722345678,Embu,y\n',
      [1, 0, [2, 3]],
    ],
    ['one name above nameless columns', 'phone,,\nnone,Ben,x\n0712345678,Ann,y\n', [1, 0, [2, 3]]],
    ['one column', 'phone\n0712345678\n', [1, 0, [2]]],
    ['a short header', 'phone,name\n0712345678,Ann\n', [1, 0, [2]]],
  ])('is not searched for below a header: %s', async (_what, list, expected) => {
    expect(await lineOf(list)).toEqual(expected);
  });

  test('is the line that the job names, and a line without names is refused', async () => {
    const path = contactsOf('Ann,0712345678\n,\nname,phone\nBen,0722345678\n');
    await using named = await openContacts({ path, countries: ['KE'], headerLine: 3 });
    expect([named.header, named.titleLines]).toEqual([['name', 'phone'], 1]);
    for (const headerLine of [2, 9])
      await expect(openContacts({ path, countries: ['KE'], headerLine })).rejects.toMatchObject({
        code: 'contacts_invalid',
        message: `Line ${headerLine} of the contacts, which \`header\` names, is no header.`,
        where: `${path}:${headerLine}:1`,
      });
  });
});

test('a file without a header shows no number in the error', async () => {
  const refusal = await refusalOf(contactsOf('254712345678,Ann\n254722345678,Bob\n'));
  expect(`${refusal.message} ${refusal.hint}`).not.toMatch(/\d{6}/);
});

test('a file without a header is told to have one, and not that its first number is a title', async () => {
  for (const list of ['0712345678\n0722345678\n', 'Ann,0712345678\nBob,0722345678\n'])
    expect((await refusalOf(contactsOf(list))).hint).toMatch(
      /^The header is: [^.]*\. If that is a row, write a line above it that names the columns\. Say which/,
    );
});

test('two columns of one name are refused at the second', async () => {
  const path = contactsOf('mobile,"name",city,name\n0712345678,a,b,c\n');
  expect(await refusalOf(path)).toMatchObject({ code: 'contacts_invalid', where: `${path}:1:20` });
});

test('names that objects inherit are ordinary names [X8]', async () => {
  const path = contactsOf('__proto__,constructor,log,mobile,toString\na,b,c,0712345678,d\n');
  const { contacts, rows } = await readAll(path);
  expect(contacts.header).toEqual(['__proto__', 'constructor', 'log', 'mobile', 'toString']);
  expect(rows[0]?.cells).toEqual(['a', 'b', 'c', '0712345678', 'd']);
});

test('a header of several lines, behind blank ones, is one header', async () => {
  const { contacts, rows } = await readAll(contactsOf('\n ,\n"the\nname",mobile\nA,0712345678\n'));
  expect(contacts.header).toEqual(['the\nname', 'mobile']);
  expect(rows).toMatchObject([{ line: 5, cells: ['A', '0712345678'] }]);
});

test.each(['', '\n\n', '\uFEFF', ' , \n'])('a file without a header is refused: %j', async (text) => {
  expect(await refusalOf(contactsOf(text))).toMatchObject({ code: 'contacts_invalid' });
});

test('a header whose quotation marks are wrong is refused, not guessed', async () => {
  const path = contactsOf('mobile,"name\n0712345678,Ann\n');
  const refusal = await refusalOf(path);
  expect(refusal).toMatchObject({ code: 'contacts_invalid', where: `${path}:1:1` });
  expect(refusal.message).toBe('The header cannot be read: bad quoting.');
});

test('columns without a name may be several, and blanks in quotation marks are no part of a name', async () => {
  const { contacts, rows } = await readAll(contactsOf('" name ",,mobile,,town\nAnn,a,0712345678,b,Embu\n'));
  expect(contacts.header).toEqual(['name', '', 'mobile', '', 'town']);
  expect(rows[0]?.cells).toEqual(['Ann', 'a', '0712345678', 'b', 'Embu']);
});

test('a header of 64 columns is read', async () => {
  const names = Array.from({ length: 63 }, (_, at) => `c${at}`);
  const { contacts } = await readAll(contactsOf(`mobile,${names.join(',')}\n`));
  expect(contacts.header).toHaveLength(64);
});

test('a header alone is a file without rows', async () => {
  const { contacts, rows } = await readAll(contactsOf('mobile,name'));
  expect(rows).toEqual([]);
  expect(contacts.counts.rows).toBe(0);
});

test('the columns of the rejects writer are left out wherever they stand', async () => {
  const text = 'TUMA_LINE,mobile,tuma_reason,name,tuma_detail\n7,0712345678,landline,Ann,x\n';
  const { contacts, rows } = await readAll(contactsOf(text));
  expect(contacts.header).toEqual(['mobile', 'name']);
  expect(contacts.mobileColumn).toBe(0);
  expect(rows[0]).toMatchObject({ cells: ['0712345678', 'Ann'], raw: '0712345678,Ann', problem: null });
});

test('a delimiter at the end of every line makes no column', async () => {
  const { contacts, rows } = await readAll(contactsOf('mobile,name,,\n0712345678,Ann,,\n0722345678,Bob\n'));
  expect(contacts.header).toEqual(['mobile', 'name']);
  expect(rows.map(({ raw, problem }) => [raw, problem])).toEqual([
    ['0712345678,Ann', null],
    ['0722345678,Bob', null],
  ]);
  const many = ','.repeat(250);
  const wide = await readAll(contactsOf(`mobile,name${many}\n0712345678,Ann${many}\n0722345678,Bob\n`));
  expect(wide.rows.map(({ raw, problem }) => [raw, problem])).toEqual([
    ['0712345678,Ann', null],
    ['0722345678,Bob', null],
  ]);
});

test('the hash is that of the bytes, and the same as that of the file', async () => {
  const path = contactsOf('\uFEFFmobile\n0712345678\n');
  const { contacts } = await readAll(path);
  expect(contacts.sha256).toMatch(/^[0-9a-f]{64}$/);
  expect(contacts.sha256).toBe(await hashFile(path));
  expect(contacts.sha256).not.toBe(await hashFile(contactsOf('mobile\n0712345678\n')));
});

test('blanks around a cell are not part of it, but those in quotation marks are', async () => {
  expect(await cellsOf('mobile, name ,city\n 0712345678 , "Ann, B" ," x "\n')).toEqual([
    ['0712345678', 'Ann, B', ' x '],
  ]);
  expect(await cellsOf('mobile,name\n0712345678,\u00A0"Ann, B"\n')).toEqual([['0712345678', 'Ann, B']]);
});
