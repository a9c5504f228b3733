import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { get, type IncomingMessage } from 'node:http';
import { expect, onTestFinished, test } from 'vitest';
import { postTo } from '../cli/posted.ts';
import { connectV2Env } from '../cli/v2-command-line.ts';
import { give, ID, MEDIA_PATH, startV2Server } from '../provider/account/v2-support.ts';
import { ApiHere } from '../support/api-here.ts';
import { LedgerStory } from '../support/ledger-story.ts';
import { waitFor } from '../support/wait-for.ts';
import { makeUser, signedIn } from '../support/web-browser.ts';
import { WebHere } from '../support/web-here.ts';

/* The file of a chat message, which a stranger sent. */

const PAGE = '<script>alert(1)</script>';

async function inboxWithFile(answer: Parameters<typeof startV2Server>[0]) {
  const service = await startV2Server(answer);
  const story = await LedgerStory.begin();
  await postTo(story, {
    event: 'whatsapp.message.received',
    id: ID,
    from: '254711000001',
    to: '254700999000',
    media_type: 'document',
    body: 'see this',
    media_url: 'http://evil.test/media',
    file_name: 'a"b\n.html',
    received_at: new Date(story.now).toISOString(),
  });
  const { TUMA_HOME: _home, ...env } = connectV2Env(service.url);
  return { story, service, env };
}

test('an operator gets the file as an attachment with a name of ours, and nothing of it stays; a viewer gets none', async () => {
  const { story, service, env } = await inboxWithFile(give(Buffer.from(PAGE)));
  const web = await WebHere.open(story.directory, env);
  await makeUser(web, 'otto', 'operator');
  await makeUser(web, 'vera', 'viewer');
  const otto = await signedIn(web, 'otto');
  expect((await otto.ask('/inbox/1')).text).toContain('href="/inbox/1/file"');
  const { status, text, headers } = await otto.ask('/inbox/1/file');
  expect([status, text]).toEqual([200, PAGE]);
  expect(headers).toMatchObject({
    'content-type': 'application/octet-stream',
    'content-disposition': `attachment; filename="${ID}.bin"`,
    'x-content-type-options': 'nosniff',
    'cache-control': 'no-store',
  });
  // The address comes from the id, whatever the webhook named.
  expect(service.requests).toEqual([`GET ${MEDIA_PATH}`]);
  expect(readdirSync(web.services.temporary.path)).toEqual([]);
  const vera = await signedIn(web, 'vera');
  expect((await vera.ask('/inbox/1')).text).not.toContain('/file');
  expect((await vera.ask('/inbox/1/file')).status).toBe(403);
});

test.each([
  [give({ message: 'Media not found' }, { status: 404 }), 404, 'has no file for this message', 'not_found'],
  [give({ message: 'Invalid API key' }, { status: 401 }), 422, 'refused the credentials', 'credentials'],
  [give(Buffer.alloc(3_000)), 502, 'larger than Tuma may download', 'provider_answer'],
  [give(Buffer.alloc(0)), 502, 'gave no whole file', 'provider_answer'],
])(
  'without a file the page says why in plain words, and the API too %#',
  async (answer, code, words, problem) => {
    const { story, env } = await inboxWithFile(answer);
    const web = await (await WebHere.open(story.directory, { ...env, TUMA_MEDIA_LIMIT: '1kB' })).signIn();
    const page = await web.get('/inbox/1/file');
    expect([page.status, page.headers['content-disposition']]).toEqual([code, undefined]);
    expect(page.text).toContain(words);
    const api = await ApiHere.open(story.directory, { ...env, TUMA_MEDIA_LIMIT: '1kB' });
    expect((await api.get('/inbox/1/file')).body).toMatchObject({ status: code, code: problem });
  },
);

test('a reply without a file has none, and without settings the page says so', async () => {
  const { story } = await inboxWithFile(give(Buffer.from('x')));
  await story.reply('254711000002', 'ok', null);
  const web = await (await WebHere.open(story.directory)).signIn();
  expect((await web.get('/inbox/1/file')).text).toContain('Files need settings that are missing');
  expect((await web.get('/inbox/2/file')).status).toBe(404);
  expect((await web.get('/inbox/9/file')).status).toBe(404);
});

test('four files that nobody reads are all that is open; who leaves makes room for the next one', async () => {
  // More than the connection holds on its way.
  const { story, env } = await inboxWithFile(give(Buffer.alloc(16 * 2 ** 20, 1)));
  const web = await WebHere.open(story.directory, env);
  const { origin, link } = await web.listen();
  const opened = await fetch(link, { redirect: 'manual' });
  const cookie = opened.headers.getSetCookie().map((each) => each.split(';', 1)[0]);
  const headers = { cookie: cookie.join('; ') };
  const ask = async () => {
    const request = get(`${origin}/inbox/1/file`, { headers, agent: false });
    const [answer] = (await once(request, 'response')) as [IncomingMessage];
    answer.on('error', () => undefined);
    onTestFinished(() => void answer.destroy());
    return answer;
  };
  const [first, ...others] = [await ask(), await ask(), await ask(), await ask()];
  expect([first, ...others].map(({ statusCode }) => statusCode)).toEqual([200, 200, 200, 200]);
  const refused = await ask();
  expect(refused.statusCode).toBe(503);
  first.destroy();
  await waitFor(async () => (await ask()).statusCode === 200, { what: 'room for the next one' });
});

test('no file is fetched into the last room of the disk, and nothing of it stays', async () => {
  const { story, env } = await inboxWithFile(give(Buffer.from(PAGE)));
  const web = await WebHere.open(story.directory, env);
  const { path } = web.services.temporary;
  Object.assign(web.services, { temporary: { path, freeBytes: 300 * 2 ** 20, close: () => undefined } });
  await web.signIn();
  const { status, text } = await web.get('/inbox/1/file');
  expect(status).toBe(503);
  expect(text).not.toContain(PAGE);
  expect(readdirSync(path)).toEqual([]);
});
