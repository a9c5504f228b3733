import { beforeAll, expect, test } from 'vitest';
import { LedgerStory } from '../support/ledger-story.ts';
import { WebHere } from '../support/web-here.ts';

const ANN = '254711000001';
const BEN = '254711000002';

let story: LedgerStory;
let web: WebHere;

beforeAll(async () => {
  story = await LedgerStory.begin();
  const n = await story.launch({
    id: 'agm-1',
    name: 'agm <notice>',
    settings: { key: ['Bill'] },
    rows: [
      { mobile: ANN, key: 'INV-1' },
      { mobile: BEN, key: 'INV-2' },
    ],
  });
  await story.claim();
  const evidence = { httpStatus: 400, code: '1004', raw: '{"to":"254711000002"}', words: 'no such number' };
  await story.record(n, { 1: { to: 'sent', messageId: '7c1f-90' }, 2: { to: 'uncertain', evidence } });
  await story.report('7c1f-90', 'delivered');
  await story.launch({ id: 'due-1', name: 'due', rows: [{ mobile: ANN }] });
  web = await WebHere.open(story.directory);
  await web.signIn();
});

async function search(q: string): Promise<{ address: string; text: string }> {
  const address = String((await web.post('/find', { q })).headers['location']);
  return { address, text: (await web.get(address)).text };
}

test('a number is found in any form, and its address does not show it', async () => {
  const found = await search('0711 000 001');
  expect(found.address).toMatch(/^\/find\/[\w-]{40,}$/);
  expect(found.address).not.toContain('711000001');
  expect((await search('+254711000001')).address).toBe(found.address);
  expect(found.text).toContain('+254711000001: 2 messages.');
  expect(found.text).toContain('<a href="/messages/agm-1/1">agm &lt;notice&gt;</a>');
  expect(found.text).toContain('/messages/due-1/1/cancel');
  expect(found.text).toContain('Opt out…');
});

test('an id, a key and a campaign are found, and what is not there is said', async () => {
  expect((await search('7C1F-90')).text).toContain('href="/messages/agm-1/1"');
  expect((await search('INV-2')).text).toContain('href="/messages/agm-1/2"');
  expect((await search('agm')).text).toContain('href="/campaigns/agm-1"');
  expect((await search('<script>')).text).toContain('Nothing was found.');
  expect((await search('0799 999 999')).text).toContain('Nothing was found.');
  expect((await search('')).address).toBe('/find');
  for (const long of ['x'.repeat(300), '\u{1f600}'.repeat(100)])
    expect((await search(long)).text).toContain('Nothing was found.');
  for (const path of ['/find/AAAA', `/find/${'A'.repeat(60)}`, '/messages/agm-1/9', '/messages/none/1'])
    expect((await web.get(path)).status, path).toBe(404);
});

test('the page of a message tells its life, its text and the raw evidence', async () => {
  const sent = (await web.get('/messages/agm-1/1')).text;
  for (const words of [
    'Planned from line 2',
    'Try 1: sent',
    '<b>Accepted</b>',
    '<q>delivered</q>, delivered',
    'Hi Name 1',
  ])
    expect(sent).toContain(words);
  const swahili = async (seq: number) =>
    (await web.get(`/messages/agm-1/${seq}`, { 'accept-language': 'sw' })).text;
  expect(await swahili(1)).toContain('<q><span lang="en">delivered</span></q>');
  expect(await swahili(2)).toContain('<q><span lang="en">no such number</span></q>');
  const uncertain = (await web.get('/messages/agm-1/2')).text;
  expect(uncertain).toContain('Nobody knows whether it was sent');
  expect(uncertain).toContain('HTTP 400, 1004');
  expect(uncertain).toContain('{&quot;to&quot;:&quot;254711000002&quot;}');
});

test('a person gets nothing more of one campaign, once the numbers shown are still right', async () => {
  const asked = (await web.get('/messages/due-1/1/cancel')).text;
  expect(asked).toContain('Cancel 1 message');
  const other = await web.post('/messages/due-1/1/cancel', { queued: '7', queuedOfKey: '7' });
  expect(other.status).toBe(409);
  expect(other.text).toContain('The numbers have changed');
  const done = await web.post('/messages/due-1/1/cancel', { queued: '1', queuedOfKey: '1', what: 'all' });
  expect([done.status, done.headers['location']]).toEqual([303, '/messages/due-1/1']);
  expect((await web.get('/messages/due-1/1')).text).toContain('canceled by hand');
});

test('of a person with several bills one alone is canceled, and each choice says how many it means', async () => {
  const rows = ['INV-7', 'INV-8'].map((key) => ({ mobile: ANN, key }));
  const n = await story.launch({ id: 'bills-1', name: 'bills', settings: { key: ['Bill'] }, rows });
  const asked = (await web.get('/messages/bills-1/1/cancel')).text;
  expect(asked).toContain('Everything of this campaign to this person, 2 messages wait');
  expect(asked).toContain('Only what is about INV-7, 1 message waits');
  await web.post('/messages/bills-1/1/cancel', { queued: '2', queuedOfKey: '1', what: 'key' });
  expect((await (await story.reader()).overview(n)).messages).toMatchObject({ queued: 1, canceled: 1 });
});
