import { beforeAll, describe, expect, test } from 'vitest';
import { type LivedInHome, liveIn } from '../support/lived-in-home.ts';
import { WebHere } from '../support/web-here.ts';
import { type Looking, noBrowser, openWindow, type Window } from './browser.ts';
import { type Found, followLinks } from './crawl.ts';

/* Every page that the router has, in a real browser, in a home in which much has happened. */

/** GET routes that answer no page of their own. */
const NO_PAGE = /^\/($|open$|health$|metrics$|favicon\.svg$|openapi\.json$|assets\/|api\/)|\/(live|events)$/;
/** Addresses that a form leads to. */
const BY_FORM: readonly string[] = [];

let home: LivedInHome;
let web: WebHere;
let door: { origin: string; link: string };
let found: Found;

describe.skipIf(noBrowser !== null)('every page', () => {
  beforeAll(async () => {
    home = await liveIn();
    web = await WebHere.open(home.story.directory, home.env, home.story.now);
    door = await web.listen();
  });

  async function enter(looking: Looking): Promise<Window> {
    const window = await openWindow(door.origin, looking);
    await window.open(door.link);
    return window;
  }

  /** What is wrong on each page, by its address. */
  async function wrongOn(window: Window, look: (window: Window) => Promise<string[]>) {
    const wrong: Record<string, string[]> = {};
    for (const path of [...found.pages.values()].flat()) {
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
    found = await followLinks(window, { starts: ['/campaigns', ...BY_FORM], routes });
    expect(found.dead).toEqual([]);
    const pages = routes.filter(({ method, url }) => method === 'GET' && !NO_PAGE.test(url));
    const missed = pages.map(({ url }) => url).filter((url) => !found.pages.has(url));
    expect(missed).toEqual([]);
  });

  test('has nothing that axe finds, a whole order of Tab, and no error, at a desk', async () => {
    const window = await enter({ width: 1280 });
    const look = async () => [
      ...(await window.axe()),
      ...(await window.tooWide()),
      ...(await window.tabOrder()).wrong,
    ];
    expect(await wrongOn(window, look)).toEqual({});
  });

  test('fits a phone in the dark, with targets for a finger', async () => {
    const window = await enter({ width: 360, scheme: 'dark' });
    const look = async () => [
      ...(await window.axe()),
      ...(await window.tooWide()),
      ...(await window.smallTargets(40)),
    ];
    expect(await wrongOn(window, look)).toEqual({});
  });
});
