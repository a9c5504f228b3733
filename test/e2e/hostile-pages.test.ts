import { beforeAll, describe, expect, test } from 'vitest';
import { postTo } from '../cli/posted.ts';
import { HEADER_SPLIT, HOSTILE_TEXTS } from '../support/hostile-texts.ts';
import { type LivedInHome, liveIn } from '../support/lived-in-home.ts';
import { WebHere } from '../support/web-here.ts';
import { noBrowser, openWindow, type Window } from './browser.ts';
import { type Answered, type Found, followLinks } from './crawl.ts';

/* 200 texts that try to take over a page, in every place where somebody else's words stand, in a real browser. */

/** What a page has only where one of the texts became more than text. */
const TAKEN_OVER =
  'iframe, math, [src="x"], [onerror], [onload], [hx-get^="/CANARY"], [href^="javascript:"], script:not([src])';

/** Against a test that hangs: a busy machine takes minutes for all pages. */
const LONG_MS = 600_000;

let home: LivedInHome;
let web: WebHere;
let window: Window;
let found: Found;
const answers: Answered[] = [];

/** Every text once, and then again from the first. */
function hostileWording() {
  let next = 0;
  return { wording: () => HOSTILE_TEXTS[next++ % HOSTILE_TEXTS.length] ?? '', used: () => next };
}

describe.skipIf(noBrowser !== null)('texts of strangers, contacts, the provider and operators [X20]', () => {
  beforeAll(async () => {
    const { wording, used } = hostileWording();
    home = await liveIn({ wording });
    const { story } = home;
    await story.launch({ id: 'header01', name: `promo${HEADER_SPLIT}`, contacts: 'header01', messages: 1 });
    while (used() < HOSTILE_TEXTS.length)
      await postTo(story, {
        event: 'sms.received',
        mobile: '254712000099',
        shortcode: '1',
        message: wording(),
      });
    web = await WebHere.open(story.directory, home.env, story.now);
    const { origin, link } = await web.listen();
    window = await openWindow(origin);
    await window.open(link);
    const following = { starts: ['/campaigns'], routes: web.routes };
    found = await followLinks(window, { ...following, answered: (answer) => answers.push(answer) });
  });

  test(
    'are text on every page: none runs, asks for anything, or becomes an element',
    async () => {
      const asked: string[] = [];
      window.page.on('request', (request) => asked.push(request.url()));
      let shown = '';
      for (const path of [...found.pages.values()].flat()) {
        await window.open(path);
        expect(await window.page.locator(TAKEN_OVER).count(), path).toBe(0);
        expect(window.wrong(), path).toEqual([]);
        shown += await window.page.locator('body').innerText();
      }
      // Our own addresses may name a reason as a question.
      expect(asked.filter((url) => new URL(url).pathname.includes('CANARY'))).toEqual([]);
      // They were there at all.
      const shapes = [
        '<script>alert(',
        'onerror=alert(',
        '<svg onload=alert(',
        'hx-get="/CANARY',
        '{{constructor',
      ];
      expect(shapes.filter((shape) => !shown.includes(shape))).toEqual([]);
    },
    LONG_MS,
  );

  test('end no header, of a page or of a file [X24]', () => {
    for (const { path, headers } of answers) {
      expect(JSON.stringify(headers), path).not.toMatch(/stolen|x-split|CANARY/i);
      expect(headers['x-content-type-options'], path).toBe('nosniff');
    }
  });

  test('are in no line of the log [X25]', () => {
    expect(web.log.lines.filter((line) => line.includes('CANARY'))).toEqual([]);
  });
});
