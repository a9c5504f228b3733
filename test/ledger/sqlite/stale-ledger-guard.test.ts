import {
  copyFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, it, onTestFinished } from 'vitest';
import { StaleLedgerGuard } from '../../../src/ledger/operations/sending/stale-ledger-guard.ts';
import { openSqliteLedger } from '../../../src/ledger/sqlite/sqlite-ledger.ts';
import { operation } from '../../../src/ledger/operations/operation.ts';
import { gated } from '../../../src/ledger/operations/operation-gates.ts';
import { type WriterOperations, writerOperations } from '../../../src/ledger/operations/writer.ts';
import { sqliteEngine } from '../../../src/ledger/sqlite/sqlite-engine.ts';
import { makeTempDir } from '../../support/temp-home.ts';
import { SETTINGS, World } from '../contract-world.ts';
import { makeHome, never, open, putBack } from './older-ledger.ts';

/* The guard against a ledger that is older than what was sent from it. */

const silent = { info: () => undefined, warn: () => undefined, error: () => undefined };

/** Claims the batch that is due next. */
async function claimNext(world: World): Promise<number> {
  const worker = await world.worker();
  const lease = await world.lease(worker);
  return (await world.claim(lease, worker)).messages.length;
}

it('a backup from before the last claims is refused, says what is unknown, and goes on when a person accepts it [D9 X33]', async () => {
  const home = makeHome();
  const backup = `${home.file}.backup`;
  const before = await open(home);
  const campaign = await before.world.launch(30, { settings: { batchSize: 10 } });
  expect(await claimNext(before.world)).toBe(10);
  await before.ledger.backup(backup);
  expect(await claimNext(before.world)).toBe(10);
  await before.ledger.close();

  putBack(home, backup);
  const { ledger, world } = await open(home);
  const unknown = [{ id: campaign.id, name: 'promo', queued: 20 }];
  expect(await ledger.behind(world.now)).toEqual({ made: 20, known: 10, another: null, open: unknown });
  await expect(claimNext(world)).rejects.toMatchObject({ code: 'ledger_behind' });
  await expect(world.launch(5, { name: 'other' })).rejects.toMatchObject({ code: 'ledger_behind' });

  // Those that were sending may have been put back since and sent by another worker: they are as unknown as the rest.
  expect(await ledger.acceptLoss(world.operator)).toBe(30);
  expect(await ledger.behind(world.now)).toBeNull();
  expect(await world.states(campaign.n)).toEqual({ uncertain: 30 });
  await world.verify();
  await world.launch(5, { name: 'other', firstMobile: 1_000 });
  expect(await claimNext(world)).toBe(5);
  const before10 = { decision: 'not_sent', before: world.now + 1 } as const;
  expect(await ledger.resolve(campaign.n, { ...world.operator, ...before10 })).toEqual({
    resolved: 30,
    tooYoung: 0,
  });
  await world.verify();
});

const HOUR = 3_600_000;

it('once the loss is accepted a recurring job does not fire again for the lost time [D9]', async () => {
  const home = makeHome();
  const backup = `${home.file}.backup`;
  const before = await open(home);
  const at = before.world.now;
  const every = { cron: '0 9 * * *' };
  const schedule = await before.world.launch(10, { name: 'weekly', settings: { every }, startAt: at });
  await before.ledger.backup(backup);
  const firing = { schedule: schedule.n, nextAt: at, fireAt: at, missed: [], name: 'weekly 1', now: at };
  await before.ledger.fire({ ...firing, followingAt: at + 24 * HOUR, id: 'fired' });
  expect(await claimNext(before.world)).toBe(10);
  await before.ledger.close();

  putBack(home, backup);
  const { ledger, world } = await open(home);
  world.now = at + 1;
  const again = { ...firing, followingAt: at + 24 * HOUR, id: 'again', now: world.now };
  await expect(ledger.fire(again)).rejects.toMatchObject({ code: 'ledger_behind' });
  expect(await ledger.behind(world.now)).toEqual({ made: 10, known: 0, another: null, open: [] });
  expect(await ledger.acceptLoss(world.operator)).toBe(0);
  expect(await ledger.dueSchedules(world.now)).toEqual([]);
  expect(await world.states(schedule.n)).toEqual({ queued: 10 });
  const { schedule: agenda } = await (await world.reader()).agenda(schedule.n);
  expect(agenda).toMatchObject({ fired: 0, missed: 1, latest: [{ at, campaign: null }] });
  const next = agenda?.nextAt ?? 0;
  expect(next).toBeGreaterThan(world.now);
  world.now = next;
  expect(await ledger.dueSchedules(world.now)).toMatchObject([{ nextAt: next }]);
  const later = { ...again, nextAt: next, fireAt: next, followingAt: next + 24 * HOUR, now: next };
  expect(await ledger.fire(later)).toMatchObject({ state: 'running' });
  await world.verify();
});

it('once the loss is accepted a half-laid upload sends no reminder of the lost time [D9]', async () => {
  const home = makeHome();
  const backup = `${home.file}.backup`;
  const { ledger: first, world: past } = await open(home);
  const stage = async (rows: [who: number, inHours: number][]) => {
    const remind = { column: 'due', offset: '0d', atMinute: 540, format: null, keyed: false };
    const draft = await past.draft(0, { name: 'rent', settings: { ...SETTINGS, remind } });
    const reminders = rows.map(([who, inHours]) => ({
      line: who + 1,
      mobile: String(254_700_000_000 + who),
      key: '',
      occurrence: '2026-12-01',
      fields: [String(254_700_000_000 + who), 'name'],
      segments: 1,
      notBefore: past.now + inHours * HOUR,
      notAfter: past.now + 48 * HOUR,
      skip: null,
    }));
    await first.stageReminders(draft.n, reminders);
    return draft;
  };
  const campaign = await stage([
    [1, 0],
    [2, 9],
  ]);
  await first.arrangeReminders(campaign.n, past.now);
  await past.activate(campaign, 2);
  const corrected = await stage([
    [1, 0],
    [2, 1],
    [3, 1],
    [4, 9],
  ]);
  const counts = { duplicate: 0, invalid: 0, suppressed: 0 };
  const asked = {
    draft: corrected.n,
    campaign: campaign.n,
    before: campaign.hashes.contacts,
    since: 0,
    counts,
  };
  expect(await first.beginUpload({ ...asked, estimatedMicro: null, ...past.operator })).toBe(true);
  await first.backup(backup);
  expect(await first.applyUploads(past.now)).toBe(true);
  expect(await claimNext(past)).toBe(1);
  await first.close();

  putBack(home, backup);
  const { ledger, world } = await open(home);
  world.now = past.now + 2 * HOUR;
  await expect(ledger.applyUploads(world.now)).rejects.toMatchObject({ code: 'ledger_behind' });
  expect(await ledger.acceptLoss(world.operator)).toBe(1);
  expect(await ledger.applyUploads(world.now)).toBe(true);
  expect((await world.messages(campaign.n)).map(({ state }) => state)).toEqual([
    'uncertain',
    'queued',
    'skipped',
    'queued',
  ]);
  expect(await claimNext(world)).toBe(0);
  expect(await world.states(campaign.n)).toEqual({ uncertain: 1, skipped: 2, queued: 1 });
  await world.verify();
});

it('what an upload would send of the lost time is skipped in steps, none of them large [D9]', async () => {
  const home = makeHome();
  const { ledger, world } = await open(home);
  const remind = { column: 'due', offset: '0d', atMinute: 540, format: null, keyed: false };
  const settings = { ...SETTINGS, remind };
  const campaign = await world.launch(1, { name: 'rent', settings });
  const draft = await world.draft(0, { name: 'rent', settings });
  const rows = Array.from({ length: 4_200 }, (_, index) => ({
    line: index + 2,
    mobile: String(254_700_000_000 + index),
    key: '',
    occurrence: '2026-12-01',
    fields: [String(index), 'name'],
    segments: 1,
    // The last hundred are not due; many share a moment.
    notBefore: world.now + (index < 4_100 ? -(index % 3) : HOUR),
    notAfter: world.now + 48 * HOUR,
    skip: null,
  }));
  await ledger.stageReminders(draft.n, rows);
  const counts = { duplicate: 0, invalid: 0, suppressed: 0 };
  const asked = { draft: draft.n, campaign: campaign.n, before: campaign.hashes.contacts, since: 0, counts };
  expect(await ledger.beginUpload({ ...asked, estimatedMicro: null, ...world.operator })).toBe(true);
  await ledger.close();

  const database = new DatabaseSync(home.file);
  onTestFinished(() => database.close());
  const free = () => undefined;
  const { skipStagedStep } = writerOperations(database, {
    engine: sqliteEngine(database),
    requireSpace: free,
    requireRoom: free,
  });
  const skipped = () =>
    Number(database.prepare('SELECT count(*) AS n FROM staged WHERE skip IS NOT NULL').get()?.['n']);
  const seen = [];
  let after: Parameters<typeof skipStagedStep>[0]['after'] = null;
  do {
    after = await skipStagedStep({ after, now: world.now });
    seen.push(skipped());
  } while (after !== null);
  expect(seen).toEqual([2_000, 4_000, 4_100]);
});

it('a ledger that was closed, killed or moved is not behind [D9]', async () => {
  const home = makeHome();
  const first = await open(home);
  await first.world.launch(20, { settings: { batchSize: 10 } });
  expect(await claimNext(first.world)).toBe(10);
  // As after a kill: the log is still beside it.
  const moved = { ...home, file: join(makeTempDir(), 'ledger.db') };
  for (const part of ['', '-wal']) copyFileSync(`${home.file}${part}`, `${moved.file}${part}`);
  await first.ledger.close();
  for (const each of [home, moved]) {
    const { ledger, world } = await open(each);
    expect(await ledger.behind(world.now)).toBeNull();
  }
  const { world } = await open(home);
  expect(await claimNext(world)).toBe(10);
});

it('of a home and its copy that are used side by side only the first to claim may go on [S11]', async () => {
  const home = makeHome();
  const made = await open(home);
  await made.world.launch(20, { settings: { batchSize: 10 } });
  await made.ledger.close();
  const copy = { ...home, file: join(makeTempDir(), 'ledger.db') };
  copyFileSync(home.file, copy.file);
  const [one, other] = [await open(home), await open(copy)];
  expect(await claimNext(one.world)).toBe(10);
  await expect(claimNext(other.world)).rejects.toMatchObject({ code: 'ledger_behind' });
  expect(await claimNext(one.world)).toBe(10);
  await expect(claimNext(other.world)).rejects.toMatchObject({ code: 'ledger_behind' });
});

it('a backup from before the first launch goes on once the loss is accepted, each time [D9]', async () => {
  const home = makeHome();
  const backup = `${home.file}.backup`;
  const before = await open(home);
  await before.ledger.backup(backup);
  await before.world.launch(20, { settings: { batchSize: 10 } });
  expect(await claimNext(before.world)).toBe(10);
  await before.ledger.close();
  putBack(home, backup);
  const { ledger, world } = await open(home);
  expect(await ledger.behind(world.now)).toEqual({ made: 10, known: 0, another: null, open: [] });
  expect(await ledger.acceptLoss(world.operator)).toBe(0);
  expect(await ledger.behind(world.now)).toBeNull();
  await ledger.backup(`${backup}2`);
  await world.launch(20, { settings: { batchSize: 10 } });
  expect(await claimNext(world)).toBe(10);
  await ledger.close();
  putBack(home, `${backup}2`);
  const again = await open(home);
  expect(await again.ledger.behind(world.now)).toEqual({ made: 20, known: 10, another: null, open: [] });
  await again.ledger.acceptLoss(world.operator);
  expect(await again.ledger.behind(world.now)).toBeNull();
});

it('accepting a loss that there is not changes nothing', async () => {
  const { ledger, world } = await open(makeHome());
  const campaign = await world.launch(20, { settings: { batchSize: 10 } });
  expect(await claimNext(world)).toBe(10);
  expect(await ledger.acceptLoss(world.operator)).toBe(0);
  expect(await world.states(campaign.n)).toEqual({ sending: 10, queued: 10 });
});

it('two processes of one ledger are never behind each other', async () => {
  const home = makeHome();
  const [one, other] = [await open(home), await open(home)];
  await one.world.launch(200, { settings: { batchSize: 10 } });
  for (let round = 0; round < 10; round += 1) {
    const claims = await Promise.all([one, other].map(({ world }) => claimNext(world).catch(String)));
    // Both may have looked at the same batch: then one of them finds it leased.
    expect(claims.filter((each) => String(each).includes('older'))).toEqual([]);
  }
  expect(await one.ledger.behind(one.world.now)).toBeNull();
});

it('a log that was cut or damaged loses its last commits, and is refused for what was claimed in them [D4]', async () => {
  const home = makeHome();
  const first = await open(home);
  await first.world.launch(40, { settings: { batchSize: 10 } });
  // The first claim of a process begins the log anew, in the same file. Cut, its size says where a commit ends.
  expect(await claimNext(first.world)).toBe(10);
  const other = new DatabaseSync(home.file);
  expect(other.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get()).toMatchObject({ busy: 0 });
  other.close();
  expect(await claimNext(first.world)).toBe(10);
  const whole = statSync(`${home.file}-wal`).size;
  expect(await claimNext(first.world)).toBe(10);
  const copies = ['cut', 'flipped', 'foreign shm'].map((how) => {
    const file = join(makeTempDir(), 'ledger.db');
    for (const part of ['', '-wal']) copyFileSync(`${home.file}${part}`, `${file}${part}`);
    return { how, file };
  });
  await first.ledger.close();
  for (const { how, file } of copies) {
    if (how === 'cut') truncateSync(`${file}-wal`, whole + 100);
    if (how === 'flipped') {
      const log = readFileSync(`${file}-wal`);
      log[whole + 500] = (log[whole + 500] ?? 0) ^ 0xff;
      writeFileSync(`${file}-wal`, log);
    }
    if (how === 'foreign shm') writeFileSync(`${file}-shm`, Buffer.alloc(32_768, 0xa5));
    const { ledger, world } = await open({ ...home, file });
    const behind = await ledger.behind(world.now);
    if (how === 'foreign shm') expect(behind, how).toBeNull();
    else expect(behind, how).toMatchObject({ made: 30, known: 20 });
    await world.verify();
  }
});

it('a note that fails loses no answer, refuses further claims, and goes on when it works again [D9]', async () => {
  const { file } = makeHome();
  const made = await openSqliteLedger({ file });
  await new World({
    ledger: made,
    another: never,
    reader: never,
    sql: never,
    tables: never,
    close: never,
  }).launch(1);
  await made.close();
  const database = new DatabaseSync(file);
  onTestFinished(() => database.close());
  let [noted, full] = [0, true];
  const note = (claims: number) => {
    if (full) throw new Error('ENOSPC');
    noted = claims;
  };
  const notes = { read: () => noted, another: () => null, begin: () => undefined, note };
  const guard = new StaleLedgerGuard(database, { notes, unwritable: null });
  const plain = {
    claim: operation({ gate: 'leads to messages' }, () => ({ messages: [{}] })),
  } as unknown as WriterOperations;
  const { claim } = gated(guard.operations(plain), {
    right() {},
    place() {},
    schema() {},
    claims: () => guard.requireClaims(),
  });
  const [errors, answers]: [string[], number[]] = [[], []];
  const log = { ...silent, error: (_: object, message: string) => void errors.push(message) };
  const port = guard.noting({ log, answer: (said) => void answers.push(...said.map(([id]) => id)) });
  const request = {} as Parameters<typeof claim>[0];

  await claim(request);
  database.exec('UPDATE account SET claims = 7');
  await port.answer([[1, null, undefined]]);
  await expect(async () => await claim(request)).rejects.toThrow(
    expect.objectContaining({ code: 'claims_unnoted' }),
  );
  await port.answer([[2, null, undefined]]);
  expect([answers, errors, noted]).toEqual([[1, 2], ['claims cannot be noted: no more are made'], 0]);
  full = false;
  await port.answer([[3, null, undefined]]);
  expect([answers, noted]).toEqual([[1, 2, 3], 7]);
  await claim(request);
});

/** Where the folder of temporary files is in memory, that is warned of, too. */
const ofClaims = (warned: string[]) => warned.filter((text) => text.startsWith('claims'));

it('a ledger whose notes cannot be written launches nothing, and still takes opt-outs [D9]', async () => {
  const home = makeHome();
  await (await openSqliteLedger(home)).close();
  const name = readdirSync(home.stateFolder).find((each) => !each.startsWith('home-')) ?? '';
  rmSync(join(home.stateFolder, name));
  symlinkSync('/dev/full', join(home.stateFolder, name));
  const ledger = await openSqliteLedger(home);
  onTestFinished(() => ledger.close());
  const optOut = { mobile: '254700000001', source: 'operator' as const, by: 'operator' };
  expect(await ledger.addOptOuts([optOut], Date.now())).toBe(1);
  await expect(ledger.applyUploads(Date.now())).rejects.toMatchObject({ code: 'claims_unnoted' });
});

it('a place that cannot be written is said once, and turns the guard off', async () => {
  const directory = makeTempDir();
  writeFileSync(join(directory, 'state'), 'a file, not a folder');
  const warned: string[] = [];
  const log = {
    info: () => undefined,
    warn: (_fields: object, message: string) => void warned.push(message),
    error: () => undefined,
  };
  mkdirSync(join(directory, 'home'));
  const ledger = await openSqliteLedger({
    file: join(directory, 'home', 'ledger.db'),
    stateFolder: join(directory, 'state', 'tuma'),
    log,
  });
  expect([await ledger.behind(Date.now()), await ledger.isGuarded()]).toEqual([null, false]);
  expect(ofClaims(warned)).toEqual(['claims cannot be noted: an older ledger would not be noticed']);
  await ledger.close();
});
