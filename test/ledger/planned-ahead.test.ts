import { expect, test } from 'vitest';
import { readCreditAhead } from '../../src/campaign/planning/credit-ahead.ts';
import { LedgerStory, T0 } from '../support/ledger-story.ts';

const KES = 1_000_000;
const DAY = 86_400_000;
const OPEN = 250;

async function reading(story: LedgerStory, account: string, creditMicro: number): Promise<void> {
  const begun = await story.ledger.beginReading(account, story.now);
  await story.ledger.recordReading({ account, begun, at: story.now, creditMicro });
}

test('the credit is laid over every open campaign, also of 250, and over those of its account only', async () => {
  const story = await LedgerStory.begin();
  const estimatedMicro = 2 * KES;
  for (let count = 1; count <= OPEN; count++) {
    const startAt = T0 + count * DAY;
    await story.launch({ id: `c-${count}`, name: `c-${count}`, messages: 2, estimatedMicro, startAt });
  }
  const other = { id: 'other', name: 'other', account: 'other', messages: 2, estimatedMicro };
  await story.launch({ ...other, startAt: T0 + DAY });
  await reading(story, 'acc', 499 * KES);
  const reader = await story.reader();

  const ahead = await readCreditAhead(reader, 'acc');
  expect(ahead.planned).toHaveLength(OPEN);
  expect(ahead.planned.at(0)).toMatchObject({
    campaign: { id: 'c-1', zone: 'Africa/Nairobi' },
    at: T0 + DAY,
    messages: 2,
    costMicro: 2 * KES,
    afterMicro: 497 * KES,
  });
  const last = T0 + OPEN * DAY;
  expect(ahead.short).toEqual({ from: last, until: last, missingMicro: KES });

  const all = await readCreditAhead(reader, null);
  expect(all.planned).toHaveLength(OPEN + 1);
  expect(all.creditMicro).toBeNull();
});

test('what is sent, canceled or a draft is planned no more, and what waits counts at the price of its launch', async () => {
  const story = await LedgerStory.begin();
  const estimatedMicro = 4 * KES;
  const n = await story.launch({ id: 'now', name: 'now', estimatedMicro });
  await story.claim();
  await story.record(n, { 1: { to: 'sent' }, 2: { to: 'rejected' }, 3: { to: 'uncertain' } });
  const done = await story.launch({ id: 'done', name: 'done', messages: 1, estimatedMicro });
  await story.claim();
  await story.record(done, { 1: { to: 'sent' } });
  const canceled = await story.launch({ id: 'canceled', name: 'canceled', estimatedMicro });
  await story.ledger.cancel(canceled, { now: story.now, by: 'test' });
  await story.draft({ id: 'draft', name: 'draft' });
  await story.launch({ id: 'unpriced', name: 'unpriced', messages: 3, startAt: T0 + DAY });
  await reading(story, 'acc', 10 * KES);

  const { planned, creditMicro, unpriced } = await readCreditAhead(await story.reader(), null);
  expect(
    planned.map(({ campaign, at, messages, costMicro }) => [campaign.id, at, messages, costMicro]),
  ).toEqual([
    ['now', null, 1, KES],
    ['unpriced', T0 + DAY, 3, null],
  ]);
  expect([creditMicro, unpriced]).toEqual([10 * KES, 3]);
});
