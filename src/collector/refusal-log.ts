import { performance } from 'node:perf_hooks';
import type { Log } from '../campaign/env.ts';

const LOG_EVERY_MS = 10_000;

/** What somebody who knows the token is refused for, and what the log says of it. `not_stored`: it is no fault of the sender's. */
const WORDS = {
  foreign: 'somebody who knows the token posts from outside TUMA_WEBHOOK_FROM, and is refused',
  encoded:
    'somebody who knows the token posts compressed webhooks, which are refused: let the sender post them plain',
  too_large: 'somebody who knows the token posts more than a webhook may hold, and is refused',
  too_many: 'somebody who knows the token posts more webhooks than are taken, and is asked to come again',
  not_stored: 'webhooks could not be stored; their sender was asked to come again',
} as const;

/** One of the refusals that are logged. */
export type LoggedRefusal = keyof typeof WORDS;

/** Says that webhooks are refused: those are reports that may be lost, and nobody else tells the operator. */
export class RefusalLog {
  readonly #log: Log;
  readonly #told = new Map<LoggedRefusal, { at: number; untold: number }>();

  constructor(log: Log) {
    this.#log = log;
  }

  /** Of each kind one line in 10 s, with how many were refused since the last one. */
  note(why: LoggedRefusal, fields: object): void {
    const told = this.#told.get(why) ?? { at: -Infinity, untold: 0 };
    this.#told.set(why, told);
    told.untold++;
    const now = performance.now();
    if (now - told.at <= LOG_EVERY_MS) return;
    this.#log.warn({ ...fields, refused: told.untold }, WORDS[why]);
    told.at = now;
    told.untold = 0;
  }
}
