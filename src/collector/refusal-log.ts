import { performance } from 'node:perf_hooks';
import type { Log } from '../campaign/env.ts';

const LOG_EVERY_MS = 10_000;
/** Anybody can guess addresses. */
const LOG_GUESSES_EVERY_MS = 60_000;

const MESSAGES = {
  other_token:
    'somebody posts to /webhooks/ with a token that is not the one of this collector, and gets 404. If it is the provider, its reports are lost: all collectors need the same TUMA_WEBHOOK_TOKEN, and the provider the address with it',
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

  /** Logs one line of each kind in 10 s, and a minute for guesses, with the number of refusals since the last line. */
  note(why: LoggedRefusal, fields: object): void {
    const told = this.#told.get(why) ?? { at: -Infinity, untold: 0 };
    this.#told.set(why, told);
    told.untold++;
    const now = performance.now();
    if (now - told.at <= (why === 'other_token' ? LOG_GUESSES_EVERY_MS : LOG_EVERY_MS)) return;
    this.#log.warn({ ...fields, refused: told.untold }, MESSAGES[why]);
    told.at = now;
    told.untold = 0;
  }
}
