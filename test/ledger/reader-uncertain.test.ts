import { DatabaseSync } from 'node:sqlite';
import { expect, it } from 'vitest';
import { LedgerStory } from '../support/ledger-story.ts';

const ALL = { limit: 10, line: null, mobile: null };
const SEEN = { httpStatus: 200, code: '1999', raw: '{"response-code":1999}' };

async function uncertainStory(): Promise<{ story: LedgerStory; n: number }> {
  const story = await LedgerStory.begin();
  const n = await story.launch({ messages: 3 });
  await story.claim();
  await story.record(n, {
    1: { to: 'uncertain', reason: 'unlisted code', evidence: SEEN },
    2: { to: 'sent' },
    3: { to: 'uncertain', reason: 'worker died' },
  });
  return { story, n };
}

it('tells of each uncertain message what was seen on the wire, and null where nothing was', async () => {
  const { story, n } = await uncertainStory();
  const { rows, total } = await (await story.reader()).uncertain({ campaign: n, ...ALL });
  expect(total).toBe(2);
  expect(rows).toEqual([
    {
      seq: 1,
      line: 2,
      mobile: '254700000001',
      key: '',
      reason: 'unlisted code',
      attempts: 1,
      settledAt: story.now,
      writtenOff: false,
      flags: [],
      seen: { at: story.now, ...SEEN },
    },
    expect.objectContaining({ seq: 3, line: 4, reason: 'worker died', seen: null }),
  ]);
});

it('tells the latest that was seen of the present attempt, and nothing of an earlier one', async () => {
  const { story, n } = await uncertainStory();
  const resolution = { by: 'operator', decision: 'not_sent', before: story.now + 1 } as const;
  await story.ledger.resolve(n, { ...resolution, now: story.now });
  await story.claim();
  await story.record(n, { 1: { to: 'uncertain' }, 3: { to: 'uncertain' } });
  const reader = await story.reader();
  const seen = async () => (await reader.uncertain({ campaign: n, ...ALL })).rows.map((row) => row.seen);
  expect(await seen()).toEqual([null, null]);
  const database = new DatabaseSync(story.file);
  const add = database.prepare('INSERT INTO evidence VALUES (?, 1, 2, ?, ?, NULL, ?, NULL, NULL, 0)');
  add.run(n, story.now + 1, 502, 'late');
  add.run(n, story.now, 500, 'early');
  database.close();
  expect(await seen()).toEqual([{ at: story.now + 1, httpStatus: 502, code: null, raw: 'late' }, null]);
});

it('tells of each message what was seen of it, whatever was seen of others later, and of its own earlier attempt', async () => {
  const story = await LedgerStory.begin();
  const campaigns = [
    await story.launch({ id: 'a-1', name: 'a' }),
    await story.launch({ id: 'b-1', name: 'b' }),
  ];
  await story.claim();
  for (const n of campaigns)
    for (const seq of [1, 2]) {
      story.now += 1_000;
      const evidence = { ...SEEN, raw: `${n} ${seq}` };
      await story.record(n, { [seq]: { to: 'uncertain', evidence } });
    }
  const reader = await story.reader();
  const seenOf = async (campaign: number) =>
    (await reader.uncertain({ campaign, ...ALL })).rows.map(({ seen }) => seen?.raw);
  const [first = 0, second = 0] = campaigns;
  const seen = async () => [await seenOf(first), await seenOf(second)];
  const own = campaigns.map((n) => [`${n} 1`, `${n} 2`]);
  expect(await seen()).toEqual(own);
  const database = new DatabaseSync(story.file);
  const late = database.prepare('INSERT INTO evidence VALUES (?, 1, 0, ?, 500, NULL, ?, NULL, NULL, 0)');
  late.run(first, story.now + 60_000, 'of an earlier attempt');
  database.close();
  expect(await seen()).toEqual(own);
});

it('names the first by the order of the contacts: the rows end at the limit, the count does not', async () => {
  const story = await LedgerStory.begin();
  const mobiles = ['254700000009', '254700000003', '254700000007', '254700000001'];
  const n = await story.launch({ rows: mobiles.map((mobile) => ({ mobile })) });
  await story.claim();
  await story.record(n, Object.fromEntries([1, 2, 3, 4].map((seq) => [seq, { to: 'uncertain' } as const])));
  const reader = await story.reader();
  const named = async (query: Partial<Parameters<typeof reader.uncertain>[0]>) => {
    const { rows, total } = await reader.uncertain({ campaign: n, ...ALL, ...query });
    return [rows.map(({ seq }) => seq), total];
  };
  expect(await named({ limit: 2 })).toEqual([[1, 2], 4]);
  expect(await named({ limit: 0 })).toEqual([[], 4]);
  expect(await named({ mobile: '254700000007' })).toEqual([[3], 1]);
  expect(await named({ line: 5 })).toEqual([[4], 1]);
});

it('open messages that became uncertain lately are counted, however many there are', async () => {
  const story = await LedgerStory.begin();
  const n = await story.launch({ messages: 1_204 });
  await story.claim();
  const uncertain = { to: 'uncertain' } as const;
  await story.record(n, { 1: uncertain });
  const first = story.now;
  story.now += 60_000;
  const others = Array.from({ length: 1_203 }, (_, index) => [index + 2, uncertain] as const);
  await story.record(n, Object.fromEntries(others));
  const reader = await story.reader();
  expect(await reader.youngUncertain({ campaign: n, since: story.now })).toEqual({
    count: 1_203,
    latestAt: story.now,
  });
  expect((await reader.youngUncertain({ campaign: n, since: first })).count).toBe(1_204);
  expect(await reader.youngUncertain({ campaign: n, since: story.now + 1 })).toEqual({
    count: 0,
    latestAt: null,
  });
});
