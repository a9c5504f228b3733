import { beforeAll, expect, test } from 'vitest';
import { LedgerStory } from '../support/ledger-story.ts';
import { WebHere } from '../support/web-here.ts';

let story: LedgerStory;
let web: WebHere;

beforeAll(async () => {
  story = await LedgerStory.begin();
  const n = await story.launch({ id: 'promo-1', name: 'black <b>friday</b>', messages: 10 });
  await story.claim();
  await story.record(n, { 1: { to: 'sent' }, 2: { to: 'sent' }, 3: { to: 'sent' }, 4: { to: 'sent' } });
  web = await WebHere.open(story.directory);
});

test('the list and the page of a campaign show it, and every text as text', async () => {
  await web.signIn();
  const list = await web.get('/campaigns');
  expect(list.status).toBe(200);
  expect(list.text).toContain('<a href="/campaigns/promo-1">black &lt;b&gt;friday&lt;/b&gt;</a>');
  expect(list.text).toContain('4 of 10');
  const one = await web.get('/campaigns/promo-1');
  expect(one.text).toContain('<dt>All people</dt><dd>10</dd>');
  expect(list.headers['content-security-policy']).toContain("default-src 'self'");
  expect((await web.get('/campaigns/other')).status).toBe(404);
});

test('without a session there is only the page that says how to get in', async () => {
  const stranger = web.stranger();
  for (const path of ['/', '/campaigns', '/campaigns/promo-1', '/nothing'])
    expect((await stranger.get(path)).status, path).toBe(401);
  expect((await stranger.get('/open?token=wrong')).status).toBe(401);
  expect((await stranger.get('/campaigns')).text).not.toContain('friday');
});

test('a form changes the language, and one of another site changes nothing', async () => {
  await web.signIn();
  const form = await web.post('/language', { language: 'sw', from: '/campaigns' });
  expect([form.status, form.headers['location']]).toEqual([303, '/campaigns']);
  expect((await web.get('/campaigns')).text).toContain('<html lang="sw">');
  expect((await web.post('/language', { language: 'en', _csrf: 'wrong' })).status).toBe(403);
  expect((await web.get('/campaigns')).text).toContain('<html lang="sw">');
  expect((await web.post('/language', { language: 'en', from: '//evil.example' })).headers['location']).toBe(
    '/campaigns',
  );
});

test('a route that does not say who may ask it does not start', async () => {
  expect(() => web.app.get('/late', () => 'x')).toThrow();
});
