import type { Socket } from 'node:net';
import { buildConnector, Client } from 'undici';
import type { Cuttable } from '../send/exchange.ts';

/** Longest wait for a connection, in milliseconds. */
export const MOST_CONNECT_MS = 5_000;
/** What every connection to the provider has: HTTP/1.1, one request at a time, bounded headers. */
export const PLAIN_HTTP = {
  pipelining: 1,
  allowH2: false,
  maxHeaderSize: 16_384,
  // Short, so that a connection which the provider closes while idle rarely costs an uncertain message.
  keepAliveTimeout: 1_000,
  keepAliveMaxTimeout: 10_000,
} as const;
const MOST_ANSWER_BYTES = 65_536;
/**
 * The share of the deadline that an answer may wait for its first byte, and between two pieces of it. They are equal,
 * because undici makes a new timer whenever one differs from the other.
 */
const SILENCE_SHARE = 25 / 30;

/** Where connections lead and what bounds them. */
export interface ConnectionOptions {
  /** Scheme, host and port. */
  origin: string;
  connections: number;
  /** Milliseconds from the call to the end of an exchange, whatever the other side does. */
  deadlineMs: number;
  /** PEM of a private certificate authority, if the provider has one. */
  ca?: string;
}

/** undici's client of one connection, which also lets an exchange cut the socket that it came over. */
export class Connection extends Client implements Cuttable {
  #held: { socket: Socket | null };

  constructor(origin: string, options: Client.Options & { connect: buildConnector.connector }) {
    const held: { socket: Socket | null } = { socket: null };
    super(origin, { ...options, connect: holding(options.connect, held) });
    this.#held = held;
  }

  cut(): void {
    this.#held.socket?.destroy();
  }
}

/** Makes the connections of a line; each connects when something is first sent over it. */
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

/** Each client has a connector of its own around the one that all share, with its TLS sessions. */
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
