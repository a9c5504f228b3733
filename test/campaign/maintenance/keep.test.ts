import { existsSync, mkdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import { purgeOld } from '../../../src/campaign/maintenance/keep.ts';
import { MemoryLog } from '../../collector/fake-store.ts';
import { LedgerStory } from '../../support/ledger-story.ts';

const DAY_MS = 24 * 3_600_000;

let story: LedgerStory;
beforeEach(async () => {
  story = await LedgerStory.begin();
});

/** Looks once, as each process that serves does again and again. Answers what it logged. */
async function look(): Promise<string[]> {
  const log = new MemoryLog();
  const clock = { now: () => story.now, monotonic: () => story.now, sleep: async () => undefined };
  const { ledger } = story;
  await purgeOld(
    { ledger, clock, log },
    { keepMs: 180 * DAY_MS, reader: await story.reader(), sharedFolder: story.directory },
  );
  return log.lines;
}

const purged = async () => (await (await story.reader()).purges()).map(({ campaign }) => campaign);

it('what is older than TUMA_KEEP goes once a day, however many processes look; open ones and younger ones stay', async () => {
  const old = await story.launch({ id: 'old', messages: 2 });
  await story.claim();
  await story.record(old, { 1: { to: 'sent' }, 2: { to: 'sent' } });
  const doubtful = await story.launch({ id: 'doubtful', messages: 2 });
  await story.claim();
  await story.record(doubtful, { 1: { to: 'sent' }, 2: { to: 'uncertain' } });
  const waiting = await story.launch({ id: 'queued', messages: 1 });
  await story.ledger.pause(waiting, { now: story.now, by: 'test', reason: 'operator' });
  story.now += 179 * DAY_MS;
  expect(JSON.parse((await look())[0] ?? '')).toMatchObject({ campaigns: 0, ids: [] });
  story.now += 2 * DAY_MS;

  const file = join(story.directory, 'exports', 'feedfeedfeedfeed-00000000.csv');
  mkdirSync(join(story.directory, 'exports'));
  writeFileSync(file, 'full numbers');
  utimesSync(file, 0, 0);
  const looks = await Promise.all([look(), look(), look()]);
  const [line, ...others] = looks.flat();
  expect(others).toEqual([]);
  expect(JSON.parse(line ?? '')).toMatchObject({ campaigns: 1, messages: 2, ids: ['old'] });
  expect(await purged()).toEqual([old]);
  expect(existsSync(file)).toBe(false);
  const { entries } = await (await story.reader()).auditTrail({ campaign: old, limit: 9 });
  expect(entries.at(-1)).toMatchObject({ by: 'keep', verb: 'purge', campaign: { id: 'old' } });

  story.now += DAY_MS - 1;
  await story.ledger.resolve(doubtful, { now: story.now, by: 'test', decision: 'sent', before: story.now });
  expect(await look()).toEqual([]);
  story.now += 1;
  expect(JSON.parse((await look())[0] ?? '')).toMatchObject({ campaigns: 1, ids: ['doubtful'] });
  expect(await purged()).toEqual([old, doubtful]);
});
