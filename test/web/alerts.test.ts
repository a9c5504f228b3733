import { beforeEach, expect, test } from 'vitest';
import { CHOSEN_CAUSES } from '../../src/domain/alert.ts';
import { sayFinding } from '../../src/reports/health.ts';
import { health } from '../../src/web/words/en/health.ts';
import { alertReceiver, signedBy } from '../support/alert-receiver.ts';
import { makeTempDir } from '../support/temp-home.ts';
import { makeUser, signedIn, type WebBrowser } from '../support/web-browser.ts';
import { WebHere } from '../support/web-here.ts';

let web: WebHere;
let admin: WebBrowser;
beforeEach(async () => {
  web = await WebHere.open(makeTempDir(), {
    TUMA_ALERT_URL: 'https://hooks.example.org/SETTINGSECRET',
    TUMA_ALERT_SECRET: `whsec_${'A'.repeat(43)}=`,
    TUMA_ALERT_MAIL: 'ops@example.org',
    TUMA_SMTP_URL: 'smtps://user:MAILSECRET@mail.example.org',
  });
  await makeUser(web, 'peter', 'admin');
  admin = await signedIn(web, 'peter');
});

const ADD = '/alerts/add';
const everything = Object.fromEntries(CHOSEN_CAUSES.map((cause) => [cause, 'yes']));
const endpoints = async () => (await web.services.reader()).alertEndpoints();
const secretOf = (text: string) => />(whsec_[A-Za-z0-9+/=]+)</.exec(text)?.[1] ?? '';

test('an admin adds an address, sees its secret once, tests it, and removes it', async () => {
  const { url, posts } = await alertReceiver();
  const added = await admin.send(ADD, { url, description: 'the chat', ...everything }, ADD);
  const secret = secretOf(added.text);
  const [row] = await endpoints();
  expect(row).toMatchObject({ url, description: 'the chat', causes: null, addedBy: 'peter' });
  const page = `/alerts/of/${row?.id}`;
  const tested = await admin.send(`${page}/test`, {}, page);
  expect(tested.text).toContain('The test was taken');
  expect(posts.map((post) => signedBy(secret, post))).toMatchObject([{ type: 'tuma.test' }]);
  const list = (await admin.ask('/alerts')).text;
  expect(list).toContain('the chat');
  expect(list).toContain('everything');
  for (const hidden of [secret, 'PATHSECRET', 'QUERYSECRET', 'SETTINGSECRET', 'MAILSECRET'])
    expect(list + tested.text).not.toContain(hidden);
  expect(list).toContain('https://hooks.example.org/…');
  expect(list).toContain('ops@example.org');
  const renewed = await admin.send(`${page}/secret`, {}, page);
  expect(secretOf(renewed.text)).not.toBe(secret);
  expect((await admin.send(`${page}/remove`, {}, `${page}/remove`)).location).toBe('/alerts');
  expect(await endpoints()).toEqual([]);
  expect((await admin.ask(page)).status).toBe(404);
});

test('a test that is not taken says why', async () => {
  const { url } = await alertReceiver((response) => response.writeHead(404).end());
  await admin.send(ADD, { url, paused: 'yes' }, ADD);
  const [row] = await endpoints();
  expect(row?.causes).toEqual(['paused']);
  const page = `/alerts/of/${row?.id}`;
  const tested = (await admin.send(`${page}/test`, {}, page)).text;
  expect(tested).toContain('The test was not taken');
  expect(tested).toContain('it answered 404');
});

test.each([
  [{ url: 'http://example.org/', paused: 'yes' }, 'url', 'The address must begin with https://'],
  [{ url: 'https://a:b@example.org/', paused: 'yes' }, 'url', 'must not hold a user'],
  [{ url: 'https://example.org/' }, 'paused', 'Choose at least one thing'],
  [
    { url: 'https://example.org/', description: 'x'.repeat(101), paused: 'yes' },
    'description',
    'At most 100',
  ],
])('%j is refused, and what was typed stays', async (fields, field, words) => {
  const { status, text } = await admin.send(ADD, fields, ADD);
  expect(status).toBe(422);
  expect(text).toContain(`<a href="#${field}">`);
  expect(text).toContain(words);
  expect(text).toContain(`value="${fields.url}"`);
  expect(await endpoints()).toEqual([]);
});

test('the checks of doctor and Health name where alerts go, and what did not take its last one', async () => {
  const found = async () => {
    const { findings } = await web.services.health();
    const finding = findings.find(({ name }) => name === 'alerts');
    if (finding === undefined) throw new Error('alerts are not looked at');
    return { state: finding.state, ...sayFinding(health.findings, finding, (text) => text) };
  };
  const { url } = await alertReceiver((response) => response.writeHead(500).end());
  const shown = `${new URL(url).origin}/…`;
  await admin.send(ADD, { url, paused: 'yes' }, ADD);
  expect(await found()).toMatchObject({
    state: 'ok',
    detail: `by 2 ways of the settings, and to ${shown}`,
  });
  const page = `/alerts/of/${(await endpoints())[0]?.id}`;
  await admin.send(`${page}/test`, {}, page);
  expect(await found()).toMatchObject({
    state: 'warn',
    detail: `${shown} did not take the last one: it answered 500`,
  });
});
