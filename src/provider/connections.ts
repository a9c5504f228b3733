import type { Socket } from 'node:net';
import { Client } from 'undici';
import type { buildConnector, Dispatcher } from 'undici';
import type { Exchange, TakenConnection } from './exchange.ts';

/*
 * The connections of a line: undici's clients without its pool. The pool takes a connection for busy until a turn of the
 * event loop after its answer, and the next request waits for it in a queue; see docs/decisions/0006.
 */

/** Where connections lead, how many there may be, and what each is made with. */
export interface ConnectionsOptions {
  /** Scheme, host and port. */
  origin: string;
  most: number;
  connect: buildConnector.connector;
  /** Those of undici's client. */
  settings: Client.Options;
}

/** As many connections as there are exchanges at once, up to `most`; an exchange beyond waits behind another one. */
export class Connections {
  readonly #options: ConnectionsOptions;
  readonly #all: Connection[] = [];
  readonly #free: Connection[] = [];
  #ended = false;
  #beyond = 0;

  constructor(options: ConnectionsOptions) {
    this.#options = options;
  }

  /** Of those that are free the one that was used last, so that the others become idle and close. */
  next(): Connection {
    const free = this.#free.pop();
    if (free !== undefined) return free;
    const { most } = this.#options;
    if (this.#all.length < most) return this.#open();
    this.#beyond += 1;
    return this.#all[this.#beyond % most] as Connection;
  }

  /** Waits for what is running. */
  async close(): Promise<void> {
    this.#ended = true;
    await Promise.all(this.#all.map((connection) => connection.close()));
  }

  /** Ends what is running. */
  async destroy(): Promise<void> {
    this.#ended = true;
    await Promise.all(this.#all.map((connection) => connection.destroy()));
  }

  #open(): Connection {
    const connection = new Connection(this.#options, this.#free);
    this.#all.push(connection);
    // It refuses whatever it is given.
    if (this.#ended) void connection.close();
    return connection;
  }
}

/** undici's client of one connection, which also lets an exchange cut the socket that it came over. */
class Connection extends Client implements TakenConnection {
  readonly #held: { socket: Socket | null };
  readonly #free: Connection[];
  #exchanges = 0;

  /** `free`: where it puts itself when nothing runs over it. */
  constructor({ origin, settings, connect }: ConnectionsOptions, free: Connection[]) {
    const held: { socket: Socket | null } = { socket: null };
    super(origin, { ...settings, connect: holding(connect, held) });
    this.#held = held;
    this.#free = free;
  }

  take(options: Dispatcher.DispatchOptions, exchange: Exchange): void {
    this.#exchanges += 1;
    exchange.connection = this;
    this.dispatch(options, exchange);
  }

  release(): void {
    this.#exchanges -= 1;
    if (this.#exchanges === 0) this.#free.push(this);
  }

  cut(): void {
    this.#held.socket?.destroy();
  }
}

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
