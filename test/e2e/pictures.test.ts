import { existsSync, globSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { liveIn, numberOf } from '../support/lived-in-home.ts';
import type { Came, LedgerStory } from '../support/ledger-story.ts';
import { ROOT } from '../support/processes.ts';
import { systemProcesses } from '../../src/system/processes.ts';
import { WebHere } from '../support/web-here.ts';
import { KEEPS_PICTURES, type Looking, noBrowser, openWindow } from './browser.ts';

/*
 * The pictures of the docs. `TUMA_TEST_PICTURES=on npx vitest run test/e2e/pictures.test.ts` makes them anew; look at each
 * of them. Without it only their being there is looked at, for letters are drawn differently on each machine.
 */

interface Picture extends Looking {
  name: string;
  path: string;
  /** How much of the page is in the picture, in pixels from the top. */
  height: number;
}

const PICTURES: readonly Picture[] = [
  { name: 'campaign', path: '/campaigns/v4k2x8qd', height: 1_100 },
  { name: 'campaign-phone', path: '/campaigns/v4k2x8qd', width: 360, scheme: 'dark', height: 740 },
  { name: 'campaigns', path: '/campaigns', height: 900 },
];
/** A picture of a page is small, for every clone carries it. */
const MOST_BYTES = 200_000;

const MEMBERS = 1_248;
const MINUTES = 12;
const A_MINUTE = 60_000;

/** A notice to the members of a cooperative, two thirds of the way: twelve minutes of sending, with reports behind it. */
async function sendNotice(story: LedgerStory): Promise<void> {
  const rows = Array.from({ length: MEMBERS }, (_, index) => ({
    fields: [numberOf(index), `Member ${index + 1}`],
  }));
  const launch = { by: 'Grace Wanjiku', id: 'v4k2x8qd', name: 'agm-notice-december', contacts: 'agm', rows };
  const money = { estimatedMicro: MEMBERS * 1_000_000, budgetMicro: MEMBERS * 1_100_000 };
  const n = await story.launch({ ...launch, ...money });
  const claimed = await claimAll(story);
  const each = Math.floor((claimed.length * 0.66) / MINUTES);
  // Everything was claimed at once; what is not sent in these minutes waits.
  await story.record(
    n,
    comingOf(claimed.slice(MINUTES * each), () => ({ to: 'queued', reason: 'throttled' })),
  );
  for (let minute = 0; minute < MINUTES; minute += 1) {
    const begun = story.now + A_MINUTE;
    story.now = begun;
    await story.record(n, comingOf(claimed.slice(minute * each, (minute + 1) * each), cameOf));
    const before = claimed.slice(Math.max(0, (minute - 0.1) * each), (minute + 0.9) * each);
    const reported = before.filter((seq) => seq % 11 !== 0 && cameOf(seq).to === 'sent');
    for (const [index, seq] of reported.entries()) {
      // Most come soon, and a few late.
      story.now = begun + Math.round((index / reported.length) ** 3 * 0.8 * A_MINUTE);
      await (seq % 29 === 0
        ? story.report(`m${n}-${seq}`, 'undelivered', 'absent')
        : story.report(`m${n}-${seq}`, 'delivered'));
    }
    story.now = begun;
  }
}

async function claimAll(story: LedgerStory): Promise<number[]> {
  const claimed: number[] = [];
  for (;;) {
    const more = await story.claim();
    if (more.length === 0) return claimed;
    claimed.push(...more);
  }
}

function comingOf(seqs: number[], came: (seq: number) => Came): Record<number, Came> {
  return Object.fromEntries(seqs.map((seq) => [seq, came(seq)]));
}

function cameOf(seq: number): Came {
  if (seq % 97 === 0) return { to: 'uncertain', reason: 'connection broke' };
  if (seq % 61 === 0) return { to: 'rejected', reason: 'contact refused' };
  return { to: 'sent', network: seq % 5 === 0 ? '2' : '1' };
}

describe.skipIf(noBrowser !== null || !KEEPS_PICTURES)('made anew', () => {
  let web: WebHere;
  let door: { origin: string; link: string };

  beforeAll(async () => {
    const { story, env } = await liveIn({ also: sendNotice });
    // Somebody sends: else every page would say that nobody does.
    await story.ledger.registerWorker(systemProcesses('worker').self(), story.now);
    web = await WebHere.open(story.directory, env, story.now);
    door = await web.listen();
  });

  test.each(PICTURES)('$name', async ({ name, path, height, ...looking }) => {
    const window = await openWindow(door.origin, looking);
    await window.open(door.link);
    await window.open(path);
    await window.picture(name, height);
  });
});

test('every picture of the docs is there, small, and made by this test', () => {
  const there = globSync('docs/images/*.png', { cwd: ROOT }).toSorted();
  expect(there).toEqual(PICTURES.map(({ name }) => `docs/images/${name}.png`).toSorted());
  for (const path of there) {
    expect(existsSync(join(ROOT, path))).toBe(true);
    expect(statSync(join(ROOT, path)).size, path).toBeLessThan(MOST_BYTES);
  }
});
