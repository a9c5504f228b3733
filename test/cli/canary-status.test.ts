import { expect, it } from 'vitest';
import { LedgerStory } from '../support/ledger-story.ts';
import { tuma } from './command-line.ts';

it('a canary of which some were skipped shows the share that it passed by, and no contradiction', async () => {
  const story = await LedgerStory.begin();
  const canary = { first: 4, waitMs: 60_000, delivered: 0.8 };
  const n = await story.launch({ messages: 8, settings: { canary } });
  const skipped = ['254700000001', '254700000005'].map((mobile) => ({ mobile, source: 'operator' as const }));
  await story.ledger.addOptOuts(skipped, story.now);
  expect(await story.claim()).toEqual([2, 4]);
  await story.record(n, { 2: { to: 'sent' }, 4: { to: 'sent' } });
  for (const seq of [2, 4]) await story.report(`m${n}-${seq}`, 'delivered');
  expect(await story.ledger.watchCanaries(story.now)).toHaveLength(1);
  const env = { TUMA_HOME: story.directory, TUMA_DATABASE_URL: `sqlite:${story.file}` };
  const { stdout } = await tuma(['status', 'bf-1'], { env });
  expect(stdout).toContain('2 of 2 delivered (2 skipped), 80 % needed, passed');
  const told = JSON.parse((await tuma(['status', 'bf-1', '--json'], { env })).stdout) as object;
  const counts = { messages: 4, sent: 2, delivered: 2, undelivered: 0, rejected: 0 };
  expect(told).toMatchObject({ canary: { ...counts, skipped: 2, canceled: 0, uncertain: 0 } });
});

it('what a person decides later does not make a canary wait anew: its wait is counted from when the last one left', async () => {
  const story = await LedgerStory.begin();
  const canary = { first: 3, waitMs: 60_000, delivered: 0.8 };
  const n = await story.launch({ messages: 8, settings: { canary } });
  await story.claim();
  await story.record(n, { 1: { to: 'sent' }, 2: { to: 'sent' }, 3: { to: 'uncertain' } });
  await story.report(`m${n}-1`, 'delivered');
  expect(await story.ledger.watchCanaries(story.now)).toMatchObject([{ step: 'waiting' }]);
  const until = story.now + canary.waitMs;
  story.now += 50_000;
  await story.ledger.resolve(n, { now: story.now, by: 'test', before: story.now, decision: 'sent' });
  expect((await (await story.reader()).overview(n)).canary).toMatchObject({ verdict: 'waiting', until });
  expect(await story.ledger.watchCanaries(until - 1)).toEqual([]);
  expect(await story.ledger.watchCanaries(until)).toMatchObject([{ step: 'passed' }]);
});

it('what a campaign that was stopped has in flight is shown until nothing is: its rest is whole only then', async () => {
  const story = await LedgerStory.begin();
  const n = await story.launch({ messages: 3 });
  await story.claim();
  const { now } = story;
  await story.ledger.cancel(n, { now, by: 'test' });
  const env = { TUMA_HOME: story.directory, TUMA_DATABASE_URL: `sqlite:${story.file}` };
  const status = async () => (await tuma(['status', 'bf-1'], { env })).stdout;
  expect(await status()).toMatch(/^in flight\s+3$/m);
  await story.record(n, { 1: { to: 'sent' }, 2: { to: 'sent' }, 3: { to: 'sent' } });
  expect(await status()).not.toContain('in flight');
});
