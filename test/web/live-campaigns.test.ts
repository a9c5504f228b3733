import { expect, test } from 'vitest';
import { LiveCampaigns } from '../../src/web/pages/campaign/live-campaigns.ts';
import type { CampaignNow } from '../../src/web/campaign-now.ts';
import type { WebEnv } from '../../src/web/web-env.ts';
import { LedgerStory } from '../support/ledger-story.ts';
import { WebHere } from '../support/web-here.ts';

/** The environment of pages, and how often a campaign was read. */
async function watched(story: LedgerStory): Promise<{ env: WebEnv; reads: () => number }> {
  const { services } = await WebHere.open(story.directory, {}, story.now);
  const reader = await services.reader();
  let reads = 0;
  const counting = new Proxy(reader, {
    get(target, name) {
      if (name === 'campaignCounters') reads += 1;
      const value: unknown = Reflect.get(target, name);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
  return { env: { ...services, reader: async () => counting }, reads: () => reads };
}

test('pages of one campaign share one look, and nobody looks when all are closed', async () => {
  const story = await LedgerStory.begin();
  const n = await story.launch({ messages: 3 });
  const { env, reads } = await watched(story);
  const live = new LiveCampaigns(env);
  const seen: [CampaignNow[], CampaignNow[]] = [[], []];
  const { promise, resolve } = Promise.withResolvers<void>();
  const leave = seen.map((looks) =>
    live.watch(n, (now) => {
      looks.push(now);
      if (looks.length === 2) resolve();
    }),
  );
  await promise;
  for (const end of leave) end();
  expect(seen[0][0]).toBe(seen[1][0]);
  expect(reads()).toBe(seen[0].length);
  const again: CampaignNow[] = [];
  await new Promise<void>((shown) => {
    const end = live.watch(n, (now) => {
      again.push(now);
      end();
      shown();
    });
  });
  expect(again).toHaveLength(1);
});
