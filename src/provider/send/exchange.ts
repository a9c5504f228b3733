import type { Dispatcher } from 'undici';

/** The result of one request on the wire. */
export interface Reply {
  /** The marker: true when the request may have reached the wire; false proves that it did not. */
  readonly started: boolean;
  /** Null: the complete answer came. */
  readonly error: Error | null;
  /** The deadline ended it. */
  readonly overdue: boolean;
  readonly status: number | null;
  readonly retryAfter: string | null;
  /** The answer came with a content-encoding, which Tuma does not decode. */
  readonly encoded: boolean;
  /** The answer said where it ends. Otherwise its end is that of the connection, which may have cut it. */
  readonly endIsSaid: boolean;
  /** The received body, complete unless there is an error; or bytes that were no HTTP. */
  readonly body: string;
  /** Destroys the connection, so that no later message can take its remaining bytes. */
  cut(): void;
}

/** A connection that carries one exchange at a time. */
export interface Cuttable {
  cut(): void;
}

/** The deadline passed. People never see this error, because `overdue` decides the result. */
class DeadlineError extends Error {
  readonly code = 'TUMA_DEADLINE';
}

/**
 * One request and its answer: undici's handler of a dispatch. Its rule is the marker. `started` becomes true
 * when undici announces the write (in the same tick, before the first byte) and nothing forbids it.
 * A request that was given up before is aborted at that moment, and then undici does not write it. A second
 * write is aborted as well, because the first one may have arrived.
 */
export class Exchange implements Dispatcher.DispatchHandler, Reply {
  started = false;
  error: Error | null = null;
  overdue = false;
  status: number | null = null;
  retryAfter: string | null = null;
  encoded = false;
  endIsSaid = false;
  /** The connection of the exchange; null until it has one. */
  connection: Cuttable | null = null;
  #chunks: Buffer[] = [];
  #controller: Dispatcher.DispatchController | null = null;
  #timer: NodeJS.Timeout;
  /** The deadline by the wall clock and by the monotonic one, in milliseconds. */
  readonly #dueWall: number;
  readonly #dueMonotonic: number;
  #settle: ((reply: Reply) => void) | null;
  /** The sockets were read once more after the deadline. */
  #readAgain = false;

  constructor(deadlineMs: number, settle: (reply: Reply) => void) {
    this.#settle = settle;
    this.#dueWall = Date.now() + deadlineMs;
    this.#dueMonotonic = performance.now() + deadlineMs;
    this.#timer = setTimeout(expire, deadlineMs, this);
  }

  get body(): string {
    const [first] = this.#chunks;
    if (first === undefined) return unparsedBytes(this.error);
    return (this.#chunks.length === 1 ? first : Buffer.concat(this.#chunks)).toString('utf8');
  }

  cut(): void {
    this.connection?.cut();
  }

  /**
   * Gives up: cuts the connection of a running request, and prevents a waiting one. A process that stood
   * still runs its timers before it reads its sockets, where an answer in time may lie. So the sockets are
   * read first.
   */
  expire(): void {
    if (this.#settle === null) return;
    if (this.started && !this.#readAgain) {
      this.#readAgain = true;
      setImmediate(expire, this);
      return;
    }
    this.overdue = true;
    const reason = new DeadlineError('no answer within the deadline');
    this.#controller?.abort(reason);
    this.#end(reason);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    if (this.#settle === null || this.started || this.#isPast()) {
      controller.abort(new DeadlineError('given up before it was written'));
      return;
    }
    this.#controller = controller;
    this.started = true;
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: Record<string, string | string[] | undefined>,
  ): void {
    if (status < 200) return;
    this.status = status;
    this.retryAfter = firstOf(headers['retry-after']);
    const encoding = firstOf(headers['content-encoding']);
    this.encoded = encoding !== null && encoding !== '' && encoding.toLowerCase() !== 'identity';
    this.endIsSaid =
      headers['content-length'] !== undefined || /chunked/i.test(firstOf(headers['transfer-encoding']) ?? '');
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#chunks.push(chunk);
  }

  onResponseEnd(): void {
    this.#end(null);
  }

  onResponseError(_controller: Dispatcher.DispatchController | null, error: Error): void {
    this.#end(error);
  }

  /**
   * undici writes in a later turn of the loop than the call. A process that stood still in between wakes in
   * that turn, before its timers. It may have been taken for dead, and then its messages are uncertain to
   * others.
   */
  #isPast(): boolean {
    return Date.now() >= this.#dueWall || performance.now() >= this.#dueMonotonic;
  }

  #end(error: Error | null): void {
    const settle = this.#settle;
    if (settle === null) return;
    this.#settle = null;
    clearTimeout(this.#timer);
    this.error = error;
    settle(this);
  }
}

function expire(exchange: Exchange): void {
  exchange.expire();
}

/** The bytes that undici's parser could not read as HTTP. */
function unparsedBytes(error: Error | null): string {
  const { data } = (error ?? {}) as { data?: unknown };
  return typeof data === 'string' ? data : '';
}

function firstOf(header: string | string[] | undefined): string | null {
  return (Array.isArray(header) ? header[0] : header) ?? null;
}
