import { beforeAll, expect, test } from 'vitest';
import { LedgerStory } from '../support/ledger-story.ts';
import { WebHere } from '../support/web-here.ts';

let story: LedgerStory;
let web: WebHere;
let n: number;

const states = async () => (await (await story.reader()).overview(n)).messages;

beforeAll(async () => {
  story = await LedgerStory.begin();
  n = await story.launch({ messages: 3 });
  await story.claim();
  const question = { content: 'hash', words: 'Refused by <gateway>' };
  const raw = '{"ResultCode":17,"to":"254700000001"}';
  const answered = { to: 'uncertain' as const, evidence: { httpStatus: 200, code: '17', question, raw } };
  await story.record(n, { 1: answered, 2: answered, 3: { to: 'sent', messageId: 'm-3' } });
  await story.report('m-3', null);
  story.now += 1;
  web = await WebHere.open(story.directory);
  await web.signIn();
});

test('what nobody knows is listed, with how many messages wait', async () => {
  const { status, text } = await web.get('/decisions');
  expect(status).toBe(200);
  expect(text).toContain('<q>Refused by &lt;gateway&gt;</q> <small>HTTP 200, code 17</small>');
  expect(text).toContain('href="/decisions/answers/1"');
  expect(text).toContain('Decisions <span class="count">2<');
  expect(text).toMatch(/href="\/decisions\/words\/[\w-]+"/);
  const [, id = ''] = /href="(\/webhooks\/\d+)"/.exec(text) ?? [];
  expect((await web.get(id)).text).toContain('m-3 null');
  for (const path of ['/webhooks/999', '/webhooks/x', '/decisions/answers/9', '/decisions/words/AAAA'])
    expect((await web.get(path)).status, path).toBe(404);
});

test('an answer is decided once its number is still the one that was shown, and taken back', async () => {
  const asked = (await web.get('/decisions/answers/1')).text;
  expect(asked).toContain('2 messages wait for this decision.');
  expect(asked).toContain('2 messages become sent, their cost not known.');
  expect(asked).toContain('Decide for 2 messages');
  expect((await web.post('/decisions/answers/1', { messages: '2' })).status).toBe(422);
  const stale = await web.post('/decisions/answers/1', { messages: '1', meaning: 'credit' });
  expect([stale.status, stale.text.includes('has changed')]).toEqual([409, true]);
  expect((await states()).uncertain).toBe(2);
  await web.post('/decisions/answers/1', { messages: '2', meaning: 'credit' });
  expect(await states()).toMatchObject({ uncertain: 0, rejected: 2 });
  expect((await web.get('/decisions/answers/1')).text).toContain('It means: The balance is too low');
  const other = await web.post('/decisions/answers/1', { messages: '0', meaning: 'accepted' });
  expect(other.status).toBe(409);
  await web.post('/decisions/answers/1/unmap');
  expect(await states()).toMatchObject({ uncertain: 2, rejected: 0 });
});

test('a word of a report gets its meaning', async () => {
  const [, address = ''] =
    /href="(\/decisions\/words\/[\w-]+)"/.exec((await web.get('/decisions')).text) ?? [];
  expect((await web.get(address)).text).toContain('1 report has this word');
  expect((await web.post(address, { count: '1' })).status).toBe(422);
  expect((await web.post(address, { count: '5', meaning: 'delivered' })).status).toBe(409);
  expect((await web.post(address, { count: '1', meaning: 'delivered' })).headers['location']).toBe(
    '/decisions',
  );
  const { delivery } = await (await story.reader()).tallies(n, 0);
  expect(delivery.delivered).toBe(1);
  expect((await web.get('/decisions')).text).toContain('The message arrived');
});
