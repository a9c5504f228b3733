import { expect, test } from 'vitest';
import { LedgerStory } from '../support/ledger-story.ts';
import { WebHere } from '../support/web-here.ts';

test('the foot of each page says whether messages leave, and when the last report came', async () => {
  const silent = await LedgerStory.begin();
  await silent.launch({ messages: 1 });
  const web = await WebHere.open(silent.directory);
  expect((await web.get('/campaigns')).text).not.toContain('Nothing is sent');
  await web.signIn();
  const { text } = await web.get('/campaigns');
  expect(text).toContain('Nothing is sent: no worker is alive. <a href="/checks">Health</a>');
  expect(text).not.toContain('Last report:');
});

test('a worker that lives is seen, and one whose messaging service does not answer', async () => {
  const story = await LedgerStory.begin();
  const n = await story.launch({ messages: 1 });
  await story.claim();
  await story.record(n, { 1: { to: 'sent', messageId: 'm-1' } });
  await story.report('m-1', 'delivered');
  const beat = (outage: { since: number; nextTryAt: number } | null) =>
    story.ledger.heartbeat(story.worker, Date.now(), outage);
  await beat(null);
  const page = async () => (await (await WebHere.open(story.directory)).signIn()).get('/campaigns');
  expect((await page()).text).toMatch(/Sending works\. Last report: <time/);
  await beat({ since: Date.now(), nextTryAt: Date.now() });
  expect((await page()).text).toContain('Nothing is sent: the messaging service does not answer.');
});
