import { TumaError } from '../../domain/errors.ts';
import type { AttemptRef } from '../../ledger/contracts/sending.ts';
import type { Env } from '../env.ts';
import { putBack } from './verdict.ts';
import type { WireNote } from './wire-note.ts';

const RETRY_MS = 500;

/** What the claims of a worker process need of it. */
export interface ClaimsOptions {
  env: Pick<Env, 'clock' | 'ledger' | 'log'>;
  /** True: this process has the message, and may still send it or has sent it. */
  has: (attempt: AttemptRef) => boolean;
}

/**
 * The claims of this process on their way. The database may lose a claim's answer, and not be able to say whether it was
 * committed (`database_unsure`). Then its messages may be `sending`, and this process alone knows that nothing of them
 * left. So it hands them back. Meanwhile no other claim is on its way, because its messages would look the same.
 */
export class ClaimsUnderWay {
  readonly #options: ClaimsOptions;
  readonly #unsure = new Set<WireNote>();
  #count = 0;
  #handedBack: PromiseWithResolvers<void> | null = null;

  constructor(options: ClaimsOptions) {
    this.#options = options;
  }

  /** Resolves when no claim is unsure. */
  async settled(): Promise<void> {
    while (this.#handedBack !== null) await this.#handedBack.promise;
  }

  /** Runs a claim of this note's worker, and the taking of its messages, once no other claim is unsure. */
  async run<Result>(note: WireNote, claim: () => Promise<Result>): Promise<Result> {
    // No turn may lie between the last look and the count.
    while (this.#handedBack !== null) await this.#handedBack.promise;
    this.#count += 1;
    try {
      return await claim();
    } catch (error) {
      if (isUnsure(error)) {
        this.#unsure.add(note);
        this.#handedBack ??= Promise.withResolvers();
      }
      throw error;
    } finally {
      this.#count -= 1;
      if (this.#count === 0 && this.#handedBack !== null) void this.#handBackAll(this.#handedBack);
    }
  }

  async #handBackAll(done: PromiseWithResolvers<void>): Promise<void> {
    for (const note of this.#unsure) await this.#handBack(note);
    this.#unsure.clear();
    this.#handedBack = null;
    done.resolve();
  }

  /** Tries it until the ledger takes it, as a verdict. After a kill the reaper has the note. */
  async #handBack(note: WireNote): Promise<void> {
    const { env } = this.#options;
    for (;;) {
      try {
        return await this.#handBackOnce(note);
      } catch (error) {
        env.log.warn({ error: String(error) }, 'an unsure claim cannot be handed back yet: trying again');
        await env.clock.sleep(RETRY_MS);
      }
    }
  }

  async #handBackOnce(note: WireNote): Promise<void> {
    const { env, has } = this.#options;
    const sending = await env.ledger.stillSending(note.worker);
    const now = env.clock.now();
    const outcomes = sending
      .filter((attempt) => !has(attempt) && !note.has(attempt))
      .map((attempt) => putBack(attempt, 'claim unsure', now));
    if (outcomes.length > 0)
      await env.ledger.recordOutcomes({ worker: note.worker, now, outcomes, pauses: [] });
    // The ledger counts these verdicts, too. If it alone did, a note that is newer than the ledger would not be noticed.
    note.recorded(outcomes);
    env.log.warn({ messages: outcomes.length }, 'an unsure claim is handed back: nothing of it left');
  }
}

/** True: the ledger may have done it, and cannot say. */
export function isUnsure(error: unknown): boolean {
  return error instanceof TumaError && error.code === 'database_unsure';
}
