import { createServer } from 'node:net';
import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import type { CollectorOptions } from '../../src/collector/server.ts';
import { waitFor } from '../support/wait-for.ts';
import { openCollector } from './open-collector.ts';
import { openRaw, rawPost } from './raw-http.ts';

const TOKEN = 'CANARY_ab12cd34ef56gh78ij90kl';
const PATH = `/webhooks/${TOKEN}`;

const start = (options: Partial<CollectorOptions> = {}) => openCollector({ tokens: [TOKEN], ...options });

const post = (url: string, body: string | Uint8Array<ArrayBuffer>, headers: Record<string, string> = {}) =>
  fetch(url, { method: 'POST', body, headers });

describe('a webhook', () => {
  it('is stored as it came and answered with OK', async () => {
    const { store, url } = await start();
    const answer = await post(`${url}?a=%31&b`, '{"messageid": 1}', { 'content-type': 'application/json' });
    expect([answer.status, await answer.text()]).toEqual([200, 'OK']);
    expect(store.webhooks).toEqual([
      {
        method: 'POST',
        contentType: 'application/json',
        query: 'a=%31&b',
        body: Buffer.from('{"messageid": 1}'),
        ip: '127.0.0.1',
      },
    ]);
  });

  it('without a query is stored without one, and the address that holds the token is no part of it', async () => {
    const { store, url } = await start();
    for (const method of ['POST', 'GET']) expect((await fetch(url, { method })).status).toBe(200);
    expect(store.webhooks.map(({ query }) => query)).toEqual(['', '']);
  });

  it('by GET is stored with its query', async () => {
    const { store, url } = await start();
    expect((await fetch(`${url}?id=1&status=DELIVRD`)).status).toBe(200);
    expect(store.webhooks).toMatchObject([
      { method: 'GET', query: 'id=1&status=DELIVRD', body: new Uint8Array() },
    ]);
  });

  it.each([
    ['of a length', ['Content-Length: 12'], '{"a":"bc d"}'],
    ['in chunks', ['Transfer-Encoding: chunked'], 'c\r\n{"a":"bc d"}\r\n0\r\n\r\n'],
    ['of a type', ['Content-Type: application/json', 'Content-Length: 12'], '{"a":"bc d"}'],
  ])('by GET is stored with its body, too (%s) [W1]', async (_how, headers, body) => {
    const { store, collector } = await start();
    const connection = await openRaw(collector.port);
    const lines = [`GET ${PATH}?id=1 HTTP/1.1`, 'Host: x', ...headers, 'Connection: close', '', body];
    connection.write(lines.join('\r\n'));
    await connection.closed;
    expect(connection.statuses()).toEqual([200]);
    expect(store.bodies()).toEqual(['{"a":"bc d"}']);
    expect(store.webhooks).toMatchObject([{ method: 'GET', query: 'id=1' }]);
  });

  it('by GET with a body that is too large is refused as any other', async () => {
    const { store, collector } = await start();
    const connection = await openRaw(collector.port);
    connection.write(`GET ${PATH} HTTP/1.1\r\nHost: x\r\nContent-Length: 65537\r\n\r\n`);
    await connection.closed;
    expect([connection.statuses(), store.webhooks]).toEqual([[413], []]);
  });

  it('is answered with the exact text that a provider insists on', async () => {
    const { url } = await start({ answer: 'ACK/Jasmin' });
    expect(await (await post(url, 'x')).text()).toBe('ACK/Jasmin');
  });

  it('gets no 2xx unless it was stored, and its sender is asked to come again [W1 W13]', async () => {
    const { store, url, collector, log, events } = await start();
    for (const result of ['busy', 'full', 'failed'] as const) {
      store.result = result;
      const answer = await post(url, 'x');
      expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '1']);
    }
    expect(events).toEqual(['busy', 'full', 'failed']);
    expect((await fetch(`${collector.url}/health`)).status).toBe(503);
    expect(log.lines).toHaveLength(1);
  });

  it('gets no 2xx when the store breaks its promise and rejects [W1]', async () => {
    const { url } = await start({ store: () => Promise.reject(new Error('gone')) });
    expect((await post(url, 'x')).status).toBe(503);
  });

  it('is not answered before it is durable [W1]', async () => {
    const { store, collector } = await start();
    store.hold();
    const connection = await openRaw(collector.port);
    connection.write(rawPost(PATH, 'early'));
    // Another path of the same server answers in the meantime, so the first one was surely read.
    expect((await fetch(`${collector.url}/health`)).status).toBe(200);
    expect(connection.received()).toBe('');
    store.release();
    await waitFor(() => connection.statuses().length === 1, { what: 'the answer' });
    expect([connection.statuses(), store.bodies()]).toEqual([[200], ['early']]);
    connection.socket.destroy();
  });

  it('is answered 503 when the ledger takes too long [W13]', async () => {
    const { store, url, events } = await start({ limits: { storeDeadlineMs: 50 } });
    store.hold();
    expect((await post(url, 'x')).status).toBe(503);
    expect(events).toEqual(['late']);
    store.release();
  });
});

describe('the content of a webhook [W8]', () => {
  const odd: [string, string | Uint8Array<ArrayBuffer>, Record<string, string>][] = [
    ['an unknown event', '{"event":"new.thing"}', { 'content-type': 'application/json' }],
    ['missing fields', '{}', { 'content-type': 'application/json' }],
    ['an array', '[1,2]', { 'content-type': 'application/json' }],
    ['a form', 'id=1&status=x', { 'content-type': 'application/x-www-form-urlencoded' }],
    ['bad JSON', '{"a":', { 'content-type': 'application/json' }],
    ['bad UTF-8', new Uint8Array([0xff, 0xfe, 0x00]), { 'content-type': 'application/json' }],
    ['no body', '', { 'content-type': 'application/json' }],
    ['a type that is not known', 'x', { 'content-type': 'application/vnd.odd+thing; q="' }],
    ['a type that is none', 'x', { 'content-type': 'garbage' }],
    [
      'a prototype',
      '{"__proto__":{"a":1},"constructor":{"prototype":{}}}',
      { 'content-type': 'application/json' },
    ],
  ];

  it.each(odd)('%s is stored byte for byte and acknowledged', async (_name, body, headers) => {
    const { store, url } = await start();
    expect((await post(url, body, headers)).status).toBe(200);
    expect(Buffer.from(store.webhooks[0]?.body ?? [0])).toEqual(Buffer.from(body));
    expect(store.webhooks[0]?.contentType).toBe(headers['content-type']);
  });

  it.each(['application/json\ta', ' application/json', 'application/json; garbage;;'])(
    'the type %j decides nothing [X7]',
    async (type) => {
      const { store, collector } = await start();
      const connection = await openRaw(collector.port);
      connection.write(rawPost(PATH, '{"a":1}', [`Content-Type:${type}`, 'Connection: close']));
      await connection.closed;
      expect([connection.statuses(), store.bodies()]).toEqual([[200], ['{"a":1}']]);
    },
  );

  it('is refused when it is compressed, because nobody would read it [X29]', async () => {
    const { store, url, log } = await start();
    for (const coding of ['gzip', 'GZIP', 'identity, br', 'x-gzip', 'deflate', 'zstd', 'utf-8,X-Compress'])
      expect((await post(url, 'x', { 'content-encoding': coding })).status, coding).toBe(415);
    expect(store.webhooks).toEqual([]);
    expect(log.lines).toHaveLength(1);
    expect(log.lines[0]).toContain('compressed');
  });

  it.each(['identity', 'UTF-8', 'utf-8, identity', '', 'none'])(
    'is plain whatever a sender takes the header for a content encoding for: %j [X29]',
    async (coding) => {
      const { store, url, log } = await start();
      expect((await post(url, 'x', { 'content-encoding': coding })).status).toBe(200);
      expect([store.bodies(), log.lines]).toEqual([['x'], []]);
    },
  );
});

describe('the log of who knows the token and is refused', () => {
  it('has one line for each reason, with whom and what, and no more within a while', async () => {
    const { url, log } = await start();
    const refused = [await post(url, 'x'.repeat(70_000)), await post(url, 'x'.repeat(70_000))];
    expect(refused.map(({ status }) => status)).toEqual([413, 413]);
    const told = log.lines.map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(told).toEqual([
      { client: '127.0.0.1', refused: 1, message: expect.stringContaining('more than a webhook may hold') },
    ]);
    expect(log.lines.join('\n')).not.toContain('CANARY');
  });

  it('has nothing of who does not know it, but one line of who takes another token for it', async () => {
    const { collector, log } = await start();
    for (const [path, headers] of [
      ['/webhooks/wrong', { 'content-encoding': 'gzip' }],
      ['/webhooks/wrong', {}],
      ['/health', {}],
    ] as const)
      for (const body of ['x', 'x'.repeat(70_000)]) await post(`${collector.url}${path}`, body, headers);
    const connection = await openRaw(collector.port);
    connection.write('GET /health HTTP/1.1\r\nHost: x\r\nContent-Length: 70000\r\n\r\n');
    await connection.closed;
    expect(connection.statuses()).toEqual([413]);
    expect(log.lines).toEqual([expect.stringContaining('a token that is not the one of this collector')]);
  });
});

describe('a sender who knows the token and', () => {
  it('ends the address with a slash is let in', async () => {
    const { store, url, events } = await start();
    expect((await post(`${url}/?a=1`, 'x')).status).toBe(200);
    expect((await fetch(`${url}/`)).status).toBe(200);
    expect(store.webhooks.map(({ query }) => query)).toEqual(['a=1', '']);
    expect(events).toEqual(['stored', 'stored']);
  });

  it.each([
    ['leaves the folder out', 'POST', `/${TOKEN}`, '/[token]'],
    [
      'is not relieved of a prefix by the proxy',
      'POST',
      `/sms/webhooks/${TOKEN}?x=${TOKEN}`,
      '/sms/webhooks/[token]',
    ],
    ['goes deeper', 'POST', `${PATH}/dlr/${TOKEN}x`, '/webhooks/[token]/dlr/[token]x'],
    ['writes a slash twice', 'POST', `/webhooks//${TOKEN}`, '/webhooks//[token]'],
    ['names the whole address', 'POST', `http://x${PATH}`, 'http://x/webhooks/[token]'],
    ['uses another method', 'PUT', PATH, '/webhooks/[token]'],
  ])('%s gets the same 404, and is counted and logged without it', async (_what, method, path, shown) => {
    const { store, collector, events, log } = await start();
    const connection = await openRaw(collector.port);
    connection.write(
      `${method} ${path} HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nConnection: close\r\n\r\nhi`,
    );
    await connection.closed;
    expect(connection.received()).toMatch(/^HTTP\/1\.1 404 Not Found\r\n[^]*not found$/);
    expect([store.webhooks, events]).toEqual([[], ['misplaced']]);
    const [line = '', more] = log.lines;
    expect(more).toBeUndefined();
    expect(line).toContain('another path than /webhooks/TOKEN');
    expect(line).toContain(`"path":"${shown}"`);
    expect(line).not.toContain('CANARY');
  });
});

describe('whoever does not know the address [W15]', () => {
  it('gets one and the same answer for every wrong path and method', async () => {
    const { store, collector, events } = await start();
    const wrong: [string, string][] = [
      ['POST', '/webhooks/wrong'],
      ['POST', '/webhooks/'],
      ['POST', '/webhooks'],
      ['POST', `${PATH}//`],
      ['POST', `${PATH}/x`],
      ['POST', `/${TOKEN}`],
      ['POST', `/api/v2${PATH}`],
      ['POST', `/${PATH}`],
      ['POST', `//webhooks/${TOKEN}`],
      ['POST', `/wobhooks/${TOKEN}`],
      ['POST', `/webhooks//${TOKEN}`],
      ['POST', `/webhooks/./${TOKEN}`],
      ['POST', `/webhooks/%2e/${TOKEN}`],
      ['POST', PATH.replace('C', '%43')],
      ['POST', PATH.toUpperCase()],
      ['POST', PATH.toLowerCase()],
      ['POST', `${PATH};x=1`],
      ['POST', `${PATH}%00`],
      ['POST', '/webhook'],
      ['POST', '/none'],
      ['POST', '/health'],
      ['POST', '/%zz'],
      ['POST', '/metrics'],
      ['POST', `http://x${PATH}`],
      ['POST', `/webhooks/${'a'.repeat(5_000)}`],
      ['GET', '/'],
      ['GET', '/health/'],
      ...['PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND', 'QUERY'].map(
        (method): [string, string] => [method, PATH],
      ),
    ];
    const answers = new Set<string>();
    for (const [method, path] of wrong) {
      const connection = await openRaw(collector.port);
      connection.write(
        `${method} ${path} HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nConnection: close\r\n\r\nhi`,
      );
      await connection.closed;
      answers.add(connection.received().replace(/date: [^\r]*/i, ''));
    }
    expect([...answers]).toEqual([expect.stringMatching(/^HTTP\/1\.1 404 Not Found\r\n[^]*not found$/)]);
    expect(store.webhooks).toEqual([]);
    expect(new Set(events)).toEqual(new Set(['not_found', 'misplaced']));
  });

  it('gets that answer to HEAD, to a body too large and to a compressed one as well', async () => {
    const { collector } = await start();
    const wrong = `${collector.url}/webhooks/wrong`;
    expect((await fetch(`${collector.url}${PATH}`, { method: 'HEAD' })).status).toBe(404);
    expect((await post(wrong, 'x'.repeat(70_000))).status).toBe(404);
    expect((await post(wrong, 'x', { 'content-encoding': 'gzip' })).status).toBe(404);
    expect((await post(wrong, 'x', { 'content-type': 'garbage' })).status).toBe(404);
  });

  it('may use either of two tokens while one replaces the other, and no other [X1]', async () => {
    const { collector } = await start({ tokens: ['old-token-of-22-letters', 'new-token-of-22-letters'] });
    const status = async (token: string) => (await post(`${collector.url}/webhooks/${token}`, 'x')).status;
    expect(await status('old-token-of-22-letters')).toBe(200);
    expect(await status('new-token-of-22-letters')).toBe(200);
    expect(await status('new-token-of-22-letter')).toBe(404);
    expect(await status('')).toBe(404);
    expect(await status(`old-token-of-22-letters${'0'.repeat(200)}`)).toBe(404);
  });

  it('nobody is let in when there is no token, or an empty one [X1]', async () => {
    for (const tokens of [[], ['']]) {
      const { collector } = await start({ tokens });
      expect((await post(`${collector.url}/webhooks/`, 'x')).status).toBe(404);
    }
  });

  it('never finds the token in the log, in an answer or in the address that is shown [X1]', async () => {
    const { collector, store, log, url } = await start();
    store.result = 'busy';
    const answers = [await post(url, 'x'), await post(url, 'x'.repeat(70_000)), await post(`${url}x`, 'x')];
    for (const answer of answers) {
      expect(await answer.text()).not.toContain('CANARY');
      expect(JSON.stringify([...answer.headers])).not.toContain('CANARY');
    }
    expect(log.lines.length).toBeGreaterThan(0);
    expect(log.lines.join('\n')).not.toContain('CANARY');
    expect(collector.url).not.toContain('CANARY');
  });

  it('cannot choose the address that is stored [X6]', async () => {
    const { store, url } = await start();
    await post(url, 'x', { 'x-forwarded-for': '1.2.3.4', forwarded: 'for=1.2.3.4' });
    expect(store.webhooks[0]?.ip).toBe('127.0.0.1');
  });
});

describe('starting', () => {
  it('says so when another program listens on the port', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as { port: number };
    await expect(start({ port })).rejects.toMatchObject({ code: 'port_in_use', where: 'TUMA_PORT' });
    other.close();
  });

  it('says so when the host is not an address of this machine', async () => {
    await expect(start({ host: '203.0.113.1' })).rejects.toMatchObject({
      code: 'config_invalid',
      where: 'TUMA_HOST',
    });
  });
});
