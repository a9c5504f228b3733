import {
  chmodSync,
  closeSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statfsSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, it, onTestFinished } from 'vitest';
import { spaceGuard } from '../../../src/ledger/sqlite/disk-space.ts';
import { checkFileSystem, openForWriting, refuseOldSqlite } from '../../../src/ledger/sqlite/open.ts';
import { ledgerError } from '../../../src/ledger/sqlite/sqlite-errors.ts';
import { openSqliteLedger } from '../../../src/ledger/sqlite/sqlite-ledger.ts';
import { makeTempDir } from '../../support/temp-home.ts';

const IN_MEMORY = existsSync('/dev/shm') && statfsSync('/dev/shm').type === 0x01021994;

it('the ledger and its folder are for their owner only, the log and the shared memory too [X32]', async () => {
  const folder = join(makeTempDir(), 'new', 'home');
  const file = join(folder, 'ledger.db');
  const ledger = await openSqliteLedger({ file });
  expect(statSync(folder).mode & 0o777).toBe(0o700);
  for (const name of [file, `${file}-wal`, `${file}-shm`])
    expect(statSync(name).mode & 0o777, name).toBe(0o600);
  await ledger.close();
});

it('closing copies the log into the main file and removes it', async () => {
  const file = join(makeTempDir(), 'ledger.db');
  const ledger = await openSqliteLedger({ file });
  await ledger.addOptOuts([{ mobile: '254711', source: 'operator' }], 1);
  await ledger.close();
  await ledger.close();
  expect(existsSync(`${file}-wal`)).toBe(false);
  await expect(ledger.facts()).rejects.toThrow('closed');
  const raw = new DatabaseSync(file);
  expect(raw.prepare('SELECT mobile FROM opt_out').all()).toMatchObject([{ mobile: '254711' }]);
  raw.close();
});

it('calls made before close are answered', async () => {
  const ledger = await openSqliteLedger({ file: join(makeTempDir(), 'ledger.db') });
  const calls = Array.from({ length: 50 }, () => ledger.facts());
  await ledger.close();
  expect((await Promise.all(calls)).length).toBe(50);
});

it('every commit of a ledger waits for the disk', async () => {
  const log = { info: () => {}, warn: () => {}, error: () => {} };
  const database = await openForWriting({ file: join(makeTempDir(), 'ledger.db'), log });
  expect(database.prepare('PRAGMA journal_mode').get()).toEqual({ journal_mode: 'wal' });
  expect(database.prepare('PRAGMA synchronous').get()).toEqual({ synchronous: 2 });
  database.close();
});

it('item 0.3 a SQLite that can lose commits is refused', () => {
  for (const old of ['3.51.2', '3.50.99', '3.7.0', '2.99.99']) {
    expect(() => refuseOldSqlite(old), old).toThrow(expect.objectContaining({ code: 'sqlite_too_old' }));
  }
  for (const good of ['3.51.3', '3.52.0', '3.51.10', '4.0.0']) refuseOldSqlite(good);
});

/** A ledger that was closed in order; then every other page behind that share of it was overwritten in part. */
async function damagedLedger(share: number): Promise<string> {
  const file = join(makeTempDir(), 'ledger.db');
  const ledger = await openSqliteLedger({ file });
  const entries = Array.from({ length: 5_000 }, (_, index) => ({
    mobile: `2547${index}`,
    source: 'operator' as const,
  }));
  await ledger.addOptOuts(entries, 1);
  await ledger.close();
  const handle = openSync(file, 'r+');
  const pages = statSync(file).size / 4_096;
  for (let page = Math.ceil(share * pages); page < pages; page += 2)
    writeSync(handle, Buffer.alloc(2_000, 0xee), 0, 2_000, page * 4_096);
  closeSync(handle);
  return file;
}

it('a damaged main file is refused, and nothing is written to it [D5]', async () => {
  const file = await damagedLedger(0.01);
  const damaged = readFileSync(file);
  await expect(openSqliteLedger({ file })).rejects.toMatchObject({ code: 'ledger_invalid' });
  expect(readFileSync(file).equals(damaged)).toBe(true);
});

it('a file too large for a check at each start is checked when its log was left behind, by a kill or a power cut [D5]', async () => {
  // Nothing that has to be read to open it.
  const file = await damagedLedger(0.7);
  const log = { info: () => {}, warn: () => {}, error: () => {} };
  const { size } = statSync(file);
  const refused = { code: 'ledger_invalid', message: expect.stringContaining('is damaged') };
  await expect(openForWriting({ file, log, checkedBytes: size })).rejects.toMatchObject(refused);
  (await openForWriting({ file, log, checkedBytes: size - 1 })).close();
  writeFileSync(`${file}-wal`, '');
  await expect(openForWriting({ file, log, checkedBytes: size - 1 })).rejects.toMatchObject(refused);
});

it('a large file is not checked a second time while a worker of this boot works on it [D5]', async () => {
  const file = await damagedLedger(0.7);
  const log = { info: () => {}, warn: () => {}, error: () => {} };
  const refused = { code: 'ledger_invalid', message: expect.stringContaining('is damaged') };
  const open = async () => {
    writeFileSync(`${file}-wal`, '');
    return openForWriting({ file, log, checkedBytes: statSync(file).size - 1 });
  };
  const database = await openForWriting({ file, log, checkedBytes: statSync(file).size - 1 });
  const bootId = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  const now = Date.now();
  database
    .prepare(
      `INSERT INTO worker (boot_id, pid_namespace, pid, start_ticks, roles, registered_at, heartbeat_at)
      VALUES (?, 'ns', 1, '1', 'worker', ?, ?)`,
    )
    .run(bootId, now, now);
  database.close();
  const change = async (set: string) => {
    const worker = await open();
    worker.exec(`UPDATE worker SET ${set}`);
    worker.close();
  };
  (await open()).close();
  for (const set of [`ended_at = ${now}`, `heartbeat_at = ${now - 60_000}`, "boot_id = 'the boot before'"]) {
    await change(set);
    await expect(open(), set).rejects.toMatchObject(refused);
    const repaired = new DatabaseSync(file);
    repaired.prepare('UPDATE worker SET ended_at = NULL, heartbeat_at = ?, boot_id = ?').run(now, bootId);
    repaired.close();
  }
  (await open()).close();
});

it('a file that is no database is refused', async () => {
  const file = join(makeTempDir(), 'ledger.db');
  writeFileSync(file, 'Phone,First name\n0711000111,Asha\n'.repeat(100));
  await expect(openSqliteLedger({ file })).rejects.toMatchObject({ code: 'ledger_invalid' });
});

it('a folder that cannot be written is refused with the remedy [D6]', async () => {
  const folder = makeTempDir();
  const place = join(folder, 'not-a-folder');
  writeFileSync(place, '');
  await expect(openSqliteLedger({ file: join(place, 'ledger.db') })).rejects.toMatchObject({
    code: 'ledger_invalid',
    hint: expect.stringContaining('TUMA_HOME'),
  });
  if (process.getuid?.() === 0) return;
  const locked = join(folder, 'locked');
  mkdirSync(locked);
  chmodSync(locked, 0o500);
  await expect(openSqliteLedger({ file: join(locked, 'ledger.db') })).rejects.toMatchObject({
    code: 'ledger_invalid',
  });
});

it('a network file system is refused by its name, and one in memory is warned of [D6]', async () => {
  const warnings: string[] = [];
  const log = {
    info: () => {},
    warn: (_: object, words: string) => void warnings.push(words),
    error: () => {},
  };
  for (const [type, name] of [
    [0x6969, 'NFS'],
    [0xff534d42, 'CIFS'],
    [0x01021997, '9P'],
  ] as const)
    expect(() => checkFileSystem({ file: '/home/ledger.db', log }, type)).toThrow(
      `network file system (${name})`,
    );
  checkFileSystem({ file: '/home/ledger.db', log }, 0xef53);
  expect(warnings).toEqual([]);
  checkFileSystem({ file: '/home/ledger.db', log }, 0x01021994);
  expect(warnings).toEqual([expect.stringContaining('gone when the machine restarts')]);
});

it('a ledger in /dev/shm warns when it is opened [D6]', async (context) => {
  if (!IN_MEMORY) context.skip('/dev/shm is not in memory here');
  const folder = mkdtempSync('/dev/shm/tuma-test-');
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const warnings: string[] = [];
  const log = {
    info: () => {},
    warn: (_: object, words: string) => void warnings.push(words),
    error: () => {},
  };
  (await openForWriting({ file: join(folder, 'ledger.db'), log })).close();
  expect(warnings).toEqual([expect.stringContaining('tmpfs')]);
});

it('a backup is of the moment it was asked for, whatever another process writes meanwhile', async () => {
  const folder = makeTempDir();
  const file = join(folder, 'ledger.db');
  const ledger = await openSqliteLedger({ file });
  const busy = await openSqliteLedger({ file });
  const number = (index: number) => String(254_700_000_000 + index);
  const before = Array.from({ length: 40_000 }, (_, index) => ({
    mobile: number(index),
    source: 'import' as const,
  }));
  await ledger.addOptOuts(before, 1);
  const copied = new AbortController();
  const backup = ledger.backup(join(folder, 'copy.db')).finally(() => copied.abort());
  let written = 0;
  for (; !copied.signal.aborted; written += 1) {
    await busy.addOptOuts([{ mobile: `late ${written}`, source: 'operator' }], 1);
  }
  await backup;
  expect(written).toBeGreaterThan(0);
  const copy = new DatabaseSync(join(folder, 'copy.db'));
  expect(copy.prepare('PRAGMA integrity_check').get()).toEqual({ integrity_check: 'ok' });
  const found = copy.prepare('SELECT source, count(*) AS count FROM opt_out GROUP BY source').all();
  expect(found).toEqual([{ source: 'import', count: 40_000 }]);
  copy.close();
  await busy.close();
  await ledger.close();
});

it('while the disk is nearly full, and only then, the guard throws [D2]', () => {
  const file = join(makeTempDir(), 'ledger.db');
  spaceGuard(file, 1)();
  expect(spaceGuard(file, Number.MAX_SAFE_INTEGER)).toThrow(expect.objectContaining({ code: 'ledger_full' }));
});

it('a disk without the room to open the ledger is full, and the ledger is not called damaged [D2]', () => {
  // SQLITE_IOERR_SHMSIZE, as on a disk without a free block.
  const thrown = Object.assign(new Error('disk I/O error'), { errcode: 4_874 });
  expect(ledgerError(thrown)).toMatchObject({ code: 'ledger_full' });
  const words = (errcode: number) => ledgerError(Object.assign(thrown, { errcode })).message;
  expect(words(10)).toBe('The ledger cannot be trusted: disk I/O error.');
});

it('two backups to one file at once leave one that is whole, and say to the other that it is there', async () => {
  const folder = makeTempDir();
  const ledger = await openSqliteLedger({ file: join(folder, 'ledger.db') });
  const target = join(folder, 'copy.db');
  const both = await Promise.allSettled([ledger.backup(target), ledger.backup(target)]);
  expect(both.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
  expect(both).toContainEqual(
    expect.objectContaining({ reason: expect.objectContaining({ message: 'The file exists already.' }) }),
  );
  expect(readdirSync(folder).filter((name) => name.includes('partial'))).toEqual([]);
  const copy = await openSqliteLedger({ file: target });
  expect((await copy.facts()).ledgerId).toBe((await ledger.facts()).ledgerId);
  await copy.close();
  await ledger.close();
});

it('a backup is whole, private, never overwrites, and is a ledger of its own', async () => {
  const folder = makeTempDir();
  const ledger = await openSqliteLedger({ file: join(folder, 'ledger.db') });
  await ledger.addOptOuts([{ mobile: '254711', source: 'operator' }], 1);
  const target = join(folder, 'copy.db');
  await ledger.backup(target);
  expect(statSync(target).mode & 0o777).toBe(0o600);
  await expect(ledger.backup(target)).rejects.toMatchObject({ code: 'file_unwritable' });
  await expect(ledger.backup(join(folder, 'no', 'such', 'folder.db'))).rejects.toMatchObject({
    code: 'file_unwritable',
  });
  const copy = await openSqliteLedger({ file: target });
  expect(await copy.suppressed({ mobiles: ['254711'], sender: 'DUKA' })).toEqual(
    new Map([['254711', 'opted out']]),
  );
  expect((await copy.facts()).ledgerId).toBe((await ledger.facts()).ledgerId);
  await copy.close();
  await ledger.close();
});
