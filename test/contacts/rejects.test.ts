import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Rejects } from '../../src/contacts/rejects.ts';
import type { RejectsPlace } from '../../src/contacts/rejects-place.ts';
import { toCsvLine } from '../../src/contacts/line-cells.ts';
import { fuzzRuns } from '../support/fuzz-runs.ts';
import { contactsOf, freshPath, readAll, type Read } from './reading.ts';

/** A file that must not exist yet. */
const newFile = (path: string): RejectsPlace => ({ path, ifTaken: 'refuse' });
/** By which a spreadsheet knows UTF-8. */
const MARK = '\uFEFF';
const WHY = { reason: 'landline', detail: 'This is a landline; it cannot receive SMS.' };

/** Writes every row of a read file as a reject; answers the text of the file. */
async function rejectAll(
  { contacts, rows }: Read,
  path = freshPath('rejects.csv'),
  ifTaken: RejectsPlace['ifTaken'] = 'refuse',
): Promise<string> {
  await using rejects = new Rejects({ place: { path, ifTaken }, contacts });
  for (const row of rows) rejects.add({ row, ...(row.problem ?? WHY) });
  const done = await rejects.finish();
  expect(done).toEqual({ path, rows: rows.length });
  const text = readFileSync(path, 'utf8');
  expect(text.startsWith(MARK)).toBe(true);
  return text.slice(MARK.length);
}

describe('rows stand as they stood, where a spreadsheet changes nothing', () => {
  test.each([
    ['a plain row', 'mobile,name', '202345678,Ann'],
    ['blanks and marks', 'mobile,name', ' 202 345 678 ,"Ann ""A"""'],
    ['every cell quoted', '"mobile","name"', '"202345678","Ann"'],
    ['a cell of several lines', 'mobile,name', '202345678,"Ann\nB"'],
  ])('%s', async (_, header, row) => {
    const written = await rejectAll(await readAll(contactsOf(`${header}\n${row}\n`)));
    const [head, ...rest] = written.split('\n');
    expect(head).toBe('mobile,name,tuma_line,tuma_reason,tuma_detail');
    expect(rest.join('\n')).toBe(`${row},2,landline,${WHY.detail}\n`);
  });

  test('in the delimiter and the line ending of the contacts', async () => {
    const written = await rejectAll(await readAll(contactsOf('mobile;name\r\n202345678;"a;b"\r\n')));
    expect(written).toBe(
      `mobile;name;tuma_line;tuma_reason;tuma_detail\r\n202345678;"a;b";2;landline;"${WHY.detail}"\r\n`,
    );
  });

  test('filled up to the header when cells are missing', async () => {
    const written = await rejectAll(await readAll(contactsOf('mobile,name,city\n712345678\n')));
    expect(written.split('\n')[1]).toMatch(/^712345678,,,2,too few cells,/);
  });

  test('as one cell when the quotation marks are wrong, so that the next row is safe', async () => {
    const read = await readAll(contactsOf('mobile,name\n712345678,"Ann\n202345678,Bob\n'));
    const lines = (await rejectAll(read)).split('\n');
    expect(lines[1]).toMatch(/^"712345678,""Ann",,2,bad quoting,/);
    expect(lines[2]).toMatch(/^202345678,Bob,3,landline,/);
  });

  test('as one cell when it is too long, for it is cut, perhaps within quotation marks', async () => {
    const read = await readAll(contactsOf(`mobile,name\n712345678,"${'x'.repeat(70_000)}"\n202345678,Bob\n`));
    const lines = (await rejectAll(read)).split('\n');
    expect(lines[1]).toMatch(/^"712345678,""x+",,2,row too long,/);
    expect(lines[2]).toMatch(/^202345678,Bob,3,landline,/);
  });
});

test('a delimiter at the end of a row does not push the three columns aside', async () => {
  const read = await readAll(contactsOf('mobile,name,\n"202345678","Ann", \n"202345679","Bob",\n'));
  const lines = (await rejectAll(read)).split('\n');
  expect(lines[1]).toMatch(/^202345678,Ann,2,landline,/);
  expect(lines[2]).toMatch(/^"202345679","Bob",3,landline,/);
});

describe('what comes back', () => {
  const DIRTY = [
    'Phone;Name;Note',
    '202345678;Ann;"a;b"',
    '712345678;"Zoë ""Z"" W";',
    '712345678;Bob',
    '712345678;Bob;x;y',
    '712345678;"Bob',
    '712345678; spaced ;" kept "',
    '712345678;{{x}};y',
    '',
  ].join('\n');

  test('are the same rows with the same problems, and missing cells are blank now', async () => {
    const first = await readAll(contactsOf(DIRTY));
    const path = freshPath('rejects.csv');
    await rejectAll(first, path);
    const second = await readAll(path);
    expect(second.contacts.header).toEqual(first.contacts.header);
    const wanted = first.rows.map(({ cells, problem, raw }) => {
      if (problem?.reason === 'too few cells') return [...cells, ''];
      return problem?.reason === 'bad quoting' ? [raw, '', ''] : cells;
    });
    expect(second.rows.map(({ cells }) => cells)).toEqual(wanted);
    const still = second.rows.map(({ problem }) => problem?.reason ?? null);
    expect(still).toEqual(first.rows.map(({ problem }) => problem?.reason ?? null));
  });

  test('a row that was filled up stays one until its missing cell, or its reason, is mended', async () => {
    const reread = async (...rows: string[]) => {
      const text = ['Phone,Name,Town,tuma_line,tuma_reason,tuma_detail', ...rows].join('\n');
      return (await readAll(contactsOf(text))).rows.map(({ problem }) => problem?.reason ?? null);
    };
    expect(await reread('712345678,Kisumu,,2,too few cells,x', '"712345679",,,3,bad quoting,x')).toEqual([
      'too few cells',
      'bad quoting',
    ]);
    expect(
      await reread(
        '712345678,Bob,Kisumu,2,too few cells,x',
        '712345678,Bob,,2,,x',
        '712345679,Ann,,3,bad quoting,x',
        '712345679,,,3,,x',
      ),
    ).toEqual([null, null, null, null]);
  });

  test('a mark that was a letter of its cell stays one beside what Tuma quotes', async () => {
    const read = await readAll(contactsOf('Name;Phone\nAnn "AJ" Jones;="0202345678"\n'));
    const path = freshPath();
    expect(await rejectAll(read, path)).toContain(
      `\nAnn "AJ" Jones;="0202345678";2;landline;"${WHY.detail}"`,
    );
    const [again] = (await readAll(path)).rows;
    expect([again?.cells, again?.problem]).toEqual([['Ann "AJ" Jones', '0202345678'], null]);
  });

  test('of a row that has lost some of our cells no cell is taken away, which would make it fit', async () => {
    const header = 'phone,name,town,tuma_line,tuma_reason,tuma_detail';
    let read = await readAll(
      contactsOf(`${header}\n712345678,Ann,Nairobi,West\n712345679,Bob,7,landline,x\n`),
    );
    for (const reason of ['too few cells', 'too many cells']) {
      expect(read.rows.map(({ cells, problem }) => [cells.slice(0, 4), problem?.reason])).toEqual([
        [['712345678', 'Ann', 'Nairobi', 'West'], reason],
        [['712345679', 'Bob', '7', 'landline'], reason],
      ]);
      const path = freshPath();
      await rejectAll(read, path);
      read = await readAll(path);
    }
  });

  test('and going round again changes nothing more', async () => {
    const paths = [freshPath('a.csv'), freshPath('b.csv'), freshPath('c.csv')];
    let read = await readAll(contactsOf(DIRTY));
    const written: string[][] = [];
    for (const path of paths) {
      await rejectAll(read, path);
      read = await readAll(path);
      written.push(read.rows.map(({ raw }) => raw));
    }
    expect(written[1]).toEqual(written[0]);
    expect(written[2]).toEqual(written[0]);
  });
});

describe('a row that is typed into a rejects file', () => {
  const HEADER = 'name,phone,tuma_line,tuma_reason,tuma_detail';
  const told = async (header: string, row: string) => {
    const { rows } = await readAll(contactsOf(`${header}\nAnn,0712000001,2,landline,x\n${row}\n`));
    expect(rows[0]).toMatchObject({ cells: ['Ann', '0712000001'], problem: null, reasonBefore: 'landline' });
    return { cells: rows[1]?.cells, problem: rows[1]?.problem, before: rows[1]?.reasonBefore };
  };

  test.each(['Bob,0712000002', 'Bob,0712000002,', 'Bob,0712000002,,'])(
    'needs no cell of ours: %s',
    async (row) => {
      expect(await told(HEADER, row)).toEqual({
        cells: ['Bob', '0712000002'],
        problem: null,
        before: undefined,
      });
    },
  );

  test.each([
    ['Bob', 'too few cells', 1],
    ['Bob,0712000002,7', 'too few cells', 3],
    ['Bob,0712000002,7,landline', 'too few cells', 4],
    ['Bob,Otieno,0712000002,7,landline,x', 'too many cells', 6],
  ])('that does not fit is told by the cells that are there: %s', async (row, reason, cells) => {
    const { problem } = await told(HEADER, row);
    expect(problem).toEqual({ reason, detail: `The header has 5 cells, this row ${cells}.` });
  });

  test('and is joined with the next by a stray mark is refused, also where ours stand before the number', async () => {
    const text =
      'tuma_line,tuma_reason,tuma_detail,name,phone,note\n2,x,x,"Ann,712345678,x\n3,x,x,Bob",0722345678,y\n';
    const { rows } = await readAll(contactsOf(text));
    expect(rows.map(({ problem }) => problem?.reason)).toEqual(['bad quoting', 'bad quoting']);
  });

  test('fits only where ours stand at the end: else nobody can tell whose cells are missing', async () => {
    const { rows } = await readAll(
      contactsOf('name,tuma_line,tuma_reason,tuma_detail,phone\nBob,0712000002\n'),
    );
    expect(rows[0]?.problem?.detail).toBe('The header has 5 cells, this row 2.');
  });
});

describe('the file', () => {
  test('is not created without rows, and an older one is left alone', async () => {
    const { contacts } = await readAll(contactsOf('mobile\n712345678\n'));
    const path = freshPath('rejects.csv');
    expect(await new Rejects({ place: newFile(path), contacts }).finish()).toBeNull();
    expect(existsSync(path)).toBe(false);
  });

  test('is for its owner only, also where it replaces an older one that was for all', async () => {
    const path = freshPath('rejects.csv');
    writeFileSync(path, 'old', { mode: 0o666 });
    await rejectAll(await readAll(contactsOf('mobile\n202345678\n')), path, 'replace');
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(readFileSync(path, 'utf8')).not.toContain('old');
  });

  test('has no name before `finish`, nor after `abort`, and no temporary file stays', async () => {
    const path = freshPath('rejects.csv');
    const { contacts, rows } = await readAll(contactsOf('mobile\n202345678\n'));
    {
      await using rejects = new Rejects({ place: newFile(path), contacts });
      for (let at = 0; at < 5_000; at++) for (const row of rows) rejects.add({ row, ...WHY });
      expect(existsSync(path)).toBe(false);
    }
    expect(existsSync(path)).toBe(false);
    expect(readdirSync(dirname(path)).filter((name) => name.includes('.tmp'))).toEqual([]);
  });

  test('is noted while it is not whole, so that a kill leaves nothing of it', async () => {
    const { contacts, rows } = await readAll(contactsOf('mobile\n202345678\n'));
    const notes: string[] = [];
    const noteUnfinished = (file: string) => {
      notes.push(`begun ${existsSync(file)}`);
      return () => void notes.push(`ended ${existsSync(file)}`);
    };
    for (const end of ['finish', 'abort'] as const) {
      const place = { ...newFile(freshPath('rejects.csv')), noteUnfinished };
      await using rejects = new Rejects({ place, contacts });
      for (const row of rows) rejects.add({ row, ...WHY });
      await rejects[end]();
    }
    expect(notes).toEqual(['begun false', 'ended false', 'begun false', 'ended false']);
  });

  test('never takes the place of an older one, or of the contacts, not even by another name', async () => {
    const read = await readAll(contactsOf('mobile\n202345678\n'));
    const link = freshPath('link.csv');
    symlinkSync(read.contacts.path, link);
    const older = freshPath('rejects.csv');
    writeFileSync(older, 'old');
    for (const path of [read.contacts.path, link, older]) {
      await expect(rejectAll(read, path)).rejects.toMatchObject({ code: 'usage', exitCode: 2 });
      expect(readdirSync(dirname(path)).filter((name) => name.includes('.tmp'))).toEqual([]);
    }
    expect(readFileSync(older, 'utf8')).toBe('old');
    expect(readFileSync(read.contacts.path, 'utf8')).toBe('mobile\n202345678\n');
  });

  test.each(['/nowhere/rejects.csv', '/dev/null/rejects.csv', '/proc/rejects.csv'])(
    'that cannot be %s is one clear error',
    async (path) => {
      const read = await readAll(contactsOf('mobile\n202345678\n'));
      await expect(rejectAll(read, path)).rejects.toMatchObject({ code: 'file_unwritable', where: path });
    },
  );

  test('that is a directory is refused, also to be replaced, and nothing is left in it', async () => {
    const read = await readAll(contactsOf('mobile\n202345678\n'));
    const path = freshPath('rejects');
    mkdirSync(path);
    await expect(rejectAll(read, path)).rejects.toMatchObject({ code: 'usage' });
    await expect(rejectAll(read, path, 'replace')).rejects.toMatchObject({ code: 'file_unwritable' });
    expect(readdirSync(path)).toEqual([]);
  });

  test('whose place is taken by a directory while it is written is one clear error, and nothing else stays', async () => {
    const { contacts, rows } = await readAll(contactsOf('mobile\n202345678\n'));
    const path = freshPath('rejects');
    await using rejects = new Rejects({ place: newFile(path), contacts });
    for (const row of rows) rejects.add({ row, ...WHY });
    mkdirSync(path);
    for (let call = 0; call < 2; call++)
      await expect(rejects.finish()).rejects.toMatchObject({ code: 'usage', where: path });
    expect(() => rejects.add({ row: rows[0] as (typeof rows)[0], ...WHY })).toThrow(/exists already/);
    expect(readdirSync(dirname(path)).filter((name) => name.includes('.tmp'))).toEqual([]);
  });

  test('that the disk has no room for leaves nothing behind and the older one whole', async () => {
    const contacts = contactsOf(`mobile,name\n${'202345678,Ann\n'.repeat(10_000)}`);
    const path = freshPath('rejects.csv');
    writeFileSync(path, 'old');
    const source = `
      import { openContacts } from ${JSON.stringify(new URL('../../src/contacts/contacts-file.ts', import.meta.url).href)};
      import { Rejects } from ${JSON.stringify(new URL('../../src/contacts/rejects.ts', import.meta.url).href)};
      process.on('SIGXFSZ', () => {});
      const [contactsPath, path] = process.argv.slice(1);
      const contacts = await openContacts({ path: contactsPath, countries: ['KE'] });
      const rejects = new Rejects({ place: { path, ifTaken: 'replace' }, contacts });
      const codes = [];
      for await (const rows of contacts.rows())
        for (const row of rows) try { rejects.add({ row, reason: 'r', detail: 'd' }); } catch (error) { codes.push(error.code); break; }
      await rejects.finish().catch((error) => codes.push('at the end ' + error.code));
      console.log(codes.join(' '));`;
    // The limit on the size of a file stands in for a full disk: the write fails after some of it went well.
    const out = execFileSync(
      'sh',
      [
        '-c',
        'ulimit -f 200; exec "$0" "$@"',
        process.execPath,
        '--input-type=module',
        '-e',
        source,
        contacts,
        path,
      ],
      // The files of Node's compile cache may be larger than the limit.
      { encoding: 'utf8', env: { ...process.env, NODE_DISABLE_COMPILE_CACHE: '1' } },
    );
    expect(out.trim()).toMatch(/^(file_unwritable ){2,}at the end file_unwritable$/);
    expect(readFileSync(path, 'utf8')).toBe('old');
    expect(readdirSync(dirname(path)).filter((name) => name.includes('.tmp'))).toEqual([]);
  });
});

test('a rejects path in a directory of its own is written there', async () => {
  const directory = freshPath('out');
  mkdirSync(directory);
  const written = await rejectAll(await readAll(contactsOf('mobile\n202345678\n')), join(directory, 'r.csv'));
  expect(written).toContain('landline');
  expect(readdirSync(directory)).toEqual(['r.csv']);
});

describe('what a spreadsheet would rewrite is a text, and comes back', () => {
  test.each([
    ['00043', '="00043"'],
    ['0712345678', '="0712345678"'],
    ['+254712345678', '="+254712345678"'],
    ['+43', '="+43"'],
    ['254712345678', '="254712345678"'],
    ['1234567890123456789', '="1234567890123456789"'],
    ['1E5', '="1E5"'],
    ['12e03', '="12e03"'],
    ['10.00', '="10.00"'],
    ['1.50', '="1.50"'],
    ['2026-12-01', '="2026-12-01"'],
    ['2026-12-01 14:30', '="2026-12-01 14:30"'],
    ['03/04/2026', '="03/04/2026"'],
    ['3/4', '="3/4"'],
    ['1-2', '="1-2"'],
    ['27 Nov 2026', '="27 Nov 2026"'],
    ['Nov 27 2026', '="Nov 27 2026"'],
    ['Dec-5', '="Dec-5"'],
    ['MAR1', '="MAR1"'],
    ['=1+2', "'=1+2"],
    ['@ann', "'@ann"],
    ['-Ann', "'-Ann"],
  ])('%s', async (cell, shown) => {
    const read = await readAll(contactsOf(`mobile,ref,name\n712,${cell},Ann\n712,"${cell}","A, B"\n`));
    const path = freshPath('rejects.csv');
    const written = await rejectAll(read, path);
    const quoted = /"/.test(shown) ? `"${shown.replaceAll('"', '""')}"` : shown;
    expect(written.split('\n').slice(1, 3)).toEqual([
      `712,${quoted},Ann,2,landline,${WHY.detail}`,
      `712,${quoted},"A, B",3,landline,${WHY.detail}`,
    ]);
    const again = await readAll(path);
    expect(again.rows.map(({ cells }) => cells[1])).toEqual([cell, cell]);
    // As Excel saves what it shows, and LibreOffice what it read.
    for (const saved of [cell, quoted]) {
      const { rows } = await readAll(contactsOf(`${MARK}mobile;ref\r\n712;${saved}\r\n`));
      expect(rows[0]?.cells[1]).toBe(cell);
    }
  });

  test.each([
    'Ann',
    '43',
    '1200.5',
    '5 Mar Street',
    'Plot 4',
    'KES 1,200',
    '14:30',
    'A-1',
    'INV-2026-1',
    '12 E 5',
  ])('%s stays as it was written', async (cell) => {
    const written = await rejectAll(await readAll(contactsOf(`mobile;ref\n712;${cell}\n`)));
    expect(written.split('\n')[1]).toMatch(new RegExp(`^712;${cell};2;`));
  });

  test('whatever the cells are, and however often it goes round', async () => {
    const cell = fc.oneof(
      fc.string({ unit: fc.constantFrom(...'0123456789+-.,/eE ="\'@abN\n'), maxLength: 12 }),
      fc.string({ unit: fc.constantFrom(...'0123456789+-./E'), maxLength: 8 }),
      fc.constantFrom('="00043"', "'=1+2", '27 Nov', ' 007 ', '="', '""', "'"),
    );
    const line = fc.array(cell, { minLength: 3, maxLength: 3 });
    await fc.assert(
      fc.asyncProperty(fc.array(line, { minLength: 1, maxLength: 4 }), async (lines) => {
        const text = lines.map((cells) => toCsvLine(['712345678', ...cells], ',')).join('\n');
        const first = await readAll(contactsOf(`mobile,a,b,c\n${text}\n`));
        const [one, two] = [freshPath('one.csv'), freshPath('two.csv')];
        await rejectAll(first, one);
        const second = await readAll(one);
        await rejectAll(second, two);
        const usable = (read: Read) => read.rows.filter(({ problem }) => problem === null);
        expect(usable(second).map(({ cells }) => cells)).toEqual(usable(first).map(({ cells }) => cells));
        expect(usable(await readAll(two)).map(({ cells }) => cells)).toEqual(
          usable(first).map(({ cells }) => cells),
        );
      }),
      { numRuns: fuzzRuns(300) },
    );
  });
});
