import { afterEach, describe, expect, it } from 'vitest';
import type { Collector, CollectorOptions } from '../../src/collector/server.ts';
import { waitFor } from '../support/wait-for.ts';
import { openCollector } from './open-collector.ts';
import { openRaw, type RawConnection, rawPost } from './raw-http.ts';

const TOKEN = 'ab12cd34ef56gh78ij90kl';
const PATH = `/webhooks/${TOKEN}`;
/** As in production, but a test does not wait ten seconds. */
const QUICK = { requestTimeoutMs: 600, headersTimeoutMs: 300, checkConnectionsEveryMs: 100 };
const open: RawConnection[] = [];

afterEach(() => {
  for (const connection of open.splice(0)) connection.socket.destroy();
});

const start = (limits: CollectorOptions['limits'] = {}) => openCollector({ tokens: [TOKEN], limits });

async function connectTo(collector: Collector): Promise<RawConnection> {
  const connection = await openRaw(collector.port);
  open.push(connection);
  return connection;
}

const post = (url: string, body: string) => fetch(url, { method: 'POST', body });
const head = (...lines: string[]) => [`POST ${PATH} HTTP/1.1`, 'Host: x', ...lines, '', ''].join('\r\n');

describe('a body that is too large or never ends [W9]', () => {
  it('of 64 kB is stored, of a byte more is refused with 413', async () => {
    const { store, url } = await start();
    expect((await post(url, 'x'.repeat(65_536))).status).toBe(200);
    expect((await post(url, 'x'.repeat(65_537))).status).toBe(413);
    expect(store.webhooks).toHaveLength(1);
  });

  it('is refused by its announced length, and the connection closed', async () => {
    const { collector, store } = await start();
    const connection = await connectTo(collector);
    connection.write(head('Content-Length: 99999999'));
    await connection.closed;
    expect([connection.statuses(), store.webhooks]).toEqual([[413], []]);
  });

  it('in chunks without a length is refused when it passes the limit', async () => {
    const { collector, store } = await start();
    const connection = await connectTo(collector);
    connection.write(head('Transfer-Encoding: chunked'));
    const chunk = `4000\r\n${'x'.repeat(0x4000)}\r\n`;
    for (let sent = 0; sent < 6; sent++) connection.write(chunk);
    await connection.closed;
    expect([connection.statuses(), store.webhooks]).toEqual([[413], []]);
  });

  it('in chunks without an end is cut with 408', async () => {
    const { collector, store } = await start(QUICK);
    const connection = await connectTo(collector);
    connection.write(`${head('Transfer-Encoding: chunked')}5\r\nhello\r\n`);
    await connection.closed;
    expect([connection.statuses(), store.webhooks]).toEqual([[408], []]);
  });

  it('that is shorter than announced is cut with 408 and never stored', async () => {
    const { collector, store } = await start(QUICK);
    const connection = await connectTo(collector);
    connection.write(`${head('Content-Length: 100')}{"messageid":"1"`);
    await connection.closed;
    expect([connection.statuses(), store.webhooks]).toEqual([[408], []]);
  });

  it('that is longer than announced is stored as announced, and the rest is no request', async () => {
    const { collector, store } = await start();
    const connection = await connectTo(collector);
    connection.write(`${head('Content-Length: 2')}{}{"more":1}`);
    await connection.closed;
    expect(store.bodies()).toEqual(['{}']);
    expect(connection.statuses().at(-1)).toBe(400);
  });

  it('that is given two lengths is no request', async () => {
    const { collector, store } = await start();
    const connection = await connectTo(collector);
    connection.write(`${head('Content-Length: 2', 'Transfer-Encoding: chunked')}0\r\n\r\n`);
    await connection.closed;
    expect([connection.statuses(), store.webhooks]).toEqual([[400], []]);
  });

  it('is not read at all from somebody who does not know the address', async () => {
    const { collector } = await start();
    const connection = await connectTo(collector);
    connection.write('POST /webhooks/wrong HTTP/1.1\r\nHost: x\r\nContent-Length: 60000\r\n\r\n');
    await waitFor(() => connection.statuses().length === 1, { what: 'the refusal' });
    expect(connection.statuses()).toEqual([404]);
  });
});

describe('slowloris [W10]', () => {
  it('is cut in time, and honest posts are answered all the while', async () => {
    // Longer than an honest post takes on a busy machine, which serves it beside the others.
    const { collector, store, url } = await start({
      ...QUICK,
      requestTimeoutMs: 3_000,
      headersTimeoutMs: 1_500,
    });
    const slow = await Promise.all(Array.from({ length: 300 }, () => connectTo(collector)));
    const drip = setInterval(() => {
      for (const connection of slow) if (!connection.socket.destroyed) connection.write('x');
    }, 50);
    for (const [index, connection] of slow.entries())
      connection.write(index % 3 === 0 ? 'POST ' : head('Content-Length: 60000'));
    const everyoneIsGone = Promise.all(slow.map((connection) => connection.closed)).then(() => 'gone');
    const honest: number[] = [];
    const honestPost = async () => honest.push((await post(url, `honest ${honest.length}`)).status);
    try {
      while ((await Promise.race([everyoneIsGone, honestPost()])) !== 'gone');
    } finally {
      clearInterval(drip);
    }
    expect(honest.length).toBeGreaterThan(0);
    expect(new Set(honest)).toEqual(new Set([200]));
    expect(store.bodies().every((body) => body.startsWith('honest'))).toBe(true);
    expect(slow.every((connection) => !connection.statuses().includes(200))).toBe(true);
  });

  it('that sends nothing at all is cut as well', async () => {
    const { collector } = await start(QUICK);
    const connection = await connectTo(collector);
    await connection.closed;
    expect(connection.statuses()).toEqual([408]);
  });

  it('finds no place beyond the number of connections', async () => {
    const { collector } = await start({ connections: 5 });
    const connections = await Promise.all(Array.from({ length: 8 }, () => connectTo(collector)));
    await waitFor(() => connections.filter(({ socket }) => socket.destroyed).length === 3, {
      what: 'three connections to be dropped',
    });
    expect(connections.filter(({ socket }) => !socket.destroyed)).toHaveLength(5);
  });
});

describe('a flood [W11 X5]', () => {
  it('beyond what may wait for the ledger is answered 503 at once, and what waited is stored', async () => {
    const { store, url, events } = await start({ waiting: 10 });
    store.hold();
    const answers = Array.from({ length: 50 }, () => post(url, 'x').then((answer) => answer.status));
    await waitFor(() => events.filter((event) => event === 'crowded').length === 40, { what: '40 refusals' });
    store.release();
    const statuses = await Promise.all(answers);
    expect(statuses.filter((status) => status === 200)).toHaveLength(10);
    expect(statuses.filter((status) => status === 503)).toHaveLength(40);
    expect(store.webhooks).toHaveLength(10);
    expect((await post(url, 'x')).status).toBe(200);
  });

  it('keeps its place in memory while the ledger holds it, even after the sender was told to come again', async () => {
    const { store, url } = await start({ waiting: 1, storeDeadlineMs: 30 });
    store.hold();
    expect((await post(url, 'late')).status).toBe(503);
    const crowded = await post(url, 'next');
    expect(crowded.status).toBe(503);
    store.release();
    await waitFor(() => store.webhooks.length === 1, { what: 'the late one to be stored' });
    await waitFor(async () => (await post(url, 'again')).status === 200, { what: 'a free place' });
  });

  it('that is an honest provider in a hurry is stored to the last one, by default', async () => {
    const { store, collector, events } = await start();
    const connections = await Promise.all(Array.from({ length: 8 }, () => connectTo(collector)));
    const each = 250;
    for (const [index, connection] of connections.entries())
      for (let sent = 0; sent < each; sent++)
        connection.write(rawPost(PATH, `{"messageid":"${index}-${sent}"}`));
    await waitFor(() => events.length === each * connections.length, { what: 'all of the answers' });
    expect(new Set(events)).toEqual(new Set(['stored']));
    expect(new Set(store.bodies()).size).toBe(each * connections.length);
  });
});

describe('stopping while posts are in flight [W14]', () => {
  it('answers what is stored in time, and takes nothing new', async () => {
    const { collector, store } = await start();
    store.hold();
    const [busy, idle] = [await connectTo(collector), await connectTo(collector)];
    busy.write(rawPost(PATH, 'in flight'));
    idle.write(rawPost('/webhooks/wrong', 'x'));
    await waitFor(() => idle.statuses().length === 1, { what: 'the server to be at work' });
    const closed = collector.close();
    // A second post on the connection that is still open.
    busy.write(rawPost(PATH, 'too late'));
    await idle.closed;
    store.release();
    await closed;
    await busy.closed;
    expect(busy.statuses()[0]).toBe(200);
    expect(busy.statuses().slice(1)).not.toContain(200);
    expect(store.bodies()).toEqual(['in flight']);
    await expect(fetch(collector.url)).rejects.toThrow();
  });

  it('cuts what does not end, and never says that it was stored', async () => {
    const { collector, store } = await start({ closeWithinMs: 100 });
    const connection = await connectTo(collector);
    connection.write(`${head('Content-Length: 100')}half`);
    const answered = await connectTo(collector);
    answered.write(rawPost('/webhooks/wrong', 'x'));
    await waitFor(() => answered.statuses().length === 1, { what: 'the server to be at work' });
    await collector.close();
    await connection.closed;
    expect([connection.statuses(), store.webhooks]).toEqual([[], []]);
  });

  it('may be asked for twice', async () => {
    const { collector } = await start();
    await Promise.all([collector.close(), collector.close()]);
  });
});
