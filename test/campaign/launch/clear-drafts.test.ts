import { expect, test } from 'vitest';
import { clearDrafts } from '../../../src/campaign/launch/preview-launch.ts';
import type { Campaign } from '../../../src/domain/campaign.ts';
import { LedgerStory } from '../../support/ledger-story.ts';

const HOUR_MS = 3_600_000;

test('a draft of a launch that was killed a day ago is cleared away by the next; younger ones and campaigns stay', async () => {
  const story = await LedgerStory.begin();
  const old = await draft(story, 'old');
  story.now += 20 * HOUR_MS;
  const atItsQuestion = await draft(story, 'at-its-question');
  const launched = await story.launch({ id: 'launched', name: 'launched' });
  story.now += 5 * HOUR_MS;
  const newest = await draft(story, 'newest');
  const env = {
    ledger: story.ledger,
    clock: { now: () => story.now, monotonic: () => 0, sleep: async () => {} },
  };
  expect(await clearDrafts(env, newest)).toBe(1);
  const left = await Promise.all(
    [old.n, atItsQuestion.n, launched, newest.n].map((n) => story.ledger.campaign(n)),
  );
  expect(left.map((campaign) => campaign?.id)).toEqual([undefined, 'at-its-question', 'launched', 'newest']);
  expect(await clearDrafts(env, newest)).toBe(0);
});

async function draft(story: LedgerStory, id: string): Promise<Campaign> {
  const { settings, kind, sender, template } = (await story.ledger.campaign(
    await story.launch({ id: `like-${id}`, name: `like-${id}` }),
  )) as Campaign;
  const hashes = { job: id, template: id, contacts: id };
  const created = await story.ledger.createDraft({
    id,
    name: id,
    kind,
    sender,
    template,
    settings,
    hashes,
    now: story.now,
  });
  const row = {
    line: 2,
    mobile: '254700000001',
    key: '',
    occurrence: '',
    fields: ['254700000001', 'A'],
    segments: 1,
  };
  await story.ledger.addMessages(created.n, [row], { now: story.now });
  return created;
}
