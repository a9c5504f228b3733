import { TumaError } from '../../domain/errors.ts';
import type { Env } from '../env.ts';

/** The same error is logged again after this time. */
const AGAIN_MS = 60_000;

/** Logs errors of steps that are tried again every second or so: the same error once a minute. */
export class Failures {
  readonly #env: Pick<Env, 'clock' | 'log'>;
  readonly #last = new Map<string, { error: string; at: number }>();

  constructor(env: Pick<Env, 'clock' | 'log'>) {
    this.#env = env;
  }

  /** Does a step of the work. An error is logged with these words, and then the result is undefined. */
  async guard<T>(about: { part: string; words: string }, work: () => Promise<T>): Promise<T | undefined> {
    try {
      const done = await work();
      this.#last.delete(about.part);
      return done;
    } catch (error) {
      this.#note(about, String(error));
      return undefined;
    }
  }

  #note({ part, words }: { part: string; words: string }, error: string): void {
    const { clock, log } = this.#env;
    const last = this.#last.get(part);
    const at = clock.monotonic();
    if (last?.error === error && at - last.at < AGAIN_MS) return;
    this.#last.set(part, { error, at });
    log.warn({ part, error }, words);
  }
}

/** The ledger takes everything later. */
const TRANSIENT: ReadonlySet<string> = new Set([
  'ledger_busy',
  'ledger_full',
  'database_unreachable',
  'database_unsure',
]);

/** True: the ledger is only locked, full or out of reach, and takes everything later. */
export function isTransientError(error: unknown): boolean {
  return error instanceof TumaError && TRANSIENT.has(error.code);
}
