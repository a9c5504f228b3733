import { TumaError } from '../../domain/errors.ts';
import type { Env } from '../env.ts';

/** The same error is logged again after so long. */
const AGAIN_MS = 60_000;

/** Logs errors of parts that are tried again every second or so: the same error once a minute. */
export class Failures {
  readonly #env: Pick<Env, 'clock' | 'log'>;
  readonly #last = new Map<string, { error: string; at: number }>();

  constructor(env: Pick<Env, 'clock' | 'log'>) {
    this.#env = env;
  }

  /** Does a part of the work. If it throws, the error is logged in these words, and the answer is undefined. */
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

/** True for a ledger that is locked or full: it takes everything once it is not. */
export function isTransientError(error: unknown): boolean {
  return error instanceof TumaError && (error.code === 'ledger_busy' || error.code === 'ledger_full');
}
