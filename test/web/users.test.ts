import { beforeEach, expect, test } from 'vitest';
import { digestOf } from '../../src/campaign/people/secrets.ts';
import { makeTempDir } from '../support/temp-home.ts';
import { makeUser, signedIn, WebBrowser } from '../support/web-browser.ts';
import { WebHere } from '../support/web-here.ts';

let web: WebHere;
let admin: WebBrowser;
beforeEach(async () => {
  web = await WebHere.open(makeTempDir());
  await makeUser(web, 'peter', 'admin');
  admin = await signedIn(web, 'peter');
});

const audit = async () => {
  const { entries } = await (await web.services.reader()).auditTrail({ campaign: null, limit: 20 });
  return entries.slice(3).map(({ by, from, verb, detail }) => [by, from, verb, detail]);
};

test('an admin adds a user, whose link is shown once and sets the password', async () => {
  const added = await admin.send('/users/add', { name: ' Mary ', role: 'operator' });
  expect(added.status).toBe(200);
  const [, link = ''] = />(http:\/\/127\.0\.0\.1:8081\/password\?link=[\w-]{43})</.exec(added.text) ?? [];
  expect(link).not.toBe('');
  const list = (await admin.ask('/users')).text;
  expect(list).toContain('<a href="/users/of/mary">mary</a>');
  expect(list).toContain('waits, link until');
  expect(list).not.toContain('link=');
  const { pathname, search } = new URL(link);
  const mary = new WebBrowser(web);
  const set = await mary.send(
    '/password',
    { link: search.slice(6), password: 'seven small boats' },
    pathname + search,
  );
  expect(set.location).toBe('/campaigns');
  expect((await mary.ask('/users')).status).toBe(403);
  expect((await admin.ask('/users/of/mary')).text).toContain('<dd>set</dd>');
});

test.each([
  [{ name: 'mary mwangi', role: 'viewer' }, 'name', 'This is not a name'],
  [{ name: 'peter', role: 'viewer' }, 'name', 'This name is taken already'],
  [{ name: '<b>x</b>', role: 'viewer' }, 'name', 'This is not a name'],
  [{ name: 'mary', role: 'boss' }, 'viewer', 'Choose what it may do'],
])('%j is refused, and what was typed stays', async (fields, field, words) => {
  const { status, text } = await admin.send('/users/add', fields);
  expect(status).toBe(422);
  expect(text).toContain(`<li><a href="#${field}">${words}`);
  const typed = fields.name.replaceAll('<', '&lt;').replaceAll('>', '&gt;');
  expect(text).toContain(`name="name" value="${typed}"`);
  expect((await (await web.services.reader()).users()).length).toBe(1);
});

test('an admin changes a role, makes a link and removes a user, and the audit says who did it from where', async () => {
  await makeUser(web, 'mary', 'viewer');
  const mary = await signedIn(web, 'mary');
  const page = '/users/of/mary';
  expect((await admin.send(`${page}/role`, { role: 'operator' }, page)).location).toBe(page);
  expect((await mary.ask('/campaigns')).status).toBe(401);
  expect((await admin.send(`${page}/link`, {}, page)).text).toContain('A link for mary');
  const question = (await admin.ask(`${page}/remove`)).text;
  expect(question).toContain('<h1>Remove mary?</h1>');
  expect((await admin.send(`${page}/remove`, {}, `${page}/remove`)).location).toBe('/users');
  expect((await admin.ask(page)).status).toBe(404);
  const from = '127.0.0.1';
  expect((await audit()).slice(-3)).toEqual([
    ['peter', from, 'set_role', { user: 'mary', was: 'viewer', role: 'operator' }],
    ['peter', from, 'make_link', { user: 'mary' }],
    ['peter', from, 'remove_user', { user: 'mary' }],
  ]);
});

test('what asks about a user names the addresses of alerts that end, and they end', async () => {
  await makeUser(web, 'mary', 'admin');
  const mary = await signedIn(web, 'mary');
  await mary.send('/alerts/add', { url: 'https://chat.example.org/secret', paused: 'yes' });
  const page = '/users/of/mary';
  const shown = 'https://chat.example.org';
  expect((await admin.ask(page)).text).toMatch(
    new RegExp(`what the user added: ${shown}.*\\. A role below admin ends that`),
  );
  const question = (await admin.ask(`${page}/remove`)).text;
  expect(question).toContain(`It ends 1 address of alerts that the user added: ${shown}`);
  expect(question).not.toContain('secret');
  expect(await (await web.services.reader()).alertEndpoints()).toHaveLength(1);
  await admin.send(`${page}/remove`, {}, `${page}/remove`);
  expect(await (await web.services.reader()).alertEndpoints()).toEqual([]);
});

test('an admin signs a user out of every browser, and the user may sign in again', async () => {
  await makeUser(web, 'mary', 'viewer');
  const mary = await signedIn(web, 'mary');
  const page = '/users/of/mary';
  expect((await admin.send(`${page}/sign-out`, {}, page)).location).toBe(page);
  expect((await mary.ask('/campaigns')).status).toBe(401);
  await signedIn(web, 'mary', mary);
  expect((await mary.ask('/campaigns')).status).toBe(200);
});

test('nobody takes a role from herself, or removes herself', async () => {
  const page = '/users/of/peter';
  expect((await admin.ask(page)).text).not.toContain('<form class="form" action="/users/of/peter');
  for (const verb of ['role', 'link', 'sign-out', 'remove'])
    expect((await admin.send(`${page}/${verb}`, { role: 'viewer' }, '/users')).status, verb).toBe(409);
  expect((await admin.ask(`${page}/remove`)).status).toBe(409);
  expect(await (await web.services.reader()).user('peter')).toMatchObject({ role: 'admin' });
});

test('a token is made, shown once, used below /api, and removed', async () => {
  const wrong = await admin.send('/users/tokens/add', { name: 'billing', role: 'viewer', days: '0' });
  expect([wrong.status, wrong.text]).toEqual([422, expect.stringContaining('Give a whole number from 1')]);
  const made = await admin.send('/users/tokens/add', { name: 'billing', role: 'viewer', days: '90' });
  const [, token = ''] = /Authorization: Bearer (tuma_[\w-]{43})</.exec(made.text) ?? [];
  expect(token).not.toBe('');
  // What it prepares, whoever made it cannot approve.
  const reader = await web.services.reader();
  const owners = ['peter', (await reader.user('peter'))?.id];
  expect(await reader.token(digestOf(token))).toMatchObject({ addedBy: 'peter', owners });
  const list = (await admin.ask('/users')).text;
  expect(list).toContain('billing');
  expect(list).not.toContain('tuma_');
  const program = new WebBrowser(web);
  const ask = async () =>
    (await program.ask('/api/v1/nothing', { headers: { authorization: `Bearer ${token}` } })).status;
  expect(await ask()).toBe(404);
  const taken = await admin.send('/users/tokens/add', { name: 'billing', role: 'viewer', days: '90' });
  expect(taken.text).toContain('This name is taken already');
  await makeUser(web, 'joy', 'admin');
  const joy = await signedIn(web, 'joy');
  expect((await joy.ask('/users/of/peter/remove')).text).toContain(
    'It ends 1 token that the user made: billing.',
  );
  const path = '/users/tokens/of/billing/remove';
  expect((await admin.send(path, {})).location).toBe('/users');
  expect(await ask()).toBe(401);
});

test('an admin turns the rule of approval on and off, and the audit says so', async () => {
  const needed = async () => (await web.services.ledger()).approvalNeeded();
  expect((await admin.ask('/users')).text).toContain('Whoever prepares a campaign launches it, too.');
  expect((await admin.send('/users/approval', { on: 'yes' }, '/users')).location).toBe('/users');
  expect(await needed()).toBe(true);
  expect((await admin.ask('/users')).text).toContain('needs the yes of an approver');
  expect((await admin.ask('/users')).text).not.toContain('Nobody can say yes yet');
  await admin.send('/users/approval', { on: 'perhaps' }, '/users');
  expect(await needed()).toBe(true);
  await admin.send('/users/approval', { on: 'no' }, '/users');
  expect(await needed()).toBe(false);
  expect((await audit()).slice(-2)).toEqual([
    ['peter', '127.0.0.1', 'approval', { is: 'on' }],
    ['peter', '127.0.0.1', 'approval', { is: 'off' }],
  ]);
});

test('the pages speak Swahili, too', async () => {
  await admin.send('/language', { language: 'sw', from: '/users' }, '/users');
  expect((await admin.ask('/users')).text).toContain('<h1>Watumiaji</h1>');
  expect((await admin.ask('/users/add')).text).toContain('Ongeza, na utengeneze kiungo');
});
