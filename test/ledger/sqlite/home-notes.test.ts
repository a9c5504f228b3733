import { randomUUID } from 'node:crypto';
import {
  appendFileSync,
  copyFileSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, it } from 'vitest';
import { HomeNotes } from '../../../src/ledger/operations/sending/home-notes.ts';
import { makeTempDir } from '../../support/temp-home.ts';
import type { World } from '../contract-world.ts';
import { type Home, makeHome, open, putBack } from './older-ledger.ts';

/* What was sent from a home is known there, whichever ledger is in it. */

/** Claims the batch that is due next. */
async function claimNext(world: World): Promise<number> {
  const worker = await world.worker();
  const lease = await world.lease(worker);
  return (await world.claim(lease, worker)).messages.length;
}

/** A home from which 20 messages were claimed, and whose ledger is closed. Answers the ledger's id. */
async function sentFrom(home: Home): Promise<string> {
  const { ledger, world } = await open(home);
  await world.launch(20, { settings: { batchSize: 20 } });
  expect(await claimNext(world)).toBe(20);
  const { ledgerId } = await ledger.facts();
  await ledger.close();
  return ledgerId;
}

const homeNotes = ({ stateFolder }: Home) =>
  readdirSync(stateFolder).filter((name) => name.startsWith('home-'));

/** An id, and so many claims of it in that place. */
function claimed(place: { folder: string; place: string }, claims: number): string {
  const ledgerId = randomUUID();
  const notes = new HomeNotes({ ...place, ledgerId });
  notes.begin();
  notes.note(claims);
  return ledgerId;
}

it('a new ledger in the place of another one is behind it, until a person accepts the loss [D17]', async () => {
  const home = makeHome();
  const gone = await sentFrom(home);
  rmSync(home.file);
  const { ledger, world } = await open(home);
  expect((await ledger.facts()).ledgerId).not.toBe(gone);
  expect(await ledger.behind(world.now)).toEqual({ made: 20, known: 0, another: home.stateFolder, open: [] });
  const refused = {
    code: 'ledger_behind',
    message: `Another ledger sent up to 20 messages from this home, and this one knows nothing of them. The notes of that are in ${home.stateFolder}. Nothing is sent.`,
    hint: expect.stringContaining('the latest backup'),
    advice: { action: 'accept_loss', ifNone: false },
  };
  await expect(world.launch(20)).rejects.toMatchObject(refused);

  expect(await ledger.acceptLoss(world.operator)).toBe(0);
  expect(await ledger.behind(world.now)).toBeNull();
  await world.launch(20, { name: 'anew', settings: { batchSize: 20 } });
  expect(await claimNext(world)).toBe(20);
  await world.verify();
  await ledger.close();

  // The next one knows of both: a later ledger counts on from the one before it.
  for (const part of ['', '-wal', '-shm']) rmSync(`${home.file}${part}`, { force: true });
  const third = await open(home);
  expect(await third.ledger.behind(world.now)).toMatchObject({ made: 40, known: 0 });
});

it('a ledger of another home in the place of one that sent is behind it: its queued messages are not claimed [D17]', async () => {
  const [home, other] = [makeHome(), makeHome()];
  await sentFrom(home);
  const elsewhere = await open({ ...other, stateFolder: home.stateFolder });
  await elsewhere.world.launch(10);
  await elsewhere.ledger.close();
  putBack(home, other.file);
  const { ledger, world } = await open(home);
  await expect(claimNext(world)).rejects.toMatchObject({ code: 'ledger_behind' });
  expect(await ledger.behind(world.now)).toMatchObject({ made: 20, known: 0, open: [{ queued: 10 }] });
});

it('a ledger that comes back, moves with its home, or lies beside another one is not behind', async () => {
  const home = makeHome();
  await sentFrom(home);
  const kept = `${home.file}.kept`;
  copyFileSync(home.file, kept);
  putBack(home, kept);
  const moved = { ...home, file: join(makeTempDir(), 'ledger.db') };
  const beside = { ...home, file: join(dirname(home.file), 'second.db') };
  const goesOn = async (each: Home, name: string) => {
    const { ledger, world } = await open(each);
    expect(await ledger.behind(world.now), each.file).toBeNull();
    await world.launch(1, { name, firstMobile: 1_000 });
    expect(await claimNext(world), each.file).toBe(1);
    await ledger.close();
  };
  await goesOn(home, 'back');
  await goesOn(beside, 'beside');
  renameSync(home.file, moved.file);
  await goesOn(moved, 'moved');
});

it('the note of a home has each ledger once, in a file of this user only, and is known by any path to the home', async () => {
  const home = makeHome();
  const ids = [await sentFrom(home)];
  const link = join(makeTempDir(), 'link');
  symlinkSync(dirname(home.file), link);
  const linked = { ...home, file: join(link, 'ledger.db') };
  const again = await open(linked);
  await again.world.launch(1, { name: 'more', firstMobile: 1_000 });
  expect(await claimNext(again.world)).toBe(1);
  await again.ledger.close();
  const [name = '', ...others] = homeNotes(home);
  expect([name, others]).toEqual([expect.stringMatching(/^home-[\da-f]{64}$/), []]);
  const file = join(home.stateFolder, name);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(readFileSync(file, 'utf8')).toBe(ids.map((id) => `${id}\n`).join(''));
});

it('a ledger that only looks, or from which nothing is claimed, is not noted in its home', async () => {
  const home = makeHome();
  const { ledger, world } = await open(home);
  await world.launch(5);
  await ledger.close();
  const [name = ''] = homeNotes(home);
  expect(readFileSync(join(home.stateFolder, name), 'utf8')).toBe('');
});

it('what another ledger claims is seen at once, and a torn line hides no other', () => {
  const folder = join(makeTempDir(), 'state');
  const place = { folder, place: join(makeTempDir(), 'ledger.db') };
  const notes = new HomeNotes({ ...place, ledgerId: randomUUID() });
  expect([notes.read(), notes.another()]).toEqual([0, null]);
  const first = claimed(place, 7);
  expect([notes.read(), notes.another()]).toEqual([7, folder]);
  new HomeNotes({ ...place, ledgerId: first }).note(8);
  expect(notes.read()).toBe(8);
  const [name = ''] = readdirSync(folder).filter((each) => each.startsWith('home-'));
  appendFileSync(join(folder, name), '0123');
  claimed(place, 9);
  expect(notes.read()).toBe(9);
  notes.note(9);
  expect([notes.read(), notes.another()]).toEqual([9, null]);
});

it('of many ledgers in one place the last ones count', () => {
  const place = { folder: join(makeTempDir(), 'state'), place: join(makeTempDir(), 'ledger.db') };
  for (let count = 1; count <= 40; count += 1) claimed(place, count);
  expect(new HomeNotes({ ...place, ledgerId: randomUUID() }).read()).toBe(40);
});

it('while the place of a home cannot be noted no claim is made', async () => {
  const home = makeHome();
  await (await open(home)).ledger.close();
  const [name = ''] = homeNotes(home);
  rmSync(join(home.stateFolder, name));
  symlinkSync('/dev/full', join(home.stateFolder, name));
  const { world } = await open(home);
  const campaign = await world.launch(5);
  await expect(claimNext(world)).rejects.toMatchObject({ code: 'claims_unnoted' });
  expect(await world.states(campaign.n)).toEqual({ queued: 5 });
});

it('a deleted ledger that is put back over a new one goes on [D17]', async () => {
  const home = makeHome();
  await sentFrom(home);
  const aside = join(makeTempDir(), 'aside.db');
  renameSync(home.file, aside);
  const anew = await open(home);
  expect(await anew.ledger.behind(anew.world.now)).toMatchObject({ made: 20 });
  await anew.ledger.close();
  putBack(home, aside);
  const { ledger, world } = await open(home);
  expect(await ledger.behind(world.now)).toBeNull();
  const database = new DatabaseSync(home.file, { readOnly: true });
  expect(database.prepare('SELECT count(*) AS n FROM message').get()).toEqual({ n: 20 });
  database.close();
});
