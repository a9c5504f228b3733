import type { Socket } from 'node:net';
import { buildConnector, Client } from 'undici';
import type { Cuttable } from '../send/exchange.ts';

/** Longest wait for a connection, in milliseconds. */
export const MOST_CONNECT_MS = 5_000;
/** The properties of every connection to the provider: HTTP/1.1, one request at a time, bounded headers. */
export const PLAIN_HTTP = {
  pipelining: 1,
  allowH2: false,
  maxHeaderSize: 16_384,
  // It is short, so that an idle connection closed by the provider rarely costs an uncertain message.
  keepAliveTimeout: 1_000,
  keepAliveMaxTimeout: 10_000,
} as const;
const MOST_ANSWER_BYTES = 65_536;
/**
 * The share of the deadline for an answer's first byte, and for each pause within it. Both are equal, because
 * undici makes a new timer whenever one differs from the other.
 */
const SILENCE_SHARE = 25 / 30;

/** The target of connections, and their bounds. */
export interface ConnectionOptions {
  /** Scheme, host and port. */
  origin: string;
  connections: number;
  /** Milliseconds from the call to the end of an exchange, whatever the provider does. */
  deadlineMs: number;
  /** PEM of a private certificate authority, if the provider has one. */
  ca?: string;
}

/** undici's client of one connection. An exchange can also cut its socket. */
export class Connection extends Client implements Cuttable {
  #current: { socket: Socket | null };

  constructor(origin: string, options: Client.Options & { connect: buildConnector.connector }) {
    const current: { socket: Socket | null } = { socket: null };
    super(origin, { ...options, connect: keepingSocket(options.connect, current) });
    this.#current = current;
  }

  cut(): void {
    this.#current.socket?.destroy();
  }
}

/** Makes the connections; each connects at its first request. */
export function makeConnections({ origin, connections, deadlineMs, ca }: ConnectionOptions): Connection[] {
  const connect = buildConnector({
    allowH2: PLAIN_HTTP.allowH2,
    timeout: Math.min(MOST_CONNECT_MS, deadlineMs),
    ...(ca === undefined ? {} : { ca }),
  });
  const silenceMs = Math.round(deadlineMs * SILENCE_SHARE);
  const options = {
    ...PLAIN_HTTP,
    connect,
    headersTimeout: silenceMs,
    bodyTimeout: silenceMs,
    maxResponseSize: MOST_ANSWER_BYTES,
  };
  return Array.from({ length: connections }, () => new Connection(origin, options));
}

/** Each client has its own connector around the common one with its TLS sessions. */
function keepingSocket(
  connect: buildConnector.connector,
  current: { socket: Socket | null },
): buildConnector.connector {
  return (options, callback) =>
    connect(options, (...result) => {
      current.socket = result[1];
      callback(...result);
    });
}
