import { performance } from 'node:perf_hooks';
import type { Log } from '../campaign/env.ts';
import type { Taken } from './intake.ts';

const LOG_EVERY_MS = 10_000;

/** Remembers webhooks that could not be stored, for a line in the log now and then. */
export class Trouble {
  readonly #log: Log;
  #loggedAt = -Infinity;
  #unlogged = 0;

  constructor(log: Log) {
    this.#log = log;
  }

  note(why: Exclude<Taken, 'stored'>): void {
    const now = performance.now();
    this.#unlogged++;
    if (now - this.#loggedAt < LOG_EVERY_MS) return;
    const refused = this.#unlogged;
    this.#log.warn({ why, refused }, 'webhooks could not be stored; their sender was asked to come again');
    this.#loggedAt = now;
    this.#unlogged = 0;
  }
}
