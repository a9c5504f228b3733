import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { endWithParent, onAsked, readOptions, tell } from './parent.ts';

/*
 * The provider of all benches: a bare node:http server that answers every message with a success (API document 2.2, 4.1)
 * and every balance call with a large credit (2.4), and keeps nothing but counts. The same sink stands behind Tuma and
 * behind what Tuma is divided by; each run gets a new one. It leaves out whatever makes a real provider slow.
 */

export interface SinkOptions {
  /** Every so many-th message is never answered; 0: all are. */
  hangEvery: number;
  /** How long each message waits for its answer; 0: not at all. */
  answerAfterMs: number;
}

/** What the sink saw. Times are milliseconds of its own monotonic clock; null before there was one. */
export interface SinkCounts {
  messages: number;
  firstAt: number | null;
  /** Arrival of the last message. */
  lastAt: number | null;
  /** When the last message was answered, or its sender gave it up. */
  settledAt: number | null;
  /** Messages that were left without an answer, and how long their senders waited, together. */
  hung: number;
  waitedMs: number;
}

const { hangEvery, answerAfterMs } = {
  hangEvery: 0,
  answerAfterMs: 0,
  ...readOptions<Partial<SinkOptions>>(),
};
const counts: SinkCounts = {
  messages: 0,
  firstAt: null,
  lastAt: null,
  settledAt: null,
  hung: 0,
  waitedMs: 0,
};

const MOBILE = '"mobile":"';
const BALANCE = '{"response-code":200,"credit":"100000000.00","clientId":"bench"}';
/** Longer than any pause of a bench: a connection that the sink closes would be a fault of its own. */
const KEEP_ALIVE_MS = 120_000;

const server = createServer({ keepAliveTimeout: KEEP_ALIVE_MS }, (request, response) => {
  if (request.url?.includes('checkbalance') === true) {
    request.resume().on('end', () => answer(response, BALANCE));
    return;
  }
  const now = performance.now();
  counts.firstAt ??= now;
  counts.lastAt = now;
  counts.messages += 1;
  if (hangEvery > 0 && counts.messages % hangEvery === 0) hang(request);
  else take(request, response);
});

function take(request: IncomingMessage, response: ServerResponse): void {
  let body = '';
  request.setEncoding('latin1');
  request.on('data', (text: string) => {
    body += text;
  });
  request.on('end', () => {
    const from = body.lastIndexOf(MOBILE) + MOBILE.length;
    const text = success(body.slice(from, body.indexOf('"', from)));
    if (answerAfterMs === 0) settle(response, text);
    else setTimeout(() => settle(response, text), answerAfterMs);
  });
}

function settle(response: ServerResponse, text: string): void {
  answer(response, text);
  counts.settledAt = performance.now();
}

function success(mobile: string): string {
  return `{"responsecode":"200","responsedescription":"Success","mobile":"${mobile}","messageid":"${randomUUID()}","networkid":"1","messagecost":"0.80"}`;
}

function answer(response: ServerResponse, body: string): void {
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': body.length });
  response.end(body);
}

function hang(request: IncomingMessage): void {
  const since = performance.now();
  counts.hung += 1;
  request.resume();
  request.socket.once('close', () => {
    counts.settledAt = performance.now();
    counts.waitedMs += counts.settledAt - since;
  });
}

server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  tell({ port: typeof address === 'object' ? address?.port : null });
});
onAsked(() => counts);
endWithParent();
