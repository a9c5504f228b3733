import { performance } from 'node:perf_hooks';
import type { Log } from '../campaign/env.ts';

const LOG_EVERY_MS = 10_000;

const MESSAGES = {
  foreign: 'a sender who knows the token posts from outside TUMA_WEBHOOK_FROM, and is refused',
  misplaced:
    'a sender who knows the token uses another path than /webhooks/TOKEN or another method than POST and GET, and is refused',
  compressed: 'a sender who knows the token posts compressed bodies, which are refused',
  too_large: 'a sender who knows the token posts more than a webhook may hold, and is refused',
  not_stored: 'webhooks could not be stored; their sender was asked to come again',
} as const;

/** One of the refusals that are logged. */
export type LoggedRefusal = keyof typeof MESSAGES;

/** Logs refused webhooks, because reports may be lost and nobody else tells the operator. */
export class RefusalLog {
  readonly #log: Log;
  readonly #told = new Map<LoggedRefusal, { at: number; untold: number }>();

  constructor(log: Log) {
    this.#log = log;
  }

  /** Logs one line of each kind in 10 s, with the number of refusals since the last line. */
  note(why: LoggedRefusal, fields: object): void {
    const told = this.#told.get(why) ?? { at: -Infinity, untold: 0 };
    this.#told.set(why, told);
    told.untold++;
    const now = performance.now();
    if (now - told.at <= LOG_EVERY_MS) return;
    this.#log.warn({ ...fields, refused: told.untold }, MESSAGES[why]);
    told.at = now;
    told.untold = 0;
  }
}
