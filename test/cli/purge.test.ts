import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { LedgerStory } from '../support/ledger-story.ts';
import { tuma } from './command-line.ts';

const DAY = 86_400_000;
const CANARY = { mobile: '254712345678', name: 'Canary Wanjiku' };
const PURGE = ['purge', '--older-than', '180d', '--yes', '--json'];

interface Told {
  story: LedgerStory;
  env: Record<string, string>;
  n: number;
}

/** A campaign that ended 200 days ago, with reports, an uncertain message and a rejected one. */
async function told(messages = 6): Promise<Told> {
  const story = await LedgerStory.begin();
  story.now = Date.now() - 200 * DAY;
  const rows = Array.from({ length: messages }, (_, index) => {
    // Written out of order, so that pages of the index divide and leave copies behind.
    const mobile =
      index === messages >> 1
        ? CANARY.mobile
        : `2547${String((index * 7_919) % 99_999_989).padStart(8, '0')}`;
    return { mobile, fields: [mobile, index === messages >> 1 ? CANARY.name : `Name ${index}`] };
  });
  const n = await story.launch({ rows, estimatedMicro: 5_000_000, settings: { batchSize: 1_000 } });
  await story.readBalance(100_000_000);
  const claimed = await story.claim();
  const came = claimed.map((seq) => [seq, { to: 'sent' as const }]);
  await story.record(n, {
    ...Object.fromEntries(came),
    1: { to: 'uncertain' },
    2: { to: 'rejected', retryHelps: true },
  });
  story.now += 1_000;
  await story.readBalance(96_000_000);
  await story.report(`m${n}-3`, 'delivered');
  await story.report(`m${n}-4`, 'undelivered', 'absent subscriber');
  // The worker has stopped long ago.
  await story.ledger.retireWorker(story.worker, story.now);
  for (const { batch, epoch } of await story.ledger.dueBatches({ now: story.now, perCampaign: 100 })) {
    const { worker, now } = story;
    const lease = await story.ledger.leaseBatch({ batch, epoch, worker, now, leaseMs: 1_000 });
    if (lease !== null) await story.ledger.releaseBatch({ ...lease, now });
  }
  return { story, n, env: { TUMA_HOME: story.directory, TUMA_DATABASE_URL: `sqlite:${story.file}` } };
}

/** What is left of numbers and names in the files of the ledger: every one of them is a canary. */
function left({ story }: Told): string[] {
  const files = [story.file, `${story.file}-wal`].filter((file) => existsSync(file));
  return files.flatMap(
    (file) =>
      readFileSync(file)
        .toString('latin1')
        .match(/2547\d{8}|Canary|Name \d/g) ?? [],
  );
}

it('reports, statement and verify are the same before and after, and the number is in no file any more', async () => {
  const world = await told(3_000);
  const { env } = world;
  const asked = ['2026-01-01', '2026-12-31'];
  const said = async () => [
    await tuma(['report', 'bf-1', '--json'], { env }),
    await tuma(['statement', '--from', asked[0] ?? '', '--to', asked[1] ?? '', '--json'], { env }),
    await tuma(['status', '--json'], { env }),
    await tuma(['verify', '--json'], { env }),
  ];
  const before = await said();
  expect(before.map(({ code }) => code)).toEqual([0, 0, 0, 0]);
  expect(left(world)).not.toEqual([]);
  const ran = await tuma(PURGE, { env });
  expect(ran).toMatchObject({ code: 0, stderr: '' });
  expect(JSON.parse(ran.stdout)).toMatchObject({
    campaigns: 1,
    messages: 3_000,
    left: 0,
    webhooks: 2,
    rewritten: true,
  });
  expect(await said()).toEqual(before);
  expect(left(world)).toEqual([]);
});

it('the export has the rows without numbers, and the contacts are gone', async () => {
  const { env, story } = await told();
  await tuma(PURGE, { env });
  const out = join(story.directory, 'out.csv');
  expect((await tuma(['export', 'bf-1', '--out', out], { env })).code).toBe(0);
  expect(readFileSync(out, 'utf8')).toMatch(/^bf-1,4,purged-3,,,sent,delivered,/m);
  const contacts = await tuma(
    ['export', 'bf-1', '--out', `${out}2`, '--as', 'contacts', '--state', 'rejected', '--json'],
    { env },
  );
  expect(contacts).toMatchObject({ code: 2, stdout: '' });
  expect(contacts.stderr).toContain('The contacts of campaign bf-1 were purged.');
  expect(existsSync(`${out}2`)).toBe(false);
});

it('what is younger, or still has something to send, stays as it is', async () => {
  const world = await told();
  const { story, env } = world;
  await story.launch({ id: 'open-1', name: 'open', rows: [{ mobile: '254799999999' }] });
  expect(
    JSON.parse((await tuma(['purge', '--older-than', '250d', '--yes', '--json'], { env })).stdout),
  ).toMatchObject({
    campaigns: 0,
    messages: 0,
    webhooks: 0,
  });
  expect(left(world)).not.toEqual([]);
  expect(JSON.parse((await tuma(PURGE, { env })).stdout)).toMatchObject({ campaigns: 1, messages: 6 });
  const reader = await story.reader();
  const [open] = await reader.find('open-1');
  const [message] = await reader.messages({ campaign: open?.n ?? 0, afterSeq: 0, limit: 1, states: null });
  expect(message?.mobile).toBe('254799999999');
});

it('with a worker alive the ledger is not written anew, and says so', async () => {
  const { story, env } = await told();
  const process = { bootId: 'b', pidNamespace: 'p', pid: 2, startTicks: '1', roles: 'worker' };
  await story.ledger.registerWorker(process, Date.now());
  const ran = await tuma(PURGE.slice(0, -1), { env });
  expect(ran.stdout).toContain('Traces may be left in unused space of the ledger');
});

it('a second time there is nothing to remove', async () => {
  const { env } = await told();
  await tuma(PURGE, { env });
  const again = { campaigns: 0, messages: 0, left: 0, webhooks: 0, reports: 0, replies: 0 };
  expect(JSON.parse((await tuma(PURGE, { env })).stdout)).toMatchObject(again);
});

it('nothing is removed unless somebody says yes', async () => {
  const world = await told();
  const { env } = world;
  const alone = await tuma(['purge', '--older-than', '180d'], { env });
  expect(alone).toMatchObject({ code: 2, stdout: '' });
  expect(alone.stderr).toContain('--yes');
  const declined = await tuma(['purge', '--older-than', '180d'], { env, columns: 100, typed: 'n\n' });
  expect(declined.code).toBe(2);
  expect(declined.stderr).toContain('6 messages in 1 settled campaign');
  expect(declined.stderr).toContain('1 of the messages are uncertain');
  expect(declined.stderr).toContain('Nothing was removed.');
  expect(left(world)).not.toEqual([]);
  const agreed = await tuma(['purge', '--older-than', '180d'], { env, columns: 100, typed: 'y\n' });
  expect(agreed.code).toBe(0);
  expect(left(world)).toEqual([]);
});

it.each([
  ['1h', 'is too young: reports are waited for 3d.'],
  ['180', 'is no age.'],
])('an age of %s is refused', async (age, words) => {
  const ran = await tuma(['purge', '--older-than', age, '--yes', '--json']);
  expect(ran).toMatchObject({ code: 2, stdout: '' });
  expect(ran.stderr).toContain(words);
});
