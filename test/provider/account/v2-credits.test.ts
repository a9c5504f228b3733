import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import type { TumaError } from '../../../src/domain/errors.ts';
import { defaultProfile } from '../../../src/provider/profiles/default.ts';
import type { V2Method } from '../../../src/provider/account/v2-auth.ts';
import { connectV2, give, KEY, SECRET, startV2Sandbox, startV2Server, TOKEN } from './v2-support.ts';

const METHODS: V2Method[] = ['bearer', 'headers', 'basic', 'query'];

describe('credits of the sandbox', () => {
  test.each(METHODS)('are read by %s', async (auth) => {
    const sandbox = await startV2Sandbox();
    expect(await connectV2(sandbox.url, { auth }).credits()).toEqual({
      outcome: 'credits',
      amountMicro: 10_000_000_000,
      raw: '{"status":"success","data":{"credits":"10000.00"}}',
    });
  });

  test.each(METHODS)(
    'are refused by %s with the words of the service when the credentials are wrong',
    async (auth) => {
      const sandbox = await startV2Sandbox();
      const wrong = connectV2(sandbox.url, { auth, token: 'other', key: KEY, secret: 'other' });
      expect(await wrong.credits()).toEqual({ outcome: 'unauthorised', words: 'Invalid API key or secret' });
    },
  );

  test('are refused when the token has expired, and read with the new one', async () => {
    const sandbox = await startV2Sandbox();
    const api = connectV2(sandbox.url);
    expect(await api.credits()).toMatchObject({ outcome: 'credits' });
    const body = JSON.stringify({ token: 'TOKEN_2' });
    await fetch(`${sandbox.url}/sandbox/token`, { method: 'POST', body });
    expect(await api.credits()).toMatchObject({ outcome: 'unauthorised' });
    expect(await connectV2(sandbox.url, { token: 'TOKEN_2' }).credits()).toMatchObject({
      outcome: 'credits',
    });
  });

  test('are read below a path in front of /api/v2, with and without a last slash', async () => {
    const server = await startV2Server(give({ credits: 1 }));
    for (const path of ['/sms', '/sms/']) await connectV2(server.url + path).credits();
    expect(server.requests).toEqual(Array(2).fill('GET /sms/api/v2/account/credits'));
  });
});

describe('what carries the credentials', () => {
  test.each([
    ['bearer', { authorization: `Bearer ${TOKEN}` }],
    ['headers', { 'x-api-key': KEY, 'x-api-secret': SECRET }],
    ['basic', { authorization: `Basic ${Buffer.from(`${KEY}:${SECRET}`).toString('base64')}` }],
  ] as const)('%s: these headers, and no address', async (auth, headers) => {
    const server = await startV2Server(give({ credits: 1 }));
    await connectV2(server.url, { auth }).credits();
    expect(server.requests).toEqual(['GET /api/v2/account/credits']);
    expect(server.headers).toMatchObject(headers);
    const others = ['authorization', 'x-api-key', 'x-api-secret'].filter((name) => !(name in headers));
    for (const name of others) expect(server.headers).not.toHaveProperty(name);
  });

  test('query: the address alone, encoded', async () => {
    const server = await startV2Server(give({ credits: 1 }));
    await connectV2(server.url, { auth: 'query', token: 'a b&c=d#é' }).credits();
    expect(server.requests).toEqual([
      `GET /api/v2/account/credits?apikey=${encodeURIComponent('a b&c=d#é')}`,
    ]);
    expect(server.headers).not.toHaveProperty('authorization');
  });

  test('basic: what the profile says', async () => {
    const server = await startV2Server(give({ credits: 1 }));
    const profile = { ...defaultProfile, v2: { ...defaultProfile.v2, basic: '{token}:' } };
    await connectV2(server.url, { auth: 'basic', profile, key: null, secret: null }).credits();
    expect(server.headers.authorization).toBe(`Basic ${Buffer.from(`${TOKEN}:`).toString('base64')}`);
  });

  test.each([
    ['bearer', { token: null }, 'Not set: TUMA_API_TOKEN.'],
    ['query', { token: null }, 'Not set: TUMA_API_TOKEN.'],
    ['headers', { key: null, secret: null }, 'Not set: TUMA_API_KEY, TUMA_API_SECRET.'],
    ['basic', { secret: null }, 'Not set: TUMA_API_SECRET.'],
    ['bearer', { token: 'é' }, 'TUMA_API_TOKEN holds a character that no header can carry.'],
    ['headers', { secret: 'a\r\nx: y' }, 'TUMA_API_SECRET holds a character that no header can carry.'],
  ] as const)('%s with %j is refused before anything is asked', (auth, given, message) => {
    expect(() => connectV2('http://127.0.0.1:9', { auth, ...given })).toThrow(
      expect.objectContaining({ code: 'credentials', exitCode: 4, message }) as TumaError,
    );
  });
});

describe('a body that the document does not show', () => {
  test.each<[body: unknown, amountMicro: number | null]>([
    [{ credit: '545.00' }, 545_000_000],
    [{ 'sms-credits': 12 }, 12_000_000],
    [{ data: { smsCredits: 12.5 } }, 12_500_000],
    [{ data: [{ balance: '0.00' }] }, 0],
    [{ status: 'success', data: { account: { credit_balance: '1.234567' } } }, 1_234_567],
    [{ balance: '5.00', sms_credits: '7' }, 7_000_000],
    ['1234.50', 1_234_500_000],
    ['"77"', 77_000_000],
    [{ credits: '10,000.00' }, 10_000_000_000],
    [{ credits: 'KES 100' }, 100_000_000],
    [{ credits: 'USD 100' }, null],
    [{ credits: '10.000' }, null],
    ['{"credits":10.000}', 10_000_000],
    ['10.500', 10_500_000],
    [{ credits: '-5.00' }, -5_000_000],
    [{ credits: '1e3' }, null],
    ['{"credits":1e3}', null],
    [{ credits: null }, null],
    [{ credits: true }, null],
    [{ credits: {} }, null],
    [{ credits: [] }, null],
    [{ something: '5.00' }, null],
    [[{ credits: '1.00' }, { credits: '2.00' }], null],
    [{}, null],
    ['plenty', null],
    ['{"credits":"5.0', null],
  ])('%j is the amount %s', async (body, amountMicro) => {
    const server = await startV2Server(give(body));
    const result = await connectV2(server.url).credits();
    const raw = typeof body === 'string' ? body : JSON.stringify(body);
    expect(result).toMatchObject({ outcome: 'credits', amountMicro, raw });
  });

  test('is shown in one line without controls and credentials, and not more than 2 kB of it', async () => {
    const body = { a: '\u001b[2J\u202e', b: `${TOKEN} ${SECRET}`, [KEY]: 'x', c: 'y'.repeat(5_000) };
    const server = await startV2Server(give(body));
    const result = await connectV2(server.url).credits();
    if (result.outcome !== 'credits') throw new Error(result.outcome);
    const all = JSON.stringify(result);
    expect(all).not.toMatch(/CANARY/);
    expect(result.raw).not.toMatch(/[\p{Cc}\u202e]/u);
    expect(Buffer.byteLength(result.raw)).toBeLessThanOrEqual(2_048);
  });

  test('with a name of a prototype or ten thousand levels is shown, and changes nothing', async () => {
    const [opened, closed] = ['{"a":'.repeat(10_000), '}'.repeat(10_000)];
    const server = await startV2Server(give(`{"__proto__":{"credits":"5.00"},"x":${opened}1${closed}}`));
    expect(await connectV2(server.url).credits()).toMatchObject({ outcome: 'credits', amountMicro: null });
    expect(({} as Record<string, unknown>)['credits']).toBeUndefined();
  });
});

describe('an answer that is none', () => {
  const unknown = (words: string | RegExp, httpStatus: number | null) => ({
    outcome: 'unknown',
    httpStatus,
    words: typeof words === 'string' ? words : (expect.stringMatching(words) as string),
  });

  test.each([
    [give(''), unknown('an empty answer', 200)],
    [give(' \n'), unknown('an empty answer', 200)],
    [give('<html>login</html>'), unknown('a web page instead of an answer', 200)],
    [give('\n <html>login</html>'), unknown('a web page instead of an answer', 200)],
    [give({ status: ' ERROR ' }), unknown('a failure without words', 200)],
    [give({ message: 'No such account' }, { status: 400 }), unknown('No such account', 400)],
    [
      give('x', { headers: { 'content-type': 'text/html; charset=utf-8' } }),
      unknown('a web page instead of an answer', 200),
    ],
    [give({ status: 'error', message: 'Account closed', credits: '5.00' }), unknown('Account closed', 200)],
    [give({ status: 'Error' }), unknown('a failure without words', 200)],
    [give('y'.repeat(70_000)), unknown('a body of more than 64 kB', 200)],
    [give('x', { headers: { 'content-encoding': 'gzip' } }), unknown(/compressed/, 200)],
    [give({ message: 'Slow down' }, { status: 429 }), unknown('Slow down', 429)],
    [give('oops', { status: 500 }), unknown('HTTP 500', 500)],
    [give('', { status: 404 }), unknown('HTTP 404', 404)],
  ])('case %#', async (answer, result) => {
    const server = await startV2Server(answer);
    expect(await connectV2(server.url).credits()).toEqual(result);
  });

  test.each([
    [401, { status: 'error', message: 'Invalid API key or secret' }, 'Invalid API key or secret'],
    [403, { message: 'Key \u001b[31mdeleted' }, 'Key  [31mdeleted'],
    [401, 'no', 'HTTP 401'],
    [401, { message: `bad ${TOKEN}` }, 'bad [secret]'],
  ])(
    '%s with %j is a refusal of the credentials, in the words of the service',
    async (status, body, words) => {
      const server = await startV2Server(give(body, { status }));
      const result = await connectV2(server.url).credits();
      expect(result).toEqual({ outcome: 'unauthorised', words });
    },
  );

  test.each([301, 302, 303, 307, 308])('a redirect %s is not followed', async (status) => {
    const elsewhere = await startV2Server(give({ credits: '1.00' }));
    const server = await startV2Server(give('', { status, headers: { location: `${elsewhere.url}/x` } }));
    expect(await connectV2(server.url).credits()).toEqual(
      unknown('a redirect, which is not followed', status),
    );
    expect(elsewhere.connections).toBe(0);
    expect(server.requests).toHaveLength(1);
  });

  test('nobody there, no answer, half an answer, an answer byte by byte: all within the deadline', async () => {
    const hanging = await startV2Server(() => {});
    const cut = await startV2Server((response) => {
      response.writeHead(200, { 'content-length': 100 });
      response.write('{"cre', () => response.destroy());
    });
    const dripping = await startV2Server((response) => {
      void (async () => {
        while (!response.destroyed) {
          response.write(' ');
          await sleep(20);
        }
      })();
    });
    const options = { deadlineMs: 1_000 };
    expect(await connectV2(hanging.url, options).credits()).toEqual(unknown(/deadline/, null));
    expect(await connectV2(dripping.url, options).credits()).toEqual(unknown(/deadline/, 200));
    expect(await connectV2(cut.url).credits()).toEqual(unknown(/closed|terminated|ended/i, 200));
    expect(await connectV2('http://127.0.0.1:1').credits()).toEqual(unknown(/ECONNREFUSED/, null));
  });
});

describe('the credentials [X10]', () => {
  test.each(METHODS)('are in nothing that %s gives out, whatever the service echoes', async (auth) => {
    const echoes: Parameters<typeof startV2Server>[0][] = [
      (response, request) =>
        give({ message: `${request.url} ${JSON.stringify(request.headers)}` }, { status: 401 })(response),
      (response, request) => give({ credits: '1.00', url: request.url, headers: request.headers })(response),
      (response, request) =>
        give({ status: 'error', message: String(request.headers.authorization) })(response),
      (response, request) => response.destroy(new Error(request.url)),
      (response, request) =>
        give('', { status: 302, headers: { location: `http://x${request.url}` } })(response),
    ];
    for (const echo of echoes) {
      const server = await startV2Server(echo);
      const all = JSON.stringify(await connectV2(server.url, { auth }).credits());
      expect(server.requests).toHaveLength(1);
      expect(all).not.toMatch(/CANARY/);
      expect(all).not.toContain(Buffer.from(`${KEY}:${SECRET}`).toString('base64').slice(4, 20));
    }
  });
});

describe('the address of the v2 API', () => {
  test.each(['ftp://x', 'https://user:pw@x', 'https://x/?a=1', 'https://x/#a', 'nonsense'])(
    'cannot be %s',
    (address) => {
      let thrown: unknown = null;
      try {
        connectV2(address);
      } catch (error) {
        thrown = error;
      }
      expect(thrown).toMatchObject({ code: 'config_invalid', where: 'TUMA_BASE_URL' });
      expect((thrown as TumaError).message).not.toContain('pw');
    },
  );

  test('may be a name of this machine', async () => {
    const server = await startV2Server(give({ credits: '1.00' }));
    expect(await connectV2(`http://localhost:${server.port}`).credits()).toMatchObject({
      outcome: 'credits',
    });
  });
});
