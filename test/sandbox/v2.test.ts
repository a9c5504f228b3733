import { describe, expect, it } from 'vitest';
import { MEDIA_NAMES, SAMPLE_MEDIA } from '../../src/sandbox/api/sample-media.ts';
import { start, type Started } from './start.ts';
import { webhook } from './webhook.ts';
import { KEY, post, SECRET, send } from './wire.ts';

const TOKEN = 'token-1';
const CREDITS = '/api/v2/account/credits';
const basic = (text: string) => ({ authorization: `Basic ${Buffer.from(text).toString('base64')}` });

async function get(
  sandbox: Started,
  { path = CREDITS, headers = {} }: { path?: string; headers?: object } = {},
) {
  const response = await fetch(`${sandbox.url}${path}`, { headers: { ...headers }, redirect: 'manual' });
  return { status: response.status, type: response.headers.get('content-type'), text: await response.text() };
}

const RIGHT: [string, { path?: string; headers?: object }][] = [
  ['bearer', { headers: { authorization: `Bearer ${TOKEN}` } }],
  ['two headers', { headers: { 'x-api-key': KEY, 'x-api-secret': SECRET } }],
  ['basic', { headers: basic(`${KEY}:${SECRET}`) }],
  ['query', { path: `${CREDITS}?apikey=${TOKEN}` }],
];

const WRONG: [string, { path?: string; headers?: object }][] = [
  ['nothing', {}],
  ['another token', { headers: { authorization: 'Bearer other' } }],
  ['the secret as a token', { headers: { authorization: `Bearer ${SECRET}` } }],
  ['an empty bearer', { headers: { authorization: 'Bearer' } }],
  ['one header', { headers: { 'x-api-key': KEY } }],
  ['a wrong secret', { headers: { 'x-api-key': KEY, 'x-api-secret': 'other' } }],
  ['a wrong password', { headers: basic(`${KEY}:other`) }],
  ['basic without a colon', { headers: basic(KEY) }],
  ['another scheme', { headers: { authorization: `Digest ${TOKEN}` } }],
  ['a wrong query', { path: `${CREDITS}?apikey=other` }],
  ['the key in the query', { path: `${CREDITS}?apikey=${KEY}` }],
  [
    'a wrong bearer beside a right query',
    { path: `${CREDITS}?apikey=${TOKEN}`, headers: { authorization: 'Bearer x' } },
  ],
];

describe('the v2 API', () => {
  it.each(RIGHT)('tells the credit to %s', async (_, request) => {
    const sandbox = await start({ apiToken: TOKEN });
    await send(sandbox.url);
    const { status, text } = await get(sandbox, request);
    expect({ status, body: JSON.parse(text) as unknown }).toEqual({
      status: 200,
      body: { status: 'success', data: { credits: '9999.20' } },
    });
  });

  it.each(WRONG)('refuses %s with 401 and the body of API document 7', async (_, request) => {
    const sandbox = await start({ apiToken: TOKEN });
    const { status, text } = await get(sandbox, request);
    expect(status).toBe(401);
    expect(text).toBe('{"status":"error","message":"Invalid API key or secret"}');
  });

  it('refuses a token that has expired, and takes the new one; key and secret go on', async () => {
    const sandbox = await start({ apiToken: TOKEN });
    const bearer = (token: string) => get(sandbox, { headers: { authorization: `Bearer ${token}` } });
    const set = (token: unknown) => post(`${sandbox.url}/sandbox/token`, JSON.stringify({ token }));
    for (const wrong of [7, '']) expect((await set(wrong)).status).toBe(400);
    await set('token-2');
    expect((await bearer(TOKEN)).status).toBe(401);
    expect((await bearer('token-2')).status).toBe(200);
    await set(null);
    expect((await bearer('token-2')).status).toBe(401);
    expect((await get(sandbox, { headers: basic(`${KEY}:${SECRET}`) })).status).toBe(200);
  });

  it('has no valid token where none was given', async () => {
    const sandbox = await start();
    for (const token of ['null', 'undefined', ''])
      expect((await get(sandbox, { path: `${CREDITS}?apikey=${token}` })).status).toBe(401);
  });

  it.each([...MEDIA_NAMES])('serves %s to the owner of its record', async (media) => {
    const { url } = await webhook();
    const sandbox = await start({ apiToken: TOKEN, webhookUrl: url });
    const event = 'whatsapp.message.received';
    const wrote = await post(
      `${sandbox.url}/sandbox/inbound`,
      JSON.stringify({ event, mobile: '254712345678', media }),
    );
    const path = (wrote.body.posted as { media_url: string }).media_url;
    await expect.poll(() => sandbox.stats().inbound.taken).toBe(1);
    const headers = { authorization: `Bearer ${TOKEN}` };
    expect((await get(sandbox, { path })).status).toBe(401);
    const response = await fetch(`${sandbox.url}${path}`, { headers });
    expect(response.headers.get('content-type')).toBe(SAMPLE_MEDIA[media].mimeType);
    expect(Buffer.from(await response.arrayBuffer()).equals(SAMPLE_MEDIA[media].bytes)).toBe(true);
  });

  it.each([
    ['/api/v2/messages/whatsapp/6d1f2a70-0000-4000-8000-000000000000/media', 404],
    ['/api/v2/messages/whatsapp/../../x/media', 404],
    ['/api/v2/nothing', 404],
  ])('has nothing at %s', async (path, status) => {
    const sandbox = await start({ apiToken: TOKEN });
    expect((await get(sandbox, { path, headers: { authorization: `Bearer ${TOKEN}` } })).status).toBe(status);
  });

  it('only reads', async () => {
    const sandbox = await start({ apiToken: TOKEN });
    expect((await post(`${sandbox.url}${CREDITS}?apikey=${TOKEN}`, '{}')).status).toBe(405);
  });
});
