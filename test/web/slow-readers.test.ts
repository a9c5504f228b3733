import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { addToken } from '../../src/campaign/people/tokens.ts';
import { LedgerStory } from '../support/ledger-story.ts';
import { waitFor } from '../support/wait-for.ts';
import { WebHere } from '../support/web-here.ts';

/* Streams of events to somebody who does not read them: the newest comes when they read again, and nothing piles up. */

const MESSAGES = 12;
/** From here on a socket of this server counts as full. */
const FULL_BYTES = 256;

let story: LedgerStory;
let web: WebHere;
let origin: string;
let headers: Record<string, string>;
let n: number;
let claimed: number[];
let went = 0;

beforeAll(async () => {
  story = await LedgerStory.begin();
  n = await story.launch({ id: 'agm-1', name: 'agm', messages: MESSAGES });
  claimed = await story.claim();
  web = await WebHere.open(story.directory);
  const door = await web.listen();
  origin = door.origin;
  const opened = await fetch(door.link, { redirect: 'manual' });
  const cookie = opened.headers.getSetCookie().map((each) => each.split(';', 1)[0]);
  const change = { now: web.services.clock.now(), by: 'test' };
  const program = { name: 'till', role: 'viewer', owners: ['test'] } as const;
  const { token } = await addToken({ ledger: await web.services.ledger(), change, ...program });
  headers = { cookie: cookie.join('; '), authorization: `Bearer ${token}` };
});

/** Asks for a stream on a connection that takes nothing from the server, until `read`. */
async function stuckReader(path: string) {
  const accepted = once(web.app.server, 'connection');
  const client = connect(Number(new URL(origin).port), '127.0.0.1');
  const [socket] = (await accepted) as [Socket];
  // As a connection whose window is closed: what is written stays in this process.
  socket.cork();
  // Node lets nobody set it later by another way.
  Reflect.set(Reflect.get(socket, '_writableState') as object, 'highWaterMark', FULL_BYTES);
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  client.write(`GET ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\n${lines.join('')}\r\n`);
  onTestFinished(() => void client.destroy());
  let text = '';
  client.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
  await waitFor(() => socket.writableLength > FULL_BYTES, { what: 'the first event' });
  return { held: () => socket.writableLength, read: () => socket.uncork(), text: () => text };
}

/** Somebody who reads everything. */
async function reader(path: string) {
  const stop = new AbortController();
  onTestFinished(() => stop.abort());
  const response = await fetch(`${origin}${path}`, { headers, signal: stop.signal });
  let text = '';
  void (async () => {
    for await (const chunk of response.body ?? []) text += Buffer.from(chunk).toString();
  })().catch(() => undefined);
  return { text: () => text };
}

/** One more message is sent, and the reader sees it. */
async function sendOne(seen: () => string, shown: (count: number) => RegExp): Promise<void> {
  const seq = claimed[went] ?? 0;
  went += 1;
  story.now += 1_000;
  await story.record(n, { [seq]: { to: 'sent' } });
  await waitFor(() => shown(went).test(seen()), { what: `${went} sent` });
}

test.each([
  ['a page', '/campaigns/agm-1/live', (count: number) => new RegExp(`<dd>${count}<`)],
  ['a program', '/api/v1/campaigns/agm-1/events', (count: number) => new RegExp(`"sent":${count}\\b`)],
])(
  '%s that does not read holds no more than one look, and then gets the newest',
  async (_who, path, shown) => {
    const stuck = await stuckReader(path);
    const other = await reader(path);
    const first = stuck.held();
    const before = went;
    for (let times = 0; times < 4; times += 1) await sendOne(other.text, shown);
    expect(stuck.held()).toBe(first);
    stuck.read();
    await waitFor(() => shown(went).test(stuck.text()), { what: 'the newest' });
    // The looks between were never sent.
    expect(shown(before + 2).test(stuck.text())).toBe(false);
  },
);
