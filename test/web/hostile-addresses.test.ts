import { beforeAll, expect, test } from 'vitest';
import { HEADER_SPLIT, HOSTILE_TEXTS } from '../support/hostile-texts.ts';
import { LedgerStory } from '../support/ledger-story.ts';
import { type WebAnswer, WebHere } from '../support/web-here.ts';

/* What somebody types as an address, or sends in place of a form: an answer repeats it as text or not at all. */

/** One of each shape, what would end a header, and what nobody expects in an address. */
const TEXTS = [
  ...HOSTILE_TEXTS.slice(0, 10),
  HEADER_SPLIT,
  '../../../etc/passwd',
  '%00',
  '__proto__',
  '-1',
  '1e999',
  '',
  '🎄'.repeat(500),
];
/** A form may cost a password's time each. */
const FEW = [...HOSTILE_TEXTS.slice(0, 2), ...HOSTILE_TEXTS.slice(8, 10), HEADER_SPLIT, '__proto__'];
/** What pages take from the question mark on. */
const QUESTIONS = [
  'q',
  'before',
  'after',
  'page',
  'state',
  'name',
  'from',
  'to',
  'token',
  'link',
  'month',
  'day',
];
const FIELDS = [...QUESTIONS, 'reason', 'mobile', 'text', 'role', 'count', 'rate', 'budget', 'sender'];
/** A part of a text that would be an element. */
const TAKEN_OVER = /<(script|img|svg|iframe|math|a href="javascript|b hx-get)[^>]*(CANARY|onerror|onload)/;
/** Streams never end. */
const STREAM = /\/(live|events)$/;

let web: WebHere;

beforeAll(async () => {
  const story = await LedgerStory.begin();
  await story.launch({ id: 'promo001', messages: 2 });
  web = await WebHere.open(story.directory);
});

let visitors = 0;

/** Each comes from an address of its own, for one that asks a thousand times is refused. */
function visitor(): Promise<WebHere> {
  visitors += 1;
  return web.stranger(`127.1.${visitors >> 8}.${visitors & 255}`).signIn();
}

const routesOf = (wanted: string) =>
  web.routes.filter(({ method, url }) => method === wanted && !STREAM.test(url));

/** The sign-in lets nobody try often, wherever they are. */
const THROTTLED = ['/sign-in'];
const TOO_MANY = 429;

function addressOf(url: string, text: string): string {
  const question = QUESTIONS.map((name) => `${name}=${encodeURIComponent(text)}`).join('&');
  return `${url.replaceAll(/:\w+|\*/g, encodeURIComponent(text) || 'x')}?${question}`;
}

/** What is wrong with an answer; null: nothing. */
function wrongWith(url: string, { status, text, headers }: WebAnswer): string | null {
  if (status >= 500 || (status === TOO_MANY && !THROTTLED.includes(url))) return `answers ${status}`;
  if (TAKEN_OVER.test(text)) return 'repeats it as more than text';
  return /stolen|x-split/i.test(JSON.stringify(headers)) ? 'ends a header with it' : null;
}

/** What is wrong with the answers of each route, with the text that made it so. */
async function wrongOf(
  { method, texts }: { method: string; texts: readonly string[] },
  ask: (browser: WebHere, address: string, text: string) => Promise<WebAnswer>,
) {
  const wrong: string[] = [];
  for (const { url } of routesOf(method)) {
    const browser = await visitor();
    for (const text of texts) {
      const problem = wrongWith(url, await ask(browser, addressOf(url, text), text));
      if (problem !== null) wrong.push(`${method} ${url} ${problem}: ${text.slice(0, 60)}`);
    }
  }
  return wrong;
}

test('an address of hostile words gets a whole answer that is no page of theirs [X20] [X24]', async () => {
  expect(await wrongOf({ method: 'GET', texts: TEXTS }, (browser, address) => browser.get(address))).toEqual(
    [],
  );
});

test('a form of hostile words gets a whole answer that is no page of theirs [X20] [X24]', async () => {
  const fieldsOf = (text: string) => Object.fromEntries(FIELDS.map((name) => [name, text]));
  const post = (browser: WebHere, address: string, text: string) => browser.post(address, fieldsOf(text));
  expect(await wrongOf({ method: 'POST', texts: FEW }, post)).toEqual([]);
});
