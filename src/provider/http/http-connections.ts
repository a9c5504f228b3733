import { type Connection, type ConnectionOptions, makeConnections } from './connection.ts';
import { Exchange, type Reply } from '../send/exchange.ts';

/** The connections to one host. */
export interface HttpConnections {
  /** Posts a JSON body. Always resolves, within the deadline. */
  post(path: string, body: string): Promise<Reply>;
  /** The same without a promise, because every message takes this path. */
  exchange(path: string, body: string, told: ExchangeEvents): void;
  /** Waits for running exchanges, bounded by the deadline. */
  close(): Promise<void>;
  /** Ends everything at once; running exchanges are lost. */
  destroy(): Promise<void>;
}

/** The events of an exchange, each at most once. */
export interface ExchangeEvents {
  settle: (reply: Reply) => void;
  /** Called before the request reaches a connection, for all requests of one turn before the first leaves. */
  beforeWrite?: (() => void) | undefined;
}

/** A request that waits for a connection, rarely longer than a turn, because open sends are limited. */
interface Waiting {
  path: string;
  body: string;
  exchange: Exchange;
  beforeWrite: (() => void) | undefined;
}

const HEADERS = ['content-type', 'application/json', 'accept', 'application/json', 'user-agent', 'tuma'];

/**
 * Opens the connections: HTTP/1.1 only, one request per connection at a time, never a redirect or a
 * repetition. Tuma turns off undici's replays over HTTP/2 and behind a broken pipeline, because a POST that
 * may have arrived must not be sent again.
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
 * Hands requests to free connections once per turn of the event loop, instead of undici's pool. Then undici
 * writes a request one turn later, after another read of the sockets. So a server's close behind its answer
 * is noticed before the next write, and that message is not uncertain.
 */
class Departures {
  /**
   * The last used connection is used again first, so that a light load needs few open ones. A failed one, or
   * one still connecting for an aborted request, comes last.
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

  /** Frees the exchange's connection. Without one, the exchange was aborted and must not leave. */
  arrived(exchange: Exchange): void {
    if (exchange.connection === null)
      this.#waiting = this.#waiting.filter((one) => one.exchange !== exchange);
    else if (exchange.error === null) this.#free.push(exchange.connection as Connection);
    else this.#free.unshift(exchange.connection as Connection);
    this.#schedule();
  }

  /** Resolves when no request waits for a connection. */
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
