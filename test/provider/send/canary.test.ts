import { describe, expect, test } from 'vitest';
import { answer, startRawServer, success, type ReadRequest } from '../raw-server.ts';
import { API_KEY, API_SECRET, connect, MOBILE, REQUEST, TEXT } from '../support.ts';
import type { Socket } from 'node:net';

/* X10, I12: a provider that echoes what it was sent, as some do, must not carry it into results and logs. */

interface Asked {
  apikey: string;
  apisecret: string;
  message?: string;
  mobile?: string;
}

/** What comes back, made of what was sent. */
const ECHOES: Record<string, (asked: Asked, request: ReadRequest) => string> = {
  'in a refusal, as WaveSMS does': (asked) =>
    answer(200, {
      responses: [
        {
          ...asked,
          partnerID: asked.apikey,
          'response-code': 1003,
          'response-description': 'Invalid mobile',
        },
      ],
    }),
  'in the words of a refusal': (asked) =>
    answer(200, {
      code: 1006,
      message: `Invalid key ${asked.apikey}/${asked.apisecret} for ${asked.mobile}: ${asked.message}`,
    }),
  'in the code': (asked) => answer(200, { code: asked.apisecret, message: `number ${asked.mobile}` }),
  'in a page of HTML': (asked, request) => answer(502, `<pre>${request.body}</pre>${JSON.stringify(asked)}`),
  'in a page under a refusing status': (_asked, request) => answer(400, request.body),
  'in capitals': (_asked, request) => answer(422, request.body.toUpperCase()),
  'escaped as PHP does': (_asked, request) =>
    answer(500, JSON.stringify({ echo: request.body }).replaceAll('/', '\\/')),
  'in a success': (asked, request) =>
    answer(
      200,
      success(request, {
        ...asked,
        networkid: asked.apisecret,
        responsedescription: `ok ${asked.message} ${asked.mobile}`,
      }),
    ),
  'in a success without a cost': (asked, request) =>
    answer(200, success(request, { ...asked, messagecost: '?' })),
  'as the messageid': (asked, request) => answer(200, success(request, { messageid: asked.apisecret })),
  'with another number': (asked) =>
    answer(200, { ...asked, responsecode: 200, messageid: '1', mobile: '254799888777' }),
  'with a local number of somebody else': (asked) =>
    answer(200, { ...asked, responsecode: 200, messageid: '1', mobile: '0799888777' }),
  'as bytes that are no HTTP': (_asked, request) => request.body,
  'under 429': (_asked, request) => answer(429, request.body, { 'Retry-After': '3' }),
  'in a redirect': (asked) =>
    answer(302, '', { Location: `http://127.0.0.1/?apikey=${asked.apikey}&s=${asked.apisecret}` }),
  'in a body that is cut off': (_asked, request) => answer(200, request.body).slice(0, -30),
  'beside escape sequences': (asked) => answer(200, { code: 9, message: `\u001b[2J${asked.apikey}\u0007` }),
};

const PRIVATE = [
  API_KEY,
  API_SECRET,
  'TEXT_CANARY',
  TEXT.slice(14, 30),
  MOBILE,
  MOBILE.slice(3),
  '254799888777',
  '799888777',
];

for (const [how, echo] of Object.entries(ECHOES)) {
  describe(`an echo ${how} [X10 X35]`, () => {
    test('carries no credential, text, number or control character into the result or the log', async () => {
      const seen = await converse((asked, request) => echo(asked, request));
      for (const secret of PRIVATE) expect(seen.toLowerCase()).not.toContain(secret.toLowerCase());
      expect(seen).not.toMatch(/[^\P{Cc}\n]/u);
    });
  });
}

test('a misuse of the client does not name what it was given [X10]', async () => {
  await using server = await startRawServer({});
  await using provider = connect(server.url, { connections: 1, deadlineMs: 100 });
  const open = provider.send(REQUEST);
  const error = await provider.send(REQUEST).catch((caught: unknown) => caught);
  await open;
  expect(String((error as Error).stack)).not.toMatch(/CANARY|712345678/);
});

/** Everything that the client gives out about one message and one balance call, as one text. */
async function converse(echo: (asked: Asked, request: ReadRequest) => string): Promise<string> {
  const logged: unknown[] = [];
  const onRequest = (socket: Socket, request: ReadRequest) => {
    socket.end(echo(JSON.parse(request.body) as Asked, request));
  };
  await using server = await startRawServer({ onRequest });
  await using provider = connect(server.url, { log: { warn: (...line) => void logged.push(line) } });
  const results = [await provider.send(REQUEST), await provider.balance()];
  expect(server.requests).toHaveLength(2);
  return stringsIn({ results, logged }).join('\n');
}

function stringsIn(value: unknown): string[] {
  if (typeof value === 'string') {
    expect(value).not.toContain('\n');
    return [value];
  }
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(stringsIn) : [];
}
