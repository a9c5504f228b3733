import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, it } from 'vitest';
import { LedgerStory } from '../../support/ledger-story.ts';
import { makeTempDir } from '../../support/temp-home.ts';

/* A power cut leaves a beginning of the log: wherever it ends, the ledger opens, and what was answered before is there. */

const LOG_HEADER = 32;
const FRAME = 24 + 4_096;

/** Something that the ledger answered for, and how long its log was then. */
interface Answered {
  what: string;
  logBytes: number;
}

it('cut at every frame of its log and in the midst of one, a ledger opens and holds whatever it answered for before [A18]', async () => {
  const story = await LedgerStory.begin();
  await beginLog(story);
  const logFile = `${story.file}-wal`;
  const answered: Answered[] = [];
  const note = (what: string) => answered.push({ what, logBytes: statSync(logFile).size });
  const campaign = await story.launch({ id: 'bf-2', messages: 6 });
  note('planned 6');
  for (const seq of await story.claim()) note(`claimed ${seq}`);
  for (const seq of [1, 2, 3]) {
    await story.record(campaign, { [seq]: { to: 'sent' } });
    note(`sent ${seq}`);
    await story.report(`m${campaign}-${seq}`, 'delivered');
    note(`delivered ${seq}`);
  }
  const copy = { main: readFileSync(story.file), log: readFileSync(logFile) };
  expect(answered.map(({ logBytes }) => logBytes)).toEqual(
    answered.map(({ logBytes }) => logBytes).toSorted((a, b) => a - b),
  );

  const lost: string[] = [];
  const cuts = cutsOf(copy.log.length);
  for (const cut of cuts) {
    const { sound, facts } = openCut(copy, cut);
    if (sound !== 'ok') lost.push(`cut at ${cut}: ${sound}`);
    for (const { what, logBytes } of answered)
      if (logBytes <= cut && !facts.has(what)) lost.push(`cut at ${cut}: ${what} is missing`);
  }
  expect(lost).toEqual([]);
  expect(cuts.length).toBeGreaterThan(100);
  // Without its log it knows nothing of all this, so the cuts are what decides.
  expect(openCut(copy, 0).facts).toEqual(new Set());
});

/** The first claim of a process begins the log anew, in the same file: from here on its size says where a commit ends. */
async function beginLog(story: LedgerStory): Promise<void> {
  await story.launch({ name: 'before', messages: 1 });
  expect(await story.claim()).toEqual([1]);
  const database = new DatabaseSync(story.file);
  expect(database.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get()).toMatchObject({ busy: 0 });
  database.close();
}

/** Every frame boundary, and places within each frame: its header, its page, one byte short of its end. */
function cutsOf(length: number): number[] {
  const cuts: number[] = [LOG_HEADER - 1];
  for (let end = LOG_HEADER; end < length; end += FRAME) cuts.push(end, end + 10, end + FRAME - 1);
  return [...cuts, length];
}

function openCut({ main, log }: { main: Buffer; log: Buffer }, cut: number) {
  const directory = makeTempDir();
  const file = join(directory, 'ledger.db');
  writeFileSync(file, main);
  writeFileSync(`${file}-wal`, log.subarray(0, cut));
  const database = new DatabaseSync(file);
  try {
    // A copy is not worth a sync.
    database.exec('PRAGMA synchronous = OFF');
    const sound = String(database.prepare('PRAGMA integrity_check').get()?.['integrity_check']);
    return { sound, facts: factsOf(database) };
  } finally {
    database.close();
    rmSync(directory, { recursive: true });
  }
}

/** Of the second campaign. */
function factsOf(database: DatabaseSync): Set<string> {
  const facts = new Set<string>();
  const planned = database
    .prepare("SELECT planned FROM upload JOIN campaign ON n = campaign WHERE state <> 'draft' AND n = 2")
    .get();
  if (planned !== undefined) facts.add(`planned ${Number(planned['planned'])}`);
  for (const { seq, state, delivery } of database
    .prepare('SELECT seq, state, delivery FROM message WHERE campaign = 2')
    .all()) {
    if (state !== 'queued') facts.add(`claimed ${Number(seq)}`);
    if (state === 'sent') facts.add(`sent ${Number(seq)}`);
    if (delivery === 'delivered') facts.add(`delivered ${Number(seq)}`);
  }
  return facts;
}
