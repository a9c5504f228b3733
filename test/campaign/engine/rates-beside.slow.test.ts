import { expect, test } from 'vitest';
import { systemClock } from '../../../src/system/clock.ts';
import { type Engine, openEngine } from './engine.ts';
import { ScriptedProvider } from './scripted-provider.ts';

/* Campaigns side by side on a service that answers slowly: none keeps the places for itself. */

const SPAN_MS = 5_000;

/** What campaigns of these rates sent in the span, side by side on one worker. */
async function sentInSpan(engine: Engine, rates: (number | null)[], answerMs: number): Promise<number[]> {
  const provider = new ScriptedProvider({
    script: () => systemClock.sleep(answerMs).then(() => 'accept' as const),
  });
  const campaigns = [];
  // A batch each: how batches take turns is the queue's affair.
  for (const ratePerSecond of rates)
    campaigns.push(await engine.launch(4_000, { ratePerSecond, batchSize: 4_000 }));
  await engine.start(provider);
  await systemClock.sleep(SPAN_MS);
  const sent = [];
  for (const { n } of campaigns) sent.push((await engine.reader.overview(n)).messages.sent);
  return sent;
}

test.each([
  ['two at a rate', [4, 4], 800, [14, 14]],
  ['one at a rate beside one without, which takes every place it gets', [4, null], 100, [10, 1_000]],
  ['two without a rate', [null, null], 100, [500, 500]],
] as const)(
  '%s: each goes on',
  async (_, rates, answerMs, least) => {
    const sent = await sentInSpan(await openEngine(), [...rates], answerMs);
    for (const [index, count] of sent.entries()) expect(count).toBeGreaterThanOrEqual(least[index] ?? 0);
  },
  60_000,
);
