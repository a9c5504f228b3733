import fastify from 'fastify';
import { expect, onTestFinished, test } from 'vitest';
import { linkForUser } from '../../src/campaign/people/users.ts';
import { signInPath } from '../../src/campaign/people/sessions.ts';
import { makeTempDir } from '../support/temp-home.ts';
import { makeUser } from '../support/web-browser.ts';
import { WebHere } from '../support/web-here.ts';
import { type Looking, noBrowser, openWindow, type Window, WIDTHS } from './browser.ts';

const PASSWORD = 'nine small boats';

/** The pages of an office with an admin and a viewer, whose links wait. */
async function office() {
  const web = await WebHere.open(makeTempDir());
  await makeUser(web, 'peter', 'admin');
  await makeUser(web, 'vera', 'viewer');
  const { origin } = await web.listen();
  const linkOf = async (name: string) => {
    const change = { now: web.services.clock.now(), by: 'operator otto' };
    const { secret } = await linkForUser({ ledger: await web.services.ledger(), change, name });
    return signInPath(secret);
  };
  return { web, origin, linkOf };
}

/** A good page: for everybody's eyes and hands, at this width. */
async function expectGood(window: Window): Promise<void> {
  expect(await window.axe()).toEqual([]);
  expect(await window.tooWide()).toEqual([]);
  const isPhone = window.page.viewportSize()?.width === WIDTHS.phone;
  if (isPhone) expect(await window.smallTargets(40)).toEqual([]);
  // A page that refuses has the focus at what is wrong, not at its top.
  if ((await window.page.locator('[autofocus]').count()) > 0) return;
  expect((await window.tabOrder()).wrong).toEqual([]);
}

/** A browser notes a page that says 401 or 422 as an error. */
function expectOnlyRefusals(window: Window): void {
  expect(window.wrong().filter((each) => !/status of 4\d\d/.test(each))).toEqual([]);
}

test.skipIf(noBrowser !== null).each([
  { width: WIDTHS.desk, scheme: 'light' },
  { width: WIDTHS.phone, scheme: 'dark', language: 'sw' },
  { width: WIDTHS.phone, javaScript: false },
] satisfies Looking[])('somebody sets a password by a link and signs in (%j)', async (looking: Looking) => {
  const { origin, linkOf } = await office();
  const window = await openWindow(origin, looking);
  const { page } = window;
  const looksGood = looking.javaScript === false ? async () => undefined : () => expectGood(window);
  expect(await window.open('/campaigns')).toBe(401);
  await looksGood();
  expect(await window.open(await linkOf('vera'))).toBe(200);
  await looksGood();
  await page.fill('#password', 'weak');
  await page.click('button.primary');
  await page.waitForSelector('[aria-invalid="true"]');
  await looksGood();
  await page.fill('#password', PASSWORD);
  await Promise.all([page.waitForURL('**/campaigns'), page.click('button.primary')]);
  expect(await window.open('/users')).toBe(403);
  expect(await window.open('/me')).toBe(200);
  await looksGood();
  await Promise.all([
    page.waitForURL('**/sign-in'),
    page.click('form[action="/sign-out-everywhere"] button'),
  ]);
  await page.fill('#user', 'vera');
  await page.fill('#password', 'wrong');
  await page.click('button.primary');
  await page.waitForSelector('[role="alert"]');
  await looksGood();
  expect(await page.inputValue('#user')).toBe('vera');
  await page.fill('#password', PASSWORD);
  await Promise.all([page.waitForURL('**/campaigns'), page.click('button.primary')]);
  expectOnlyRefusals(window);
});

test.skipIf(noBrowser !== null)(
  'a link of another site leads to the page, for who is signed in',
  async () => {
    const { origin, linkOf } = await office();
    const other = fastify().get('/', (_request, reply) =>
      reply.type('text/html').send(`<!doctype html><title>Mail</title><a href="${origin}/me">Look</a>`),
    );
    onTestFinished(() => other.close());
    const { port } = new URL(await other.listen({ host: '127.0.0.1', port: 0 }));
    const { page } = await openWindow(origin);
    await page.goto(await linkOf('vera'));
    await page.fill('#password', PASSWORD);
    await Promise.all([page.waitForURL('**/campaigns'), page.click('button.primary')]);
    // Another name of this machine is another site.
    await page.goto(`http://localhost:${port}/`);
    await page.click('a');
    await page.waitForURL('**/me');
    expect(await page.locator('h1').textContent()).toBe('vera');
  },
);

test.skipIf(noBrowser !== null).each([WIDTHS.desk, WIDTHS.phone])(
  'an admin adds a user and a token, and takes both back (%i pixels)',
  async (width) => {
    const { web, origin, linkOf } = await office();
    const window = await openWindow(origin, { width });
    const { page } = window;
    await window.open(await linkOf('peter'));
    await page.fill('#password', PASSWORD);
    await Promise.all([page.waitForURL('**/campaigns'), page.click('button.primary')]);
    await window.open('/users');
    await expectGood(window);
    await page.click('a.primary');
    await expectGood(window);
    await page.fill('#name', 'mary');
    await page.check('#operator');
    await page.click('button.primary');
    await page.waitForSelector('#secret');
    await expectGood(window);
    expect(await page.inputValue('#secret')).toMatch(/\/password\?link=[\w-]{43}$/);
    await window.open('/users/of/mary');
    await expectGood(window);
    await page.click('a.danger');
    await expectGood(window);
    await Promise.all([page.waitForURL('**/users'), page.click('button.danger')]);
    await window.open('/users/tokens/add');
    await page.fill('#name', 'billing');
    await page.check('#viewer');
    await page.click('button.primary');
    await page.waitForSelector('#secret');
    expect(await page.inputValue('#secret')).toMatch(/^Authorization: Bearer tuma_[\w-]{43}$/);
    await window.open('/users/tokens/of/billing/remove');
    await expectGood(window);
    await Promise.all([page.waitForURL('**/users'), page.click('button.danger')]);
    const reader = await web.services.reader();
    expect((await reader.users()).map(({ name }) => name)).toEqual(['peter', 'vera']);
    expect(await reader.tokens()).toEqual([]);
    expect(window.wrong()).toEqual([]);
  },
);
