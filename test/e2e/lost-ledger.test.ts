import { cpSync, existsSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { readTruth } from '../../src/sandbox/truth/truth.ts';
import { makeTempDir } from '../support/temp-home.ts';
import { waitFor } from '../support/wait-for.ts';
import { contacts, errorOf, jobFile, mobile, openPlace } from './harness.ts';

/* A ledger that is lost after a campaign was sent from it: the same launch again sends nobody anything. */

const truthFile = join(makeTempDir(), 'truth.ndjson');
const place = openPlace({
  env: { TUMA_RATE: 'unlimited' },
  sandbox: { latencyMs: 20, truthFile },
});
const accepted = () => place().sandbox.stats().accepted;
const LAUNCH = ['launch', 'job.yaml', '--yes', '--wait', '--wait-reports', '0s'];

interface Home {
  /** Where commands run. */
  cwd: string;
  env: Record<string, string>;
  file: string;
}

/** A folder with a job, whose home is there by default, or elsewhere by TUMA_HOME. */
function newHome(named: 'by TUMA_HOME' | 'by default', people = contacts(3)): Home {
  const cwd = place().folder({ 'job.yaml': jobFile(), 'contacts.csv': people });
  if (named === 'by default') return { cwd, env: { TUMA_HOME: '' }, file: join(cwd, '.tuma', 'ledger.db') };
  const home = join(cwd, 'elsewhere');
  return { cwd, env: { TUMA_HOME: home }, file: join(home, 'ledger.db') };
}

async function sentFrom(home: Home): Promise<number> {
  const before = accepted();
  await place().json(LAUNCH, home);
  expect(accepted() - before).toBe(3);
  return accepted();
}

function change(file: string, sql: string): void {
  const database = new DatabaseSync(file);
  database.exec(sql);
  database.close();
}

const FAULTS: { what: string; damage: (file: string) => void }[] = [
  { what: 'emptied', damage: (file) => truncateSync(file) },
  { what: '4,096 zero bytes', damage: (file) => writeFileSync(file, Buffer.alloc(4_096)) },
  { what: 'of user_version 0', damage: (file) => change(file, 'PRAGMA user_version = 0') },
  {
    what: 'without a schema',
    damage: (file) => {
      rmSync(file);
      change(file, 'PRAGMA journal_mode = WAL; PRAGMA user_version = 0');
    },
  },
  {
    what: 'deleted, and its log is there',
    damage: (file) => {
      rmSync(file);
      writeFileSync(`${file}-wal`, 'the log');
    },
  },
];
const FEW = [LAUNCH, ['serve'], ['status']];
/** Every command, of one fault; those that people begin with, of the others. */
const CASES = [
  ...(['by TUMA_HOME', 'by default'] as const).map((named) => ({ ...FAULTS[0], named, commands: null })),
  ...FAULTS.slice(1).map((fault) => ({ ...fault, named: 'by TUMA_HOME' as const, commands: FEW })),
] as const;

test.each(CASES)(
  'a ledger that is $what, in a home found $named, is invalid, and nobody is sent to again [D17]',
  async ({ damage, named, commands }) => {
    const home = newHome(named);
    const before = await sentFrom(home);
    damage?.(home.file);
    const all = [
      LAUNCH,
      ['serve'],
      ['status'],
      ['report', 'promo'],
      ['verify'],
      ['backup', join(home.cwd, 'copy.db')],
      ['pause', 'promo'],
      ['serve', '--accept-loss'],
    ];
    for (const args of commands ?? all) {
      const ended = await place().tuma([...args, '--json'], home);
      expect([args[0], ended.code, ended.stdout, errorOf(ended).code]).toEqual([
        args[0],
        1,
        '',
        'ledger_invalid',
      ]);
      expect(errorOf(ended).message).not.toContain('older Tuma');
      expect(errorOf(ended).hint).toMatch(/backup/);
    }
    const doctor = await place().tuma(['doctor', '--json'], home);
    expect([doctor.code, doctor.stdout]).toEqual([1, expect.stringContaining('"state":"fail"')]);
    expect(accepted()).toBe(before);
  },
);

test.each(['by TUMA_HOME', 'by default'] as const)(
  'a ledger that was deleted, in a home found %s, is no new one until a person accepts the loss [D17]',
  async (named) => {
    const home = newHome(named);
    const before = await sentFrom(home);
    for (const part of ['', '-wal', '-shm']) rmSync(`${home.file}${part}`, { force: true });
    for (const options of [home, { ...home, asks: true }]) {
      const refused = await place().tuma([...LAUNCH, '--json'], options);
      expect([refused.code, errorOf(refused).code]).toEqual([1, 'ledger_behind']);
      expect(errorOf(refused).message).toMatch(/^Another ledger sent up to 3 messages from this home/);
      expect(errorOf(refused).hint).toContain('--accept-loss');
    }
    const serve = await place().tuma(['serve', '--json'], home);
    expect([serve.code, errorOf(serve).code]).toEqual([1, 'ledger_behind']);
    expect(accepted()).toBe(before);

    const serving = place().start(['serve', '--accept-loss'], {
      ...home,
      env: { ...place().env, ...home.env },
    });
    await serving.printed(/goes on without what is missing from this ledger/);
    await serving.printed(/serving worker/);
    await serving.stop('SIGTERM');
    const unasked = await place().tuma([...LAUNCH, '--json'], { ...home, asks: true });
    expect([unasked.code, errorOf(unasked).code]).toEqual([2, 'new_ledger']);
    expect(accepted()).toBe(before);
    await place().json(LAUNCH, home);
    expect(accepted()).toBe(before + 3);
  },
);

/** The header of the log, and most of its first page. */
const IN_FIRST_PAGE = 32 + 24 + 4_000;

test('a young ledger whose process was killed, and whose log was damaged, cut or lost, sends nobody anything again [D19]', async () => {
  const home = newHome('by TUMA_HOME', contacts(1_200, 1_000));
  const log = `${home.file}-wal`;
  const { env, held } = await place().holdAnswers(20);
  const launch = place().start(['launch', 'job.yaml', '--yes', '--wait'], {
    ...home,
    env: { ...home.env, ...env },
  });
  await waitFor(() => held() > 0, { what: '20 messages' });
  await launch.stop('SIGKILL');
  expect(statSync(log).size).toBeGreaterThan(IN_FIRST_PAGE);
  const killed = join(home.cwd, 'killed');
  cpSync(join(home.file, '..'), killed, { recursive: true, filter: (name) => !name.endsWith('.sock') });

  const faults: (() => void)[] = [
    () => {
      const bytes = readFileSync(log);
      bytes[IN_FIRST_PAGE] = (bytes[IN_FIRST_PAGE] ?? 0) ^ 1;
      writeFileSync(log, bytes);
    },
    () => truncateSync(log, IN_FIRST_PAGE),
    () => rmSync(log),
    () => rmSync(home.file),
  ];
  for (const damage of faults) {
    for (const part of ['', '-wal', '-shm']) {
      rmSync(`${home.file}${part}`, { force: true });
      if (part !== '-shm') cpSync(join(killed, `ledger.db${part}`), `${home.file}${part}`);
    }
    damage();
    const refused = await place().tuma([...LAUNCH, '--json'], home);
    expect([refused.code, refused.stdout]).toEqual([1, '']);
    expect(errorOf(refused).code).toBe(existsSync(home.file) ? 'ledger_behind' : 'ledger_invalid');
  }
  const { acceptedByMobile } = await readTruth(truthFile);
  const times = Array.from({ length: 1_200 }, (_, index) => acceptedByMobile.get(mobile(1_000 + index)) ?? 0);
  expect([Math.min(...times), Math.max(...times)]).toEqual([0, 1]);
});
