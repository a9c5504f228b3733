import { randomUUID } from 'node:crypto';
import { connect, type Socket } from 'node:net';
import { contactAt } from './contacts.ts';
import { hangUp, readOptions, tell } from './parent.ts';
import { quantile } from './spread.ts';

/*
 * The provider that reports deliveries: so many connections, each of which posts a report, waits for the answer, and
 * posts the next. Every messageid is new. Written on bare sockets, for on a small machine the load and what is measured
 * share the processors; it reads no more of an answer than its status and its length. With `rate` the reports leave at
 * their times whatever the answers do, and latency counts from the time at which a report should have left.
 */

interface LoadOptions {
  port: number;
  path: string;
  connections: number;
  /** Reports a second; null: as fast as they are answered. */
  rate: number | null;
  /** Reports that are answered before this are not counted. */
  warmUpMs: number;
  measuredMs: number;
}

/** What the load saw of the measured time. */
export interface LoadResult {
  /** 200s in the measured time, a second. */
  perSecond: number;
  /** 200s at any time: what the other side must now know. */
  acknowledged: number;
  /** Any other answer, at any time. */
  refused: number;
  p50Ms: number;
  p99Ms: number;
}

const options = readOptions<LoadOptions>();
const { rate, warmUpMs, measuredMs } = options;
/** A collector holds each sender to a share of its own; like a provider, the load has several addresses. */
const SENDERS = process.platform === 'linux' ? 4 : 1;
const TICK_MS = 1;

const latencies: number[] = [];
const tally = { acknowledged: 0, refused: 0, sent: 0 };
const idle: Connection[] = [];
const done = Promise.withResolvers<void>();
let begunAt = Infinity;
const endAt = () => begunAt + warmUpMs + measuredMs;

class Connection {
  #socket: Socket;
  #answer = '';
  #dueAt = 0;

  constructor(socket: Socket) {
    this.#socket = socket;
    socket.setNoDelay(true).setEncoding('latin1');
    socket.on('data', (text: string) => this.#read(text));
    socket.on('error', done.reject);
    socket.on('close', () => done.reject(new Error('a connection was closed in the middle')));
  }

  post(dueAt: number): void {
    this.#dueAt = dueAt;
    this.#socket.write(requestAt(tally.sent));
    tally.sent += 1;
  }

  destroy(): void {
    this.#socket.removeAllListeners('close').destroy();
  }

  #read(text: string): void {
    this.#answer += text;
    if (!isComplete(this.#answer)) return;
    note(this.#answer.startsWith('HTTP/1.1 200'), this.#dueAt);
    this.#answer = '';
    next(this);
  }
}

function isComplete(answer: string): boolean {
  const headerEnd = answer.indexOf('\r\n\r\n');
  if (headerEnd === -1) return false;
  const length = /\r\ncontent-length: (\d+)/i.exec(answer)?.[1];
  if (length === undefined) throw new Error('an answer without a length');
  return answer.length >= headerEnd + 4 + Number(length);
}

function note(ok: boolean, dueAt: number): void {
  const now = performance.now();
  if (ok) tally.acknowledged += 1;
  else tally.refused += 1;
  if (ok && now >= begunAt + warmUpMs && now < endAt()) latencies.push(now - dueAt);
}

function next(connection: Connection): void {
  const now = performance.now();
  if (rate === null && now < endAt()) return connection.post(now);
  idle.push(connection);
  if (now >= endAt() && idle.length === options.connections) done.resolve();
}

/** Posts what is due, on connections that are free; what finds none leaves late, and that counts as latency. */
function keepPace(perSecond: number): void {
  let due = 0;
  const timer = setInterval(() => {
    const now = performance.now();
    const dueAt = () => begunAt + (due * 1_000) / perSecond;
    while (dueAt() <= now && now < endAt()) {
      const connection = idle.pop();
      if (connection === undefined) return;
      connection.post(dueAt());
      due += 1;
    }
    if (now < endAt() || idle.length < options.connections) return;
    clearInterval(timer);
    done.resolve();
  }, TICK_MS);
}

function requestAt(index: number): string {
  const { mobile } = contactAt(index);
  const report = { messageid: randomUUID(), mobile, timestamp: '2026-11-27 09:10:16', timeTaken: '22s' };
  const body = JSON.stringify({ description: 'DeliveredToTerminal', ...report });
  return `POST ${options.path} HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`;
}

function open(index: number): Promise<Connection> {
  const { promise, resolve, reject } = Promise.withResolvers<Connection>();
  const localAddress = `127.0.0.${1 + (index % SENDERS)}`;
  const socket = connect({ host: '127.0.0.1', port: options.port, localAddress });
  socket.once('error', reject).once('connect', () => resolve(new Connection(socket)));
  return promise;
}

const connections = await Promise.all(Array.from({ length: options.connections }, (_, at) => open(at)));
begunAt = performance.now();
if (rate === null) for (const connection of connections) connection.post(begunAt);
else {
  idle.push(...connections);
  keepPace(rate);
}
await done.promise;
for (const connection of connections) connection.destroy();
tell({
  perSecond: (latencies.length * 1_000) / measuredMs,
  acknowledged: tally.acknowledged,
  refused: tally.refused,
  p50Ms: quantile(latencies, 0.5),
  p99Ms: quantile(latencies, 0.99),
} satisfies LoadResult);
hangUp();
