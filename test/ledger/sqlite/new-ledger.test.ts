import {
  copyFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, it } from 'vitest';
import { startProcess } from '../../support/processes.ts';
import { openLedgerHere, openReaderHere } from '../../support/ledger-here.ts';
import { makeTempDir } from '../../support/temp-home.ts';

const newFile = () => join(makeTempDir(), 'ledger.db');

/** Makes a ledger, and closes it. Answers its id. */
async function makeAt(file: string): Promise<string> {
  const ledger = await openLedgerHere(file);
  const { ledgerId } = await ledger.facts();
  await ledger.close();
  return ledgerId;
}

function change(file: string, sql: string): void {
  const database = new DatabaseSync(file);
  database.exec(sql);
  database.close();
}

/** What can be in the place of a ledger. */
const NO_LEDGERS: { what: string; make: (file: string) => void }[] = [
  { what: 'an emptied file', make: (file) => writeFileSync(file, '') },
  { what: '4,096 zero bytes', make: (file) => writeFileSync(file, Buffer.alloc(4_096)) },
  {
    what: 'a database without a schema',
    make: (file) => (rmSync(file), change(file, 'PRAGMA journal_mode = WAL')),
  },
  { what: 'a ledger with user_version 0', make: (file) => change(file, 'PRAGMA user_version = 0') },
  {
    what: 'a ledger without an id',
    make: (file) => change(file, "DELETE FROM fact WHERE name = 'ledger_id'"),
  },
  {
    what: 'another database',
    make: (file) => (rmSync(file), change(file, 'CREATE TABLE a (b); PRAGMA user_version = 3')),
  },
];

it.each(NO_LEDGERS)('$what is no ledger: it is neither read nor begun anew [D17]', async ({ make }) => {
  const file = newFile();
  await makeAt(file);
  make(file);
  const found = readFileSync(file);
  await expect(openLedgerHere(file)).rejects.toMatchObject({ code: 'ledger_invalid' });
  await expect(openReaderHere(file)).rejects.toMatchObject({ code: 'ledger_invalid' });
  expect(readFileSync(file).equals(found)).toBe(true);
});

it('the log of an emptied ledger is left as it is [D17]', async () => {
  const file = newFile();
  const ledger = await openLedgerHere(file);
  await ledger.addOptOuts([{ mobile: '254711', source: 'operator' }], 1);
  const copy = newFile();
  writeFileSync(copy, '');
  copyFileSync(`${file}-wal`, `${copy}-wal`);
  await ledger.close();
  const { size } = statSync(`${copy}-wal`);
  expect(size).toBeGreaterThan(0);
  for (const open of [openLedgerHere, openReaderHere])
    await expect(open(copy)).rejects.toMatchObject({
      code: 'ledger_invalid',
      message: `The file ${copy} is empty.`,
    });
  expect(statSync(`${copy}-wal`).size).toBe(size);
});

it('a log without its ledger is refused, names the rescued copy, and is given to no new ledger [D19]', async () => {
  const file = newFile();
  writeFileSync(`${file}-wal`, 'a log');
  await expect(openLedgerHere(file)).rejects.toMatchObject({
    code: 'ledger_invalid',
    message: 'The ledger is missing, and its log ledger.db-wal is there.',
    hint: expect.stringContaining('the latest backup'),
  });
  const rescued = ['ledger.rescued-1.db', 'ledger.rescued-2.db'].map((name) => join(dirname(file), name));
  for (const name of rescued) writeFileSync(name, 'a copy');
  // The copy that was rescued is the ledger, with or without a log.
  for (const log of ['a log', '']) {
    writeFileSync(`${file}-wal`, log);
    await expect(openLedgerHere(file)).rejects.toMatchObject({
      code: 'ledger_invalid',
      hint: expect.stringContaining(`mv ${rescued[1]} ${file}`),
    });
  }
  expect(existsSync(file)).toBe(false);
  for (const name of rescued) rmSync(name);
  expect(await makeAt(file)).not.toBe('');
});

it('a killed start leaves no half ledger', async () => {
  const file = newFile();
  const open = new URL('../../../src/ledger/sqlite/open.ts', import.meta.url).href;
  const killed = `
    import fs from 'node:fs';
    import { syncBuiltinESMExports } from 'node:module';
    fs.linkSync = () => process.kill(process.pid, 'SIGKILL');
    syncBuiltinESMExports();
    const { openForWriting } = await import(${JSON.stringify(open)});
    await openForWriting({ file: ${JSON.stringify(file)}, log: console });
  `;
  const child = startProcess(process.execPath, ['--input-type=module', '-e', killed]);
  expect((await child.exited).signal).toBe('SIGKILL');
  const [begun = '', ...more] = readdirSync(dirname(file));
  expect([begun, more]).toEqual([expect.stringMatching(/^ledger\.db\.\d+\.[\da-f]{8}\.new$/), []]);
  expect(statSync(join(dirname(file), begun)).mode & 0o777).toBe(0o600);
  const id = await makeAt(file);
  expect(readdirSync(dirname(file))).toContain('ledger.db');
  expect(await makeAt(file)).toBe(id);
});

it('a ledger is whole from its first moment: its log may be lost', async () => {
  const file = newFile();
  const ledger = await openLedgerHere(file);
  const { ledgerId } = await ledger.facts();
  const copy = newFile();
  copyFileSync(file, copy);
  await ledger.close();
  expect(await makeAt(copy)).toBe(ledgerId);
});

it('a link that leads nowhere is no place for a new ledger', async () => {
  const file = newFile();
  symlinkSync('elsewhere.db', file);
  await expect(openLedgerHere(file)).rejects.toMatchObject({
    code: 'ledger_invalid',
    message: `The ledger ${file} cannot be made (EEXIST).`,
  });
  expect(readdirSync(dirname(file))).toEqual(['ledger.db']);
});
