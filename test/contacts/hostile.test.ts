import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  closeSync,
  ftruncateSync,
  openSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { openContacts } from '../../src/contacts/contacts-file.ts';
import { ROWS_MAX } from '../../src/contacts/limits.ts';
import { hashFile } from '../../src/contacts/source-file.ts';
import { contactsOf, freshPath, readAll, refusalOf } from './reading.ts';
import { cpuMsOf } from '../support/cpu-time.ts';

const MB = 1024 * 1024;
/** No bomb holds a person up for longer. */
const REFUSED_MS = 2_000;

/** Writes `pieces` repeated to a file without holding it in memory. */
function bigFile(start: string, piece: string, count: number): string {
  const path = freshPath();
  const file = openSync(path, 'w');
  writeSync(file, start);
  for (let at = 0; at < count; at++) writeSync(file, piece);
  closeSync(file);
  return path;
}

/** Reads a file in a process of its own with a small heap; answers what it counted and its peak memory. */
function readApart(path: string): {
  rows: number;
  invalid: number;
  error: string | null;
  peakMb: number;
  cpuMs: number;
} {
  const source = `
    import { readFileSync } from 'node:fs';
    import { openContacts } from ${JSON.stringify(new URL('../../src/contacts/contacts-file.ts', import.meta.url).href)};
    let counts = { rows: 0, invalid: 0 }, error = null;
    const begun = process.cpuUsage();
    try {
      const contacts = await openContacts({ path: process.argv[1], countries: ['KE'] });
      for await (const rows of contacts.rows()) if (rows.length > 5000) throw new Error('too many at once');
      counts = contacts.counts;
    } catch (caught) { error = caught.code ?? String(caught); }
    const { user, system } = process.cpuUsage(begun), cpuMs = (user + system) / 1000;
    // Not what the system calls the process's own peak: that one begins at the size of who started it.
    const peakKb = Number(/VmHWM:\\s*(\\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))[1]);
    console.log(JSON.stringify({ ...counts, error, cpuMs, peakMb: peakKb / 1024 }));`;
  const out = execFileSync(
    process.execPath,
    ['--max-old-space-size=48', '--input-type=module', '-e', source, path],
    { encoding: 'utf8' },
  );
  return JSON.parse(out);
}

describe('what is no regular file is refused without reading it [X14]', () => {
  test('a FIFO that nobody writes to does not hang', async () => {
    const path = freshPath();
    execFileSync('mkfifo', [path]);
    expect(await refusalOf(path)).toMatchObject({ code: 'contacts_invalid', where: `${path}:1:1` });
  });

  test.each(['/dev/zero', '/dev/null', '/'])('%s', async (path) => {
    expect(await refusalOf(path)).toMatchObject({ code: 'contacts_invalid' });
  });

  test('a symbolic link to a device', async () => {
    const path = freshPath();
    symlinkSync('/dev/zero', path);
    expect(await refusalOf(path)).toMatchObject({ code: 'contacts_invalid' });
  });

  test('but a symbolic link to a CSV is followed', async () => {
    const path = freshPath();
    symlinkSync(contactsOf('mobile\n0712345678\n'), path);
    expect((await readAll(path)).rows).toHaveLength(1);
  });

  test('a file that is not there is said to be missing', async () => {
    expect(await refusalOf(freshPath())).toMatchObject({ code: 'not_found' });
    expect(await refusalOf(`${contactsOf('mobile\n')}/x.csv`)).toMatchObject({ code: 'not_found' });
  });
});

describe('other formats under the name of a CSV [X14]', () => {
  test.each([
    ['a workbook', Buffer.from('PK\x03\x04rest'), '.xlsx'],
    ['an old workbook', Buffer.from([0xd0, 0xcf, 0x11, 0xe0, 0xa1]), '.xls'],
  ])('%s is named', async (_, bytes, word) => {
    const refusal = await refusalOf(contactsOf(bytes));
    expect(refusal).toMatchObject({ code: 'contacts_invalid' });
    expect(refusal.message).toContain(word);
  });

  test.each([
    ['gzip', gzipSync('mobile\n0712345678\n')],
    ['a PDF', Buffer.from('%PDF-1.7\n%\xe2\xe3\xcf\xd3\n1 0 obj\n', 'latin1')],
    ['Parquet', Buffer.from('PAR1\x15\x04\x15\x00\x00mobile')],
  ])('%s is refused', async (_, bytes) => {
    expect(await refusalOf(contactsOf(bytes))).toMatchObject({ code: 'contacts_invalid' });
  });
});

describe('bounds [X14]', () => {
  test('a file above 512 MB is refused before it is read', async () => {
    const path = contactsOf('mobile\n');
    const file = openSync(path, 'r+');
    ftruncateSync(file, 512 * MB + 1);
    closeSync(file);
    expect((await refusalOf(path)).message).toContain('512 MB');
  });

  test.each([65, 1_000, 100_000])('a header of %d columns is refused', async (count) => {
    const names = Array.from({ length: count }, (_, at) => `c${at}`);
    const path = contactsOf(`mobile,${names.join(',')}\n0712345678\n`);
    expect(await refusalOf(path)).toMatchObject({ code: 'contacts_invalid', where: `${path}:1:1` });
  });

  test('a header that is longer than what is read of the file at first is refused', async () => {
    const bytes = Buffer.from(`mobile,${'x'.repeat(200_000)}\n0712345678,y\n`);
    expect((await refusalOf(contactsOf(bytes))).message).toContain('too long');
  });

  test('a row of 100,000 cells is one bad row', async () => {
    const { rows } = await readAll(contactsOf(`mobile\n${'x,'.repeat(100_000)}\n0712345678\n`));
    expect(rows.map(({ problem }) => problem?.reason ?? null)).toEqual(['row too long', null]);
  });

  test('more than 10,000 rows with misplaced quotation marks are no CSV', async () => {
    const rows = '0712345678,"a" b\n';
    const path = contactsOf(`mobile,name\n${rows.repeat(10_001)}`);
    expect(await refusalOf(path)).toMatchObject({ code: 'contacts_invalid', where: `${path}:10002:1` });
  });

  test('a row more than there may be is refused, and nothing of what comes after it is read', async () => {
    const rows = Array.from({ length: 20_000 }, (_, at) => `07${10_000_000 + at}\n`);
    const path = contactsOf(`mobile\n\n${rows.join('')}`);
    const read = async (mostRows: number) => {
      await using contacts = await openContacts({ path, mostRows, countries: ['KE'] });
      const seen = [];
      for await (const chunk of contacts.rows()) seen.push(...chunk);
      return seen.length;
    };
    expect(await read(20_000)).toBe(20_000);
    await expect(read(19_999)).rejects.toMatchObject({
      code: 'contacts_invalid',
      message: expect.stringContaining('more than 19999 rows'),
    });
    const refuse = () => expect(read(1)).rejects.toMatchObject({ code: 'contacts_invalid' });
    expect(await cpuMsOf(refuse)).toBeLessThan(REFUSED_MS);
    expect(ROWS_MAX).toBe(5_000_000);
  });

  test('all of them within 2 s, however large: a million columns, a file of which nothing is read, a zip', async () => {
    const huge = contactsOf('mobile\n');
    truncateSync(huge, 512 * MB + 1);
    const zip = contactsOf('PK\x03\x04');
    truncateSync(zip, 512 * MB);
    const columns = contactsOf(`mobile,${'c,'.repeat(1_000_000)}\n0712345678\n`);
    for (const path of [huge, zip, columns]) {
      const refuse = async () => expect(await refusalOf(path)).toMatchObject({ code: 'contacts_invalid' });
      expect(await cpuMsOf(refuse)).toBeLessThan(REFUSED_MS);
    }
  });
});

test('lines that begin as a number does and never end are looked at once [X14]', async () => {
  const row = `0712345678,"x\n1${' '.repeat(60_000)}x"\n`;
  const readThem = async () => {
    const { contacts } = await readAll(contactsOf(`mobile,name\n${row.repeat(3)}`));
    expect(contacts.counts).toMatchObject({ rows: 3, invalid: 3 });
  };
  expect(await cpuMsOf(readThem)).toBeLessThan(REFUSED_MS);
});

describe('memory stays flat [X14]', () => {
  test('a single cell of 70 MB between two good rows', () => {
    const path = bigFile('mobile,name\n0712345678,Ann\n0722345678,', 'x'.repeat(MB), 70);
    appendFileSync(path, '\n0732345678,Carl\n');
    const read = readApart(path);
    expect(read).toMatchObject({ rows: 3, invalid: 1, error: null });
    expect(read.peakMb).toBeLessThan(200);
  });

  test('a quoted cell of 70 MB that never ends', () => {
    const read = readApart(bigFile('mobile,name\n0712345678,"', 'x'.repeat(MB), 70));
    expect(read).toMatchObject({ rows: 1, invalid: 1, error: null });
    expect(read.peakMb).toBeLessThan(200);
  });

  test('a header of 70 MB', () => {
    const read = readApart(bigFile('mobile', 'x'.repeat(MB), 70));
    expect(read).toMatchObject({ rows: 0, error: 'contacts_invalid' });
    expect(read.peakMb).toBeLessThan(200);
    expect(read.cpuMs).toBeLessThan(REFUSED_MS);
  });

  test('300,000 rows with a heap of 48 MB', () => {
    const piece = '0712345678,"Ann, the first",Nairobi\n0722345678,Bob,Kisumu\n'.repeat(1_000);
    const read = readApart(bigFile('mobile,name,city\n', piece, 150));
    expect(read).toMatchObject({ rows: 300_000, invalid: 0, error: null });
    expect(read.peakMb).toBeLessThan(200);
  });
});

describe('a file that changes while it is read is noticed', () => {
  const text = `mobile,name\n${'0712345678,Ann\n'.repeat(40_000)}`;

  /** Reads a file whose first chunk has come, after `change`. */
  async function readAcross(change: (path: string) => void): Promise<string> {
    const path = contactsOf(text);
    utimesSync(path, 1_000_000_000, 1_000_000_000);
    await using contacts = await openContacts({ path, countries: ['KE'] });
    change(path);
    try {
      for await (const _ of contacts.rows());
    } catch (error) {
      return (error as Error).message;
    }
    return 'not noticed';
  }

  test('when rows are added', async () => {
    expect(await readAcross((path) => appendFileSync(path, '0722345678,Bob\n'))).toContain('changed');
  });

  test('when it becomes shorter', async () => {
    expect(await readAcross((path) => writeFileSync(path, 'mobile,name\n'))).toContain('changed');
  });

  test('when other bytes of the same length are written', async () => {
    const change = (path: string) => writeFileSync(path, text.replaceAll('Ann', 'Bob'));
    expect(await readAcross(change)).toContain('changed');
  });

  test('when another file takes its name', async () => {
    const change = (path: string) => execFileSync('mv', [contactsOf(text), path]);
    expect(await readAcross(change)).toContain('changed');
  });

  test('and when nothing changes, nothing is said', async () => {
    expect(await readAcross(() => undefined)).toBe('not noticed');
  });
});

test('rows are read once, and an early end closes the file', async () => {
  const contacts = await openContacts({ path: contactsOf('mobile\n0712345678\n'), countries: ['KE'] });
  for await (const _ of contacts.rows()) break;
  await expect(contacts.rows().next()).rejects.toThrow('once');
  await contacts[Symbol.asyncDispose]();
});

test('hashing refuses what reading refuses', async () => {
  await expect(hashFile('/dev/zero')).rejects.toMatchObject({ code: 'contacts_invalid' });
});
