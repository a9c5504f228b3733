import { connect } from 'node:net';

export const KEY = 'key-1';
export const SECRET = 'secret-1';

export interface Send {
  apikey?: unknown;
  apisecret?: unknown;
  message?: unknown;
  shortcode?: unknown;
  mobile?: unknown;
}

/** The body of a send, good but for what is given; undefined drops a field. */
export function sendBody(fields: Send = {}): string {
  const good = {
    apikey: KEY,
    apisecret: SECRET,
    message: 'Hello',
    shortcode: 'SHOP',
    mobile: '254712345678',
  };
  return JSON.stringify({ ...good, ...fields });
}

export interface Reply {
  status: number;
  headers: Headers;
  text: string;
  body: Record<string, unknown>;
}

/** POSTs JSON with an ordinary client that follows no redirect. `body` is empty when the answer is no JSON object. */
export async function post(url: string, body: string): Promise<Reply> {
  const response = await fetch(url, {
    method: 'POST',
    body,
    headers: { 'content-type': 'application/json' },
    redirect: 'manual',
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, body: objectOf(text) };
}

export function send(url: string, fields: Send = {}): Promise<Reply> {
  return post(`${url}/api/services/sendsms`, sendBody(fields));
}

export function checkBalance(url: string, fields: object = {}): Promise<Reply> {
  return post(
    `${url}/api/services/checkbalance`,
    JSON.stringify({ apikey: KEY, apisecret: SECRET, ...fields }),
  );
}

export async function creditOf(url: string): Promise<unknown> {
  return (await checkBalance(url)).body.credit;
}

export interface RawExchange {
  /** Everything that came back. */
  text: string;
  /** How it ended: an orderly close, a reset, or still open when enough had come (or `patienceMs` had passed). */
  end: 'closed' | 'reset' | 'open';
}

/** Sends a good request over a bare socket and records what comes back, byte for byte. */
export function exchange(
  port: number,
  {
    fields = {},
    enough = /$^/,
    patienceMs = 5_000,
  }: { fields?: Send; enough?: RegExp; patienceMs?: number } = {},
): Promise<RawExchange> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    let text = '';
    const finish = (end: RawExchange['end']) => {
      clearTimeout(timer);
      socket.destroy();
      resolve({ text, end });
    };
    const timer = setTimeout(finish, patienceMs, 'open');
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1');
      if (enough.test(text)) finish('open');
    });
    socket.on('end', () => finish('closed'));
    socket.on('error', () => finish('reset'));
    socket.write(rawSend(fields));
  });
}

export function rawSend(fields: Send = {}): string {
  const body = sendBody(fields);
  return [
    'POST /api/services/sendsms HTTP/1.1',
    'Host: sandbox',
    'Content-Type: application/json',
    `Content-Length: ${Buffer.byteLength(body)}`,
    '',
    body,
  ].join('\r\n');
}

function objectOf(text: string): Record<string, unknown> {
  try {
    return JSON.parse(text) as Record<string, unknown>;
  } catch {
    return {};
  }
}
