import { expect, test } from 'vitest';
import { LiveCampaigns } from '../../src/web/pages/campaign/live-campaigns.ts';
import type { CampaignNow } from '../../src/web/pages/campaign/campaign-now.ts';
import type { WebEnv } from '../../src/web/web-env.ts';
import { LedgerStory } from '../support/ledger-story.ts';
import { WebHere } from '../support/web-here.ts';

/** Pages of a campaign whose time passes only when the test lets it, and how often the campaign was read. */
async function watched(story: LedgerStory) {
  const { services } = await WebHere.open(story.directory, {}, story.now);
  const reader = await services.reader();
  const seen = { reads: 0, sleeps: [] as number[] };
  const counting = new Proxy(reader, {
    get(target, name) {
      if (name === 'campaignCounters') seen.reads += 1;
      const value: unknown = Reflect.get(target, name);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
  let asleep = Promise.withResolvers<() => void>();
  const sleep = (ms: number, signal?: AbortSignal) => {
    seen.sleeps.push(ms);
    return new Promise<void>((wake) => {
      signal?.addEventListener('abort', () => wake());
      asleep.resolve(wake);
    });
  };
  const clock = { ...services.clock, sleep };
  const env: WebEnv = { ...services, clock, reader: async () => counting };
  /** Waits until it rests between two looks. What it returns ends the rest. */
  const resting = async () => {
    const wake = await asleep.promise;
    asleep = Promise.withResolvers();
    return wake;
  };
  return { live: new LiveCampaigns(env), seen, resting };
}

test('pages of one campaign share one look, two a second at the most, and nobody looks when all are closed', async () => {
  const story = await LedgerStory.begin();
  const n = await story.launch({ messages: 3 });
  const { live, seen, resting } = await watched(story);
  const pages = Array.from({ length: 10 }, () => [] as CampaignNow[]);
  const leave = pages.map((looks) => live.watch(n, (now) => looks.push(now)));
  (await resting())();
  await resting();
  expect(seen).toEqual({ reads: 2, sleeps: [500, 500] });
  for (const looks of pages) expect(looks).toEqual(pages[0]);
  expect(pages[0]).toHaveLength(2);
  for (const end of leave) end();
  const again: CampaignNow[] = [];
  const end = live.watch(n, (now) => again.push(now));
  await resting();
  end();
  expect([seen.reads, again.length, pages[0]?.length]).toEqual([3, 1, 2]);
});
