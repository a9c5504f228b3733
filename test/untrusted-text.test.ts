import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http';
import { createConnection } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { beforeAll, expect, test } from 'vitest';
import { openReaderHere } from './support/ledger-here.ts';
import { startReportLoop } from '../src/campaign/inbound/webhook-loop.ts';
import { resolveConfig } from '../src/config/config.ts';
import { openServices } from '../src/runtime/services.ts';
import { webhookReading } from '../src/runtime/profile-settings.ts';
import { systemClock } from '../src/system/clock.ts';
import { MemoryLog } from './collector/fake-store.ts';
import { HEADER_SPLIT, HOSTILE_TEXTS } from './support/hostile-texts.ts';
import { LedgerStory } from './support/ledger-story.ts';
import { makeTempDir } from './support/temp-home.ts';
import { waitFor } from './support/wait-for.ts';

/*
 * What strangers wrote, and the files that they sent, at the two doors that a browser can reach: those of the collector
 * and of the metrics. Both run as `tuma serve` starts them.
 */

const TOKEN = 'ab12cd34ef56gh78ij90kl';
const ID = 'a81b0f3e-6c2d-4b7a-9f10-5d3e7c9b1a24';

/** Whatever of them would show in an answer. */
const TOLD = /CANARY|alert|onerror/;

const OWN_POLICY =
  "default-src 'self';base-uri 'none';form-action 'self';frame-ancestors 'none';object-src 'none'";

/** The headers of Tuma's answers. */
const ORDINARY = new Set([
  'cache-control',
  'connection',
  'content-length',
  'content-security-policy',
  'content-type',
  'date',
  'keep-alive',
  'x-content-type-options',
  // Of the pages.
  'cross-origin-opener-policy',
  'cross-origin-resource-policy',
  'origin-agent-cluster',
  'referrer-policy',
  'set-cookie',
  'x-dns-prefetch-control',
  'x-download-options',
  'x-frame-options',
  'x-permitted-cross-domain-policies',
  'x-ratelimit-limit',
  'x-ratelimit-remaining',
  'x-ratelimit-reset',
  'x-xss-protection',
]);

interface Answer {
  status: number | undefined;
  headers: IncomingHttpHeaders;
  body: string;
}

let doors: { collector: string; metrics: string };
let story: LedgerStory;
let mediaFolder: string;

beforeAll(async () => {
  story = await LedgerStory.begin();
  await story.launch({
    id: 'open-2',
    name: `promo${HEADER_SPLIT}`,
    account: `a${HEADER_SPLIT}`,
    messages: 1,
  });
  const home = story.directory;
  mediaFolder = makeTempDir();
  const env = {
    TUMA_HOME: home,
    TUMA_PORT: '0',
    TUMA_DASHBOARD_PORT: '0',
    TUMA_WEBHOOK_TOKEN: TOKEN,
  };
  const services = await openServices(resolveConfig({ cwd: home, env }), new MemoryLog());
  const running = await services.startRoles({ roles: ['collector', 'web'], patient: false });
  doors = { collector: running.collectorUrl ?? '', metrics: running.webUrl ?? '' };
  return async () => {
    await running.stop();
    await services.dispose();
  };
});

/** As a browser would; unlike fetch it sends any path and any Host. */
async function ask(door: string, path: string, how: { host?: string; body?: string } = {}): Promise<Answer> {
  const { hostname, port } = new URL(door);
  const method = how.body === undefined ? 'GET' : 'POST';
  const headers = how.host === undefined ? {} : { host: how.host };
  const asked = request({ host: hostname, port, path, method, headers }).end(how.body);
  const [answer] = (await once(asked, 'response')) as [IncomingMessage];
  return { status: answer.statusCode, headers: answer.headers, body: await text(answer) };
}

/** No page, or one of our own without a session, whose policy runs nothing that stands in it. */
function expectInert({ headers }: Answer, what: string): void {
  expect(headers['x-content-type-options'], what).toBe('nosniff');
  if (headers['content-type']?.startsWith('text/html')) {
    expect(headers['content-security-policy'], what).toBe(OWN_POLICY);
    return;
  }
  expect(headers['content-type'], what).toMatch(/^(text\/plain|application\/json)\b/);
  expect(headers['content-security-policy'], what).toBe("default-src 'none'; sandbox");
}

test('names of campaigns, senders and replies do not come out of the metrics [X20]', async () => {
  const [first = '', second = '', third = ''] = [HOSTILE_TEXTS[0], HOSTILE_TEXTS[30], HOSTILE_TEXTS[55]];
  await story.launch({ id: 'open-1', name: first, account: second, messages: 1 });
  const reader = await openReaderHere(story.file);
  const log = new MemoryLog();
  const { parse, wishOf } = webhookReading(resolveConfig({ cwd: '/', env: {} }));
  const loop = startReportLoop({ clock: systemClock, ledger: story.ledger, log }, { parse, wishOf });
  const reply = { event: 'sms.received', mobile: '254700000001', shortcode: second, message: third };
  await ask(doors.collector, `/webhooks/${TOKEN}`, { body: JSON.stringify(reply) });
  await waitFor(
    async () => {
      loop.wake();
      return (await reader.webhookCounts()).new === 0;
    },
    { what: 'the webhooks to be read' },
  );
  await loop.stop();
  await reader.close();
  const answer = await ask(doors.metrics, '/metrics');
  expectInert(answer, '/metrics');
  expect(answer.body).toContain('tuma_campaign_messages{campaign="open-1",state="queued"} 1\n');
  expect(answer.body).toContain('tuma_webhooks{kind="reply"} 1\n');
  expect(answer.body).not.toMatch(TOLD);
});

test('what people wrote is in no answer of either door to somebody unknown [X20]', async () => {
  for (const payload of HOSTILE_TEXTS) {
    const name = encodeURIComponent(payload);
    const [plain] = payload.replaceAll(/[^!-~]/g, '+').split('\n');
    const asks: [door: string, path: string, how?: { host?: string; body?: string }][] = [
      [doors.collector, `/webhooks/${TOKEN}?mobile=254712345678&text=${name}`],
      [doors.collector, `/webhooks/${TOKEN}`, { body: JSON.stringify({ mobile: payload, text: payload }) }],
      ...Object.values(doors).flatMap((door): [string, string, { host?: string }?][] => [
        [door, `/${name}`],
        [door, `/${plain}`],
        [door, `/%zz${plain}`],
        [door, `/metrics?${plain}`, { host: plain ?? '' }],
      ]),
    ];
    // Together: one after the other they take longer than a test may where the machine is busy.
    const answers = await Promise.all(asks.map(([door, path, how]) => ask(door, path, how)));
    for (const [index, answer] of answers.entries()) {
      const path = asks[index]?.[1] ?? '';
      expectInert(answer, path);
      expect(answer.body, path).not.toMatch(TOLD);
      if (path.startsWith('/webhooks/')) expect(answer.status).toBe(200);
    }
  }
});

test('a campaign and a post that try to end a header add none to any answer, and show in none [X24]', async () => {
  const encoded = encodeURIComponent(HEADER_SPLIT);
  const asks: [door: string, path: string, body?: string][] = [
    [doors.metrics, '/metrics'],
    [doors.metrics, `/metrics?${encoded}`],
    ...Object.values(doors).flatMap((door): [string, string][] => [
      [door, '/health'],
      [door, `/${encoded}`],
    ]),
    [doors.collector, `/webhooks/${TOKEN}?status=${encoded}`],
    [
      doors.collector,
      `/webhooks/${TOKEN}`,
      JSON.stringify({ messageid: HEADER_SPLIT, status: HEADER_SPLIT }),
    ],
  ];
  for (const [door, path, body] of asks) {
    const { headers, body: told } = await ask(door, path, body === undefined ? {} : { body });
    const known = Object.keys(headers).filter((name) => !ORDINARY.has(name));
    expect(known, path).toEqual([]);
    expect(String(headers['set-cookie'] ?? ''), path).not.toContain('stolen');
    expect(told, path).not.toMatch(/stolen|x-split/i);
  }
  expect((await ask(doors.metrics, '/metrics')).body).toContain('campaign="open-2"');
});

test('a file that was downloaded is served by nobody [X19]', async () => {
  writeFileSync(join(mediaFolder, `${ID}.bin`), '<script>alert("CANARY")</script>');
  const folder = mediaFolder.split('/').at(-1) ?? '';
  const file = `${ID}.bin`;
  const paths = [
    '/',
    ...['', '/media', '/files', `/${folder}`, '/api/v2/messages/whatsapp', '/webhooks'].map(
      (path) => `${path}/${file}`,
    ),
    `/api/v2/messages/whatsapp/${ID}/media`,
    `/media/${ID}`,
    join(mediaFolder, file),
    `/../..${mediaFolder}/${file}`,
    `/%2e%2e/%2e%2e${mediaFolder}/${file}`,
    `//${mediaFolder}/${file}`,
  ];
  for (const door of Object.values(doors)) {
    for (const path of paths) {
      const answer = await ask(door, path);
      expectInert(answer, path);
      expect([401, 404], path).toContain(answer.status);
      expect(answer.body, path).not.toContain('CANARY');
    }
  }
});

test('not even bytes that are no request are told back [X20]', async () => {
  for (const door of Object.values(doors)) {
    const { hostname, port } = new URL(door);
    const socket = createConnection({ host: hostname, port: Number(port) });
    socket.end(`<script>alert('CANARY')</script> / HTTP/1.1\r\n\r\n`);
    expect(await text(socket)).not.toMatch(TOLD);
  }
});
