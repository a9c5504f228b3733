import { get } from 'node:http';
import { beforeAll, beforeEach, expect, test } from 'vitest';
import { LedgerStory, type Came } from '../support/ledger-story.ts';
import { makeUser, signedIn } from '../support/web-browser.ts';
import { WebHere } from '../support/web-here.ts';

let story: LedgerStory;
let web: WebHere;
let n: number;

beforeAll(async () => {
  story = await LedgerStory.begin();
  await story.readBalance(100_000_000);
  n = await story.launch({ id: 'agm-1', name: 'agm-notice', messages: 20, estimatedMicro: 16_000_000 });
  await story.claim();
  const came: Record<number, Came> = {};
  for (let seq = 1; seq <= 12; seq++) came[seq] = { to: 'sent' };
  for (let seq = 13; seq <= 15; seq++)
    came[seq] = { to: 'rejected', reason: 'service busy', retryHelps: true };
  came[16] = { to: 'rejected', reason: 'invalid mobile' };
  came[17] = {
    to: 'uncertain',
    reason: 'no answer',
    evidence: { httpStatus: 502, code: null, raw: '<b>gone</b>' },
  };
  for (let seq = 18; seq <= 20; seq++) came[seq] = { to: 'queued' };
  story.now += 1_000;
  await story.record(n, came);
  story.now += 4_000;
  for (let seq = 1; seq <= 10; seq++) await story.report(`m${n}-${seq}`, 'delivered');
  await story.report(`m${n}-11`, 'undelivered', 'AbsentSubscriber');
});

beforeEach(async () => {
  story.now += 60 * 60_000;
  web = await (await WebHere.open(story.directory, {}, story.now)).signIn();
});

/** The numbers of a `dl.parts`, and its total. */
function partsOf(text: string): { parts: number[]; all: number } {
  const list = /<dl class="parts">([\s\S]*?)<\/dl>/.exec(text)?.[1] ?? '';
  const numbers = [...list.matchAll(/<dd>([\d,]+)/g)].map(([, number]) =>
    Number(number?.replaceAll(',', '')),
  );
  return { parts: numbers.slice(0, -1), all: numbers.at(-1) ?? -1 };
}

const sumOf = (numbers: readonly number[]) => numbers.reduce((sum, each) => sum + each, 0);

test('the page of a campaign tells every message once, why messages failed, and what it cost', async () => {
  const { status, text } = await web.get('/campaigns/agm-1');
  expect(status).toBe(200);
  const { parts, all } = partsOf(text);
  expect(parts).toEqual([10, 1, 5, 1, 3]);
  expect(sumOf(parts)).toBe(all);
  expect(text).toContain('5 failed, and why');
  expect(text).toContain('AbsentSubscriber');
  expect(text).toContain('Retry 3');
  expect(text).toContain('<td class="n">10.40</td>');
  expect(text).toContain('<th scope="row">Network 1</th>');
  expect(text).not.toContain('lang="en">Absent');
  expect(text).not.toContain('<b>gone</b>');
});

test('the page is in Swahili for who asks for it', async () => {
  const { text } = await web.get('/campaigns/agm-1', { 'accept-language': 'sw' });
  expect(text).toContain('5 zimeshindwa, na kwa nini');
  expect(text).toContain('Unachoweza kufanya');
  expect(text).toContain('<span lang="en">AbsentSubscriber</span>');
  expect(text).toContain('<th scope="row">Mtandao 1</th>');
});

test('a pause is given at once, and the campaign goes on only for the number that was shown', async () => {
  expect((await web.post('/campaigns/agm-1/pause')).status).toBe(303);
  expect((await web.get('/campaigns/agm-1')).text).toContain('Paused by a person: 3 people wait');
  const asked = await web.get('/campaigns/agm-1/resume');
  expect(asked.text).toContain('name="shown" value="3"');
  const other = await web.post('/campaigns/agm-1/resume', { shown: '2' });
  expect(other.status).toBe(409);
  expect(other.text).toContain('It was 2, and is 3 now');
  expect((await story.ledger.campaign(n))?.state).toBe('paused');
  expect((await web.post('/campaigns/agm-1/resume', { shown: '3' })).headers['location']).toBe(
    '/campaigns/agm-1',
  );
  expect((await story.ledger.campaign(n))?.state).toBe('running');
  expect((await web.get('/campaigns/agm-1/resume')).status).toBe(409);
});

test('each order notes in the audit who gave it, and from where', async () => {
  const { entries } = await (await web.services.reader()).auditTrail({ campaign: n, limit: 50 });
  const resumed = entries.filter(({ verb }) => verb === 'resume');
  expect(resumed.map(({ by, from }) => [by, from])).toEqual([['this machine', '127.0.0.1']]);
});

test('a speed is checked as it is typed, and set', async () => {
  const wrong = await web.post('/campaigns/agm-1/rate', { limit: 'some', number: 'fast', unit: 's' });
  expect(wrong.status).toBe(422);
  expect(wrong.text).toContain('value="fast"');
  expect(wrong.text).toContain('aria-invalid="true"');
  await web.post('/campaigns/agm-1/rate', { limit: 'some', number: '30', unit: 'min' });
  expect((await story.ledger.campaign(n))?.settings.ratePerSecond).toBe(0.5);
});

test('uncertain messages that are old enough are sent again only for the number that was shown', async () => {
  const page = await web.get('/campaigns/agm-1/resolve?decision=not_sent');
  expect(page.text).toContain('Send 1 uncertain message again?');
  expect((await web.post('/campaigns/agm-1/resolve', { decision: 'not_sent', shown: '9' })).status).toBe(409);
  expect((await web.get('/campaigns/agm-1/uncertain')).text).toContain('&lt;b&gt;gone&lt;/b&gt;');
  const one = await web.get('/campaigns/agm-1/uncertain/17');
  expect(one.text).toContain('resolve?decision=not_sent&amp;seq=17');
  expect((await web.get('/campaigns/agm-1/uncertain/16')).status).toBe(404);
  expect((await web.get('/campaigns/agm-1/resolve?decision=sent&seq=16')).status).toBe(409);
  await web.post('/campaigns/agm-1/resolve', { decision: 'write_off', shown: '1', seq: '17' });
  const { messages } = await (await web.services.reader()).overview(n);
  expect([messages.uncertain, messages.written_off]).toEqual([1, 1]);
});

test('a retry sends what it helps, by the reason that was asked', async () => {
  expect((await web.get('/campaigns/agm-1/retry')).text).toContain('Retry 3 messages?');
  expect((await web.post('/campaigns/agm-1/retry', { shown: '4' })).status).toBe(409);
  expect((await web.post('/campaigns/agm-1/retry', { shown: '3', reason: 'service busy' })).status).toBe(303);
  expect((await (await web.services.reader()).overview(n)).messages.queued).toBe(6);
});

test('files are for operators, and hold what the page counts', async () => {
  const list = await web.get('/campaigns/agm-1/contacts.csv?state=rejected&reason=invalid%20mobile');
  expect(list.headers['content-disposition']).toBe('attachment; filename="contacts-agm-1.csv"');
  expect(list.text.trim().split('\n')).toHaveLength(2);
  expect((await web.get('/campaigns/agm-1/messages.csv')).text.trim().split('\n')).toHaveLength(21);
  expect((await web.get('/campaigns/agm-1/messages.xlsx')).text.slice(0, 2)).toBe('PK');
  expect((await web.get('/campaigns/agm-1/report.html')).text).toContain('agm-notice');
  expect((await web.get('/campaigns/agm-1/contacts.csv?state=none')).status).toBe(404);
});

test('the people of a campaign are listed by line, with covered numbers', async () => {
  const { text } = await web.get('/campaigns/agm-1/people');
  expect(text).toContain('href="/messages/agm-1/1"');
  expect(text).toContain('2547****0001');
  expect(text).not.toContain('254700000001');
});

test('the stream sends the parts of the page, and later only what has changed', async () => {
  const { origin, link } = await web.listen();
  const cookie = await cookieOf(link);
  const stream = await openStream(`${origin}/campaigns/agm-1/live`, cookie);
  const first = await stream.next();
  expect(first).toContain('hx-target="#live-numbers"');
  // The balance at the top follows the charges, too.
  expect(first).toMatch(/hx-target="#credit"[^>]*><p class="credit" id="credit">Balance <b>KES [\d,.]+<\/b>/);
  story.now += 1_000;
  await story.report(`m${n}-12`, 'delivered');
  const changed = await stream.next();
  expect(changed).toContain('<dd>11<small>');
  expect(changed).not.toContain('hx-target="#live-state"');
  stream.close();
});

test('a campaign is canceled only by its name, and by no more people than were shown', async () => {
  const page = await web.get('/campaigns/agm-1/cancel');
  expect(page.text).toContain('Cancel for 6 people');
  const wrong = await web.post('/campaigns/agm-1/cancel', { shown: '6', name: 'agm' });
  expect([wrong.status, wrong.text.includes('This is not the name of the campaign')]).toEqual([422, true]);
  expect((await web.post('/campaigns/agm-1/cancel', { shown: '5', name: 'agm-notice' })).status).toBe(409);
  expect((await story.ledger.campaign(n))?.state).toBe('running');
  expect((await web.post('/campaigns/agm-1/cancel', { shown: '6', name: 'agm-notice' })).status).toBe(303);
  expect((await story.ledger.campaign(n))?.state).toBe('canceled');
  const { parts, all } = partsOf((await web.get('/campaigns/agm-1')).text);
  expect(sumOf(parts)).toBe(all);
  expect((await web.get('/campaigns/agm-1/cancel')).status).toBe(409);
});

test('a viewer sees the page, and no button, no file and no full number', async () => {
  await makeUser(web, 'vera', 'viewer');
  const viewer = await signedIn(web, 'vera');
  const { status, text } = await viewer.ask('/campaigns/agm-1');
  expect(status).toBe(200);
  expect(text).not.toContain('action="/campaigns/agm-1/pause"');
  expect(text).not.toContain('messages.csv');
  expect((await viewer.ask('/campaigns/agm-1/uncertain')).text).not.toContain('254700000017');
  for (const path of ['messages.csv', 'contacts.csv?state=rejected', 'cancel'])
    expect((await viewer.ask(`/campaigns/agm-1/${path}`)).status, path).toBe(403);
});

async function cookieOf(link: string): Promise<string> {
  const answer = await fetch(link, { redirect: 'manual' });
  return answer.headers
    .getSetCookie()
    .map((cookie) => cookie.split(';')[0])
    .join('; ');
}

/** Reads the events of a stream one by one. */
async function openStream(
  address: string,
  cookie: string,
): Promise<{ next(): Promise<string>; close(): void }> {
  const answer = await new Promise<AsyncIterable<Buffer> & { destroy(): void }>((resolve) =>
    get(address, { headers: { cookie } }, resolve),
  );
  let text = '';
  const chunks = answer[Symbol.asyncIterator]();
  return {
    async next() {
      while (!text.includes('\n\n')) {
        const { value, done } = await chunks.next();
        if (done === true) throw new Error('the stream ended');
        text += value.toString();
      }
      const end = text.indexOf('\n\n');
      const event = text.slice(0, end);
      text = text.slice(end + 2);
      return event;
    },
    close: () => answer.destroy(),
  };
}
