import { beforeAll, describe, expect, test } from 'vitest';
import { tuma } from '../cli/command-line.ts';
import { type LivedInHome, liveIn } from '../support/lived-in-home.ts';
import { WebHere } from '../support/web-here.ts';
import { type Looking, noBrowser, openWindow, type Window } from './browser.ts';
import { type Found, followLinks } from './crawl.ts';
import { chooseContacts, chooseTime, writeMessage } from './wizard.ts';

/* Every page that the router has, in a real browser, in a home in which much has happened. */

/** GET routes that answer no page of their own: files, parts of a page, streams, and ways to another page. */
const NO_PAGE = [
  /^\/($|open$|health$|metrics$|favicon\.svg$|openapi\.json$|assets\/|api\/)/,
  /\/(live|events|rejects|forecast|file)$|\.(csv|xlsx|html)$/,
  /^\/campaigns\/new\/:id$/,
];
/** Pages for who is not signed in. */
const OUTSIDE = ['/sign-in', '/password'];
/** Of one route so many addresses are looked at. */
const EACH = 2;
/** Against a test that hangs: a busy machine takes minutes for all pages. */
const LONG_MS = 600_000;
const PASSWORD = 'four plain words together';

let home: LivedInHome;
let web: WebHere;
let door: { origin: string; link: string };
let found: Found;
let cookies: Cookies;
let prepared: string;

type Cookies = Awaited<ReturnType<Window['context']['cookies']>>;

describe.skipIf(noBrowser !== null)('every page', () => {
  beforeAll(async () => {
    home = await liveIn();
    web = await WebHere.open(home.story.directory, home.env, home.story.now);
    door = await web.listen();
    prepared = await prepareOne();
    cookies = await signIn();
  });

  /** A campaign on the way to its launch. Answers where it stands. */
  async function prepareOne(): Promise<string> {
    const window = await openWindow(door.origin);
    await window.open(door.link);
    await chooseContacts(window, 'draft-of-december');
    await writeMessage(window, 'we wish you a good December.');
    await chooseTime(window);

    await window.page.getByRole('link', { name: 'Go on to the launch' }).waitFor();
    return window.page.url();
  }

  /** There are users and programs, too, and the one who looks at everything is an admin. */
  async function signIn(): Promise<Cookies> {
    const add = async (...args: string[]) =>
      JSON.parse((await tuma([...args, '--json'], home)).stdout) as { link: string };
    const { link } = await add('users', 'add', 'amina', '--role', 'admin');
    await add('users', 'add', 'peter', '--role', 'approver');
    await add('tokens', 'add', 'shop', '--role', 'viewer');
    const window = await openWindow(door.origin);
    const { pathname, search } = new URL(link);
    await window.open(`${pathname}${search}`);
    expect(await window.axe()).toEqual([]);
    await window.page.getByLabel('New password').fill(PASSWORD);
    await window.page.getByRole('button', { name: 'Keep this password and sign in' }).click();
    await window.page.waitForURL('**/campaigns');
    await removeOld(window);
    await tellProgram(window);
    return window.context.cookies();
  }

  /** Long work in its own process; nothing here is that old. */
  async function removeOld(window: Window): Promise<void> {
    await window.open('/purge');
    await window.page.getByLabel('Type the word to remove the data').fill('remove');
    await window.page.getByRole('button', { name: 'Remove the data of 0 messages' }).click();
    await window.page.getByRole('heading', { name: 'The data is removed' }).waitFor();
  }

  /** A program gets alerts. Its secret stands on the page that follows, once. */
  async function tellProgram(window: Window): Promise<void> {
    await window.open('/alerts/add');
    await window.page.getByLabel('Address').fill('https://hooks.example.org/x');
    await window.page.getByLabel('What is it?').fill('the chat of the office');
    await window.page.getByRole('button', { name: 'Add' }).click();
    await window.page.getByRole('heading', { name: 'The secret' }).waitFor();
    expect(await window.axe()).toEqual([]);
  }

  async function enter(looking: Looking): Promise<Window> {
    const window = await openWindow(door.origin, looking);
    await window.context.addCookies(cookies);
    return window;
  }

  /** What is wrong on each page, by its address. */
  async function wrongOn(window: Window, look: (window: Window) => Promise<string[]>) {
    const wrong: Record<string, string[]> = {};
    for (const path of [...found.pages.values()].flatMap((paths) => paths.slice(0, EACH))) {
      const status = await window.open(path);
      const seen = [
        ...(status === 200 ? [] : [`answers ${status}`]),
        ...window.wrong(),
        ...(await look(window)),
      ];
      window.forgive();
      if (seen.length > 0) wrong[path] = seen;
    }
    return wrong;
  }

  test('is reached by links from the first one', async () => {
    const window = await enter({});
    const { routes } = web;
    found = await followLinks(window, {
      starts: ['/campaigns', new URL(prepared).pathname],
      routes,
    });
    expect(found.dead).toEqual([]);
    const pages = routes.filter(
      ({ method, url }) => method === 'GET' && !NO_PAGE.some((each) => each.test(url)),
    );
    const missed = pages.map(({ url }) => url).filter((url) => !found.pages.has(url));
    expect(missed).toEqual(OUTSIDE);
  });

  test(
    'has nothing that axe finds, a whole order of Tab, and no error, at a desk',
    async () => {
      const window = await enter({ width: 1280 });
      const look = async () => [
        ...(await window.axe()),
        ...(await window.tooWide()),
        ...(await window.tabOrder()).wrong,
      ];
      expect(await wrongOn(window, look)).toEqual({});
    },
    LONG_MS,
  );

  test(
    'fits a phone in the dark, with targets for a finger',
    async () => {
      const window = await enter({ width: 360, scheme: 'dark' });
      const look = async () => [
        ...(await window.axe()),
        ...(await window.tooWide()),
        ...(await window.smallTargets(40)),
      ];
      expect(await wrongOn(window, look)).toEqual({});
    },
    LONG_MS,
  );

  test(
    'fits a phone in Swahili, whose words are longer',
    async () => {
      const window = await enter({ width: 360, language: 'sw' });
      const look = async () => {
        const language = await window.page.locator('html').getAttribute('lang');
        return [...(language === 'sw' ? [] : [`is in ${language}`]), ...(await window.tooWide())];
      };
      expect(await wrongOn(window, look)).toEqual({});
    },
    LONG_MS,
  );
});
