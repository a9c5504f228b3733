import { beforeAll, expect, test } from 'vitest';
import { LedgerStory } from '../support/ledger-story.ts';
import { makeUser, signedIn, type WebBrowser } from '../support/web-browser.ts';
import { WebHere } from '../support/web-here.ts';

/* What a viewer sees of people on the pages about them: no full number, no download, and no button that changes anything. */

const ANN = '254711234561';
const BEN = '254722345672';
const NUMBERS = [ANN, BEN, '0711234561', '0722345672', '722 345 672'];
/** Forms that only look something up, or are of the viewer's own session. */
const HARMLESS = ['/find', '/optouts', '/language', '/sign-out'];

let web: WebHere;
let viewer: WebBrowser;
let operator: WebBrowser;

beforeAll(async () => {
  const story = await LedgerStory.begin();
  const rows = [
    { mobile: ANN, key: ANN, fields: ['0711234561', `Ann ${ANN}`] },
    { mobile: BEN, fields: ['0722345672', 'Ben'] },
  ];
  const n = await story.launch({ id: 'app-1', settings: { key: ['Phone'] }, rows });
  await story.claim();
  const question = { content: 'h', words: 'odd' };
  const raw = `{"to":"${BEN}"}`;
  const evidence = { httpStatus: 504, code: null, raw, words: `no route to ${BEN}`, question };
  await story.record(n, { 1: { to: 'sent', messageId: 'X-1' }, 2: { to: 'uncertain', evidence } });
  await story.report('X-1', 'undelivered', `absent ${ANN}`);
  await story.reply(ANN, `stop ${ANN}`, 'stop');
  await story.reply(BEN, 'msinitumie, call 0722 345 672', 'maybe_stop');
  await story.ledger.addOptOuts(
    [
      {
        mobile: BEN,
        source: 'operator' as const,
        by: 'ann',
        sender: 'OTHER',
        evidence: `called from ${BEN}`,
      },
    ],
    story.now,
  );
  await story.ledger.cancelPerson(n, { mobile: ANN, now: story.now, by: 'ann' });
  web = await WebHere.open(story.directory);
  await makeUser(web, 'vera', 'viewer');
  await makeUser(web, 'otto', 'operator');
  viewer = await signedIn(web, 'vera');
  operator = await signedIn(web, 'otto');
});

/** Where somebody lands who looks for a number. */
async function lookedUp(browser: WebBrowser, form: string, typed: Record<string, string>): Promise<string> {
  return (await browser.send(form, typed)).location ?? '';
}

async function pages(): Promise<string[]> {
  return [
    '/inbox',
    '/inbox/1',
    '/inbox/2',
    '/messages/app-1/1',
    '/messages/app-1/2',
    '/optouts',
    await lookedUp(viewer, '/optouts', { number: '0722 345 672' }),
    await lookedUp(viewer, '/find', { q: '0722 345 672' }),
    await lookedUp(viewer, '/find', { q: ANN }),
    await lookedUp(viewer, '/find', { q: 'app' }),
    '/decisions',
    '/webhooks/1',
    '/webhooks/2',
    '/audit',
    '/reminders',
    '/money',
    '/checks',
  ];
}

test('no page shows a full number to a viewer, in a text, an address or a field', async () => {
  for (const path of await pages()) {
    const { status, text } = await viewer.ask(path);
    expect([path, status]).toEqual([path, 200]);
    for (const number of NUMBERS) expect(`${path} ${text.includes(number)}`).toBe(`${path} false`);
  }
});

test('nor does what a page shows live', async () => {
  const { origin } = await web.listen();
  const cookie = [...viewer.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  const end = new AbortController();
  const { body } = await fetch(`${origin}/campaigns/app-1/live`, { headers: { cookie }, signal: end.signal });
  const reader = body?.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  while (!text.includes('live-past')) text += (await reader?.read())?.value ?? '';
  end.abort();
  expect(text).toContain('live-uncertain');
  for (const number of NUMBERS) expect(text).not.toContain(number);
});

test('no page offers a viewer a form that changes something, nor a file', async () => {
  for (const path of await pages()) {
    const { text } = await viewer.ask(path);
    const forms = [...text.matchAll(/<form[^>]*method="post"[^>]*action="([^"?]+)/g)].map(
      ([, action]) => action,
    );
    expect([path, forms.filter((action) => !HARMLESS.includes(action ?? ''))]).toEqual([path, []]);
    expect(text).not.toContain(' download>');
  }
  for (const file of ['/inbox.csv', '/optouts.csv', '/money.csv?by=day'])
    expect((await viewer.ask(file)).status, file).toBe(403);
});

test('an operator sees the number where the page is about it', async () => {
  for (const path of ['/inbox/1', '/messages/app-1/1'])
    expect((await operator.ask(path)).text, path).toContain(`+${ANN}`);
  expect((await operator.ask(await lookedUp(operator, '/find', { q: BEN }))).text).toContain(`+${BEN}`);
});

test('an address of one page opens no other, which would show what is sealed in it', async () => {
  const rows = Array.from({ length: 120 }, (_, at) => ({
    mobile: `2547990000${String(at).padStart(2, '0')}`.slice(0, 12),
    source: 'operator' as const,
    by: 'ann',
  }));
  await (await web.services.ledger()).addOptOuts(rows, web.services.clock.now());
  const list = (await viewer.ask('/optouts')).text;
  const [, place = ''] = /\/optouts\?after=([\w-]+)/.exec(list) ?? [];
  expect(place).not.toBe('');
  expect((await viewer.ask(`/find/${place}`)).status).toBe(404);
  // Nor does a search make a place, by which somebody could find out a number step by step.
  const made = (await lookedUp(viewer, '/find', { q: '["254799000050","opted out",""]' })).split('/')[2];
  const first = (await viewer.ask(`/optouts?after=${made}`)).text;
  const firstRow = (text: string) => /href="(\/optouts\/[\w-]+)"/.exec(text)?.[1];
  expect(firstRow(first)).toBe(firstRow(list));
});
