import { expect, test } from 'vitest';
import { LatestHealth } from '../../src/web/latest-health.ts';
import { health as english } from '../../src/web/words/en/health.ts';
import { health as swahili } from '../../src/web/words/sw/health.ts';
import { LedgerStory } from '../support/ledger-story.ts';
import { WebHere } from '../support/web-here.ts';

const ENV = { TUMA_WEBHOOK_TOKEN: 'abcdefghijklmnopqrstuvwxyz', TUMA_HOST: '127.0.0.1' };

test('the page names what does not work first, in both languages, and the address of the webhook only on its own page', async () => {
  const story = await LedgerStory.begin();
  const web = await WebHere.open(story.directory, ENV);
  await web.signIn();
  const { status, text } = await web.get('/checks');
  expect(status).toBe(200);
  expect(text).toContain('does not work: sending needs it');
  expect(text).toContain('Not set: TUMA_MESSAGING_URL, TUMA_API_KEY, TUMA_API_SECRET.');
  expect(text.indexOf('>Account</b>')).toBeLessThan(text.indexOf('>Node</b>'));
  expect(text).not.toContain('abcdefghijklmnopqrstuvwxyz');
  const address = (await web.get('/checks/webhook')).text;
  expect(address).toContain('/webhooks/abcdefghijklmnopqrstuvwxyz</pre>');
  expect(address).toContain('Only this machine reaches that address');
  await web.post('/language', { language: 'sw', from: '/checks' });
  expect((await web.get('/checks')).text).toContain('>Akaunti</b>');
});

test('every finding has words in both languages', () => {
  expect(Object.keys(swahili.findings).toSorted()).toEqual(Object.keys(english.findings).toSorted());
});

test('pages of the same moment share one look, and do not wait for what never answers', async () => {
  let looks = 0;
  let now = 0;
  let end = () => {};
  const clock = {
    now: () => 1_000 + now,
    monotonic: () => now,
    sleep: async () => undefined,
  };
  const health = () => {
    looks += 1;
    return new Promise<{ findings: []; freeBytes: number }>((resolve) => {
      end = () => resolve({ findings: [], freeBytes: 7 });
    });
  };
  const latest = new LatestHealth({ clock, health });
  expect(await latest.read()).toBeNull();
  expect(await latest.read()).toBeNull();
  expect(looks).toBe(1);
  end();
  await new Promise((resolve) => setImmediate(resolve));
  expect(await latest.read()).toMatchObject({ freeBytes: 7, at: 1_000 });
  expect(looks).toBe(1);
  now += 15_000;
  expect(await latest.read()).toMatchObject({ freeBytes: 7, at: 1_000 });
  expect(looks).toBe(2);
});
