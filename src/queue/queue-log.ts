/** The part of the log that the queue writes to. */
export interface QueueLog {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

const QUIET_MS = 30_000;
const MOST_KINDS = 100;

/** Says each complaint once in 30 s: an outage of Redis makes every connection fail many times a second. */
export class Complaints {
  readonly #log: QueueLog;
  readonly #lastMs = new Map<string, number>();

  constructor(log: QueueLog) {
    this.#log = log;
  }

  /** Logs a warning, unless the same kind of error was logged a moment ago. */
  about(error: Error, message: string): void {
    const kind = `${message} ${error.message.replace(/\S*\d\S*/g, '#')}`;
    const nowMs = performance.now();
    if (nowMs - (this.#lastMs.get(kind) ?? -QUIET_MS) < QUIET_MS) return;
    if (this.#lastMs.size >= MOST_KINDS) this.#lastMs.clear();
    this.#lastMs.set(kind, nowMs);
    this.#log.warn({ reason: error.message }, message);
  }
}
