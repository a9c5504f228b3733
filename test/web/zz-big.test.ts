import { test } from 'vitest';
import { LedgerStory } from '../support/ledger-story.ts';
import { WebHere } from '../support/web-here.ts';
import { lookAt, readNumbers, readBackground } from '../../src/web/pages/campaign/read-campaign.ts';
test('big', async () => {
  const story = await LedgerStory.begin();
  await story.readBalance(1e12);
  const COUNT = 300_000;
  const n = await story.draft({ id: 'big-1', name: 'big', settings: { batchSize: 1000 } });
  for (let i = 0; i < COUNT; i += 5000)
    await story.ledger.addMessages(
      n,
      Array.from({ length: 5000 }, (_, j) => {
        const mobile = `2547${String(i + j).padStart(8, '0')}`;
        return { line: i + j + 2, mobile, key: '', occurrence: '', fields: [mobile, 'x'], segments: 1 };
      }),
      { now: story.now },
    );
  const counts = { read: COUNT, planned: COUNT, unchanged: 0, duplicate: 0, invalid: 0, suppressed: 0 };
  await story.ledger.activate({
    campaign: n,
    account: 'acc',
    budgetMicro: null,
    estimatedMicro: COUNT * 8e5,
    priceMicro: 8e5,
    startAt: null,
    startDeadlineMs: 0,
    counts,
    now: story.now,
    by: 't',
  });
  for (let r = 0; r < 3; r++) {
    const claimed = await story.claim();
    story.now += 1000;
    for (let i = 0; i < claimed.length; i += 5000)
      await story.record(
        n,
        Object.fromEntries(
          claimed
            .slice(i, i + 5000)
            .map((s) => [
              s,
              s % 100 === 0
                ? { to: 'rejected', reason: 'busy', retryHelps: true }
                : s % 1000 === 1
                  ? { to: 'uncertain' }
                  : { to: 'sent' },
            ]),
        ) as any,
      );
    console.log('claimed', claimed.length);
    if (claimed.length === 0) break;
  }
  const web = await (await WebHere.open(story.directory, {}, story.now)).signIn();
  const env = web.services;
  const time = async (what: string, work: () => Promise<unknown>) => {
    const t = performance.now();
    await work();
    console.log(what, (performance.now() - t).toFixed(1));
  };
  for (let k = 0; k < 3; k++) {
    await time('numbers', () => readNumbers(env, n));
    await time('look', () => lookAt(env, 'big-1'));
    await time('page', () => web.get('/campaigns/big-1'));
    await time('list', () => web.get('/campaigns'));
  }
  const reader = await env.reader();
  const numbers = await readNumbers(env, n);
  await time('agenda', () => reader.agenda(n));
  await time('said', () => reader.providerWords(n));
  await time('leftOut', () => reader.leftOut({ campaign: n, reason: null, answeredBefore: story.now }));
  await time('uncertain', () => reader.uncertain({ campaign: n, limit: 1000, line: null, mobile: null }));
  await time('answers', () => reader.openAnswers(n));
  await time('trail', () => reader.auditTrail({ campaign: n, limit: 30 }));
  await time('series', () =>
    reader.campaignSeries(n, { from: 0, to: Number.MAX_SAFE_INTEGER, stepMs: 60000 }),
  );
  await time('latency', () => reader.campaignLatency(n));
  await time('background', () => readBackground(env, numbers));
}, 6e5);
