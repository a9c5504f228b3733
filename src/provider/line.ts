import type { Socket } from 'node:net';
import { Client, Pool } from 'undici';
import type { buildConnector, Dispatcher } from 'undici';
import { Exchange } from './exchange.ts';
import type { Cuttable, Reply } from './exchange.ts';

const MOST_ANSWER_BYTES = 65_536;
/** Longest wait for a connection, in milliseconds. */
export const MOST_CONNECT_MS = 5_000;
/** What every pool to the provider has: HTTP/1.1, one request at a time, bounded headers. */
export const PLAIN_POOL = {
  pipelining: 1,
  allowH2: false,
  maxHeaderSize: 16_384,
  // Short, so that a connection which the provider closes while idle rarely costs an uncertain message.
  keepAliveTimeout: 1_000,
  keepAliveMaxTimeout: 10_000,
} as const;
/** Of the deadline: the longest wait for the first byte of an answer, and between two pieces of it. */
const HEADERS_SHARE = 25 / 30;
const BODY_SHARE = 10 / 30;

/** Where the line leads and what bounds it. */
export interface LineOptions {
  /** Scheme, host and port. */
  origin: string;
  connections: number;
  /** Milliseconds from the call to the end of an exchange, whatever the other side does. */
  deadlineMs: number;
  /** PEM of a private certificate authority, if the provider has one. */
  ca?: string;
}

/** The connections to one host. */
export interface Line {
  /** Posts a JSON body. Always resolves, within the deadline. */
  post(path: string, body: string): Promise<Reply>;
  /** The same without a promise, for the way that every message takes: calls back once. */
  exchange(path: string, body: string, settle: (reply: Reply) => void): void;
  /** Waits for what is running, bounded by the deadline. */
  close(): Promise<void>;
  /** Ends everything at once; what was running is lost. */
  destroy(): Promise<void>;
}

const HEADERS = ['content-type', 'application/json', 'accept', 'application/json', 'user-agent', 'tuma'];

/**
 * Opens the line: HTTP/1.1 only, one request a connection at a time, never a redirect, never a repetition. undici
 * replays requests over HTTP/2 and behind a broken pipeline; both are switched off, for a POST that may have arrived
 * must not be sent again.
 */
export function openLine({ origin, connections, deadlineMs, ca }: LineOptions): Line {
  const pool = new Pool(origin, {
    ...PLAIN_POOL,
    connections,
    connect: { timeout: Math.min(MOST_CONNECT_MS, deadlineMs), ...(ca === undefined ? {} : { ca }) },
    headersTimeout: Math.round(deadlineMs * HEADERS_SHARE),
    bodyTimeout: Math.round(deadlineMs * BODY_SHARE),
    maxResponseSize: MOST_ANSWER_BYTES,
    factory: (url, options) => new Connection(url, options),
  });
  function exchange(path: string, body: string, settle: (reply: Reply) => void): void {
    pool.dispatch({ path, method: 'POST', body, headers: HEADERS }, new Exchange(deadlineMs, settle));
  }

  return {
    exchange,
    post: (path, body) => new Promise((settle) => exchange(path, body, settle)),
    close: () => pool.close(),
    destroy: () => pool.destroy(),
  };
}

/** undici's client of one connection, which also lets an exchange cut the socket that it came over. */
class Connection extends Client implements Cuttable {
  #held: { socket: Socket | null };

  constructor(url: URL, options: Client.Options) {
    const held: { socket: Socket | null } = { socket: null };
    super(url, { ...options, connect: holding(options.connect as buildConnector.connector, held) });
    this.#held = held;
  }

  override dispatch(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
    if (handler instanceof Exchange) handler.connection = this;
    return super.dispatch(options, handler);
  }

  cut(): void {
    this.#held.socket?.destroy();
  }
}

/** The pool has built the connector by the time that it makes a client. */
function holding(
  connect: buildConnector.connector,
  held: { socket: Socket | null },
): buildConnector.connector {
  return (options, callback) =>
    connect(options, (...result) => {
      held.socket = result[1];
      callback(...result);
    });
}
