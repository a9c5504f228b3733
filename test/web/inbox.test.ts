import { beforeAll, expect, test } from 'vitest';
import { LedgerStory } from '../support/ledger-story.ts';
import { WebHere } from '../support/web-here.ts';

const ANN = '254711000001';
const BEN = '254711000002';

let story: LedgerStory;
let web: WebHere;

beforeAll(async () => {
  story = await LedgerStory.begin();
  const n = await story.launch({ id: 'app-1', name: 'app-launch', rows: [{ mobile: ANN }, { mobile: BEN }] });
  await story.claim();
  await story.record(n, { 1: { to: 'sent', messageId: 'X-1' }, 2: { to: 'sent' } });
  await story.report('X-1', 'delivered');
  story.now += 60_000;
  await story.reply(ANN, 'acha', 'stop');
  await story.reply(BEN, 'msinitumie <b>jioni</b> 0722 123 456', 'maybe_stop');
  web = await WebHere.open(story.directory);
  await web.signIn();
});

test('the inbox lists each number once, masked, and a maybe-STOP with its two answers', async () => {
  const { status, text } = await web.get('/inbox');
  expect(status).toBe(200);
  expect(text).toContain('<b>2547****0001</b>');
  expect(text).toContain('Maybe a STOP, from <a href="/inbox/2">2547****0002</a>');
  expect(text).toContain('msinitumie &lt;b&gt;jioni&lt;/b&gt;');
  expect(text).not.toContain(ANN);
  expect(text).toContain('Inbox <span class="count">1<span class="hear"> wait for you</span></span>');
});

test('a conversation shows our text, the STOP and what followed from it, and its addresses hold no number', async () => {
  const { text } = await web.get('/inbox/1');
  expect(text).toContain('<h2 id="who">+254711000001</h2>');
  expect(text).toContain('<p class="bubble ours">Hi Name 1</p>');
  expect(text).toContain('<p class="bubble">acha</p>');
  expect(text).toContain('Opted out');
  const addresses = [...text.matchAll(/(?:href|action)="([^"]+)"/g)].map(([, address]) => address);
  expect(addresses.some((address) => address?.startsWith('/optouts/'))).toBe(true);
  expect(addresses.filter((address) => address?.includes('711'))).toEqual([]);
  expect((await web.get('/inbox/99')).status).toBe(404);
  expect((await web.get('/inbox/x')).status).toBe(404);
});

test('a maybe-STOP is decided by its button, and asked about no more', async () => {
  expect((await web.post('/inbox/2/decision', { stop: 'perhaps' })).status).toBe(422);
  expect((await web.post('/inbox/2/decision', { stop: 'yes' })).headers['location']).toBe('/inbox');
  expect((await web.get('/inbox')).text).not.toContain('Maybe a STOP, from');
  expect((await web.get('/inbox/2')).text).toContain('Opted out');
  expect((await web.post('/inbox/2/decision', { stop: 'no' })).status).toBe(409);
  const [audited] = (await (await story.reader()).auditPage({ campaign: null, before: null, limit: 1 }))
    .entries;
  expect(audited).toMatchObject({ verb: 'add opt-outs', by: 'this machine', from: '127.0.0.1' });
});

test('all answers come as a CSV', async () => {
  const { text, headers } = await web.get('/inbox.csv');
  expect(headers['content-disposition']).toBe('attachment; filename="inbox.csv"');
  expect(text.split('\n')).toHaveLength(4);
  expect(text).toContain(`"=""${BEN}"""`);
});
