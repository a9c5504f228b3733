import { type Connection, type ConnectionOptions, makeConnections } from './connection.ts';
import { Exchange, type Reply } from '../send/exchange.ts';

/** The connections to one host. */
export interface HttpConnections {
  /** Posts a JSON body. Always resolves, within the deadline. */
  post(path: string, body: string): Promise<Reply>;
  /** The same without a promise, for the way that every message takes. */
  exchange(path: string, body: string, told: ExchangeEvents): void;
  /** Waits for what is running, bounded by the deadline. */
  close(): Promise<void>;
  /** Ends everything at once; the running exchanges are lost. */
  destroy(): Promise<void>;
}

/** What happens to an exchange, each at most once. */
export interface ExchangeEvents {
  settle: (reply: Reply) => void;
  /** Before it is handed to a connection. All that leave in one turn of the event loop are told before the first leaves. */
  beforeWrite?: (() => void) | undefined;
}

/** One that waits for a connection: hardly ever longer than a turn, for `send` has no more under way than there are. */
interface Waiting {
  path: string;
  body: string;
  exchange: Exchange;
  beforeWrite: (() => void) | undefined;
}

const HEADERS = ['content-type', 'application/json', 'accept', 'application/json', 'user-agent', 'tuma'];

/**
 * Opens the connections: HTTP/1.1 only, one request a connection at a time, never a redirect, never a repetition. undici
 * replays requests over HTTP/2 and behind a broken pipeline. Both are off, because a POST that may have arrived must not be
 * sent again.
 */
export function openConnections(options: ConnectionOptions): HttpConnections {
  const connections = makeConnections(options);
  const departures = new Departures(connections);

  function exchange(path: string, body: string, { settle, beforeWrite }: ExchangeEvents): void {
    const started: Exchange = new Exchange(options.deadlineMs, (reply) => {
      departures.arrived(started);
      settle(reply);
    });
    departures.add({ path, body, exchange: started, beforeWrite });
  }

  return {
    exchange,
    post: (path, body) => new Promise((settle) => exchange(path, body, { settle })),
    async close() {
      await departures.gone();
      await Promise.all(connections.map((connection) => connection.close()));
    },
    destroy: async () => void (await Promise.all(connections.map((connection) => connection.destroy()))),
  };
}

/**
 * Hands requests to free connections once in a turn of the event loop, in place of undici's pool. undici writes a request
 * one turn later, when the sockets have been read once more. So a server that closes behind its answer is noticed before
 * the next message is written to it, and that message is not uncertain.
 */
class Departures {
  /**
   * The last one used is the first to be used again: with little to do, few connections are kept open. One that failed, or
   * that may still be connecting for a request which was given up, is the last.
   */
  readonly #free: Connection[];
  #waiting: Waiting[] = [];
  #scheduled = false;
  #whenGone: (() => void)[] = [];

  constructor(connections: readonly Connection[]) {
    this.#free = connections.toReversed();
  }

  add(waiting: Waiting): void {
    this.#waiting.push(waiting);
    this.#schedule();
  }

  /** Its connection is free again. One that was given up before it left has none, and leaves no more. */
  arrived(exchange: Exchange): void {
    if (exchange.connection === null)
      this.#waiting = this.#waiting.filter((one) => one.exchange !== exchange);
    else if (exchange.error === null) this.#free.push(exchange.connection as Connection);
    else this.#free.unshift(exchange.connection as Connection);
    this.#schedule();
  }

  /** Resolves when nothing waits for a connection. */
  async gone(): Promise<void> {
    if (this.#waiting.length > 0) await new Promise<void>((resolve) => void this.#whenGone.push(resolve));
  }

  #schedule(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    setImmediate(() => this.#leave());
  }

  #leave(): void {
    this.#scheduled = false;
    const departing = this.#waiting.splice(0, this.#free.length);
    for (const { beforeWrite } of departing) beforeWrite?.();
    for (const { path, body, exchange } of departing) {
      const connection = this.#free.pop() as Connection;
      exchange.connection = connection;
      connection.dispatch({ path, method: 'POST', body, headers: HEADERS }, exchange);
    }
    if (this.#waiting.length === 0) for (const resolve of this.#whenGone.splice(0)) resolve();
  }
}
