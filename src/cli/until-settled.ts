import type { Context } from './context.ts';
import { type Refused, settleCredit, stillRefused } from './settle-credit.ts';

/** How often it is looked whether a person has accepted the credit, and asked for one that cannot be read. */
const LOOK_MS = 2_000;
/** How often a refused credit is compared anew: it may have been told wrongly, or topped up. */
const AGAIN_MS = 60_000;

/** How a worker waits for its credit. */
export interface Waiting {
  /** Nothing else runs in this process: it waits for a credit that cannot be read, and ends with one that is refused. */
  alone: boolean;
  lookMs?: number;
  againMs?: number;
}

/**
 * Waits until the credit is explained, a person accepts it, or nothing is left to send; or for the end: then it answers
 * what is refused.
 */
export async function untilSettled(
  context: Context,
  refused: Refused,
  waiting: Waiting,
): Promise<Refused | null> {
  const wait = new Wait(context, waiting);
  let last: Refused | null = refused;
  while (last !== null && !wait.ends(last)) {
    await context.clock.sleep(waiting.lookMs ?? LOOK_MS, context.signal);
    last = await wait.look(last);
  }
  return last;
}

/** Says why the worker waits. */
export function tellRefused({ log }: Context, { found, refusal }: Refused): void {
  const { code, hint, message } = refusal;
  if (found !== null) log.error({ code, hint }, `the role worker waits: ${message}`);
  else log.warn({ code, hint }, `the worker waits for the credit, to compare it with the ledger: ${message}`);
}

class Wait {
  readonly #context: Context;
  readonly #alone: boolean;
  readonly #againMs: number;
  #askedAt: number;
  #failure = '';

  constructor(context: Context, { alone, againMs = AGAIN_MS }: Waiting) {
    this.#context = context;
    this.#alone = alone;
    this.#againMs = againMs;
    this.#askedAt = context.clock.monotonic();
  }

  ends({ found }: Refused): boolean {
    return this.#context.signal.aborted || (this.#alone && found !== null);
  }

  async look(last: Refused): Promise<Refused | null> {
    if (this.ends(last)) return last;
    try {
      return await this.#ask(last);
    } catch (error) {
      if (this.#alone) throw error;
      // The other roles go on whatever keeps the worker.
      const failure = String(error);
      if (failure !== this.#failure)
        this.#context.log.warn({ error: failure }, 'the credit cannot be compared');
      this.#failure = failure;
      return last;
    }
  }

  /** Asks without a person. A refused credit stays refused while no other can be read. */
  async #ask(last: Refused): Promise<Refused | null> {
    const now = this.#context.clock.monotonic();
    if (now - this.#askedAt < this.#againMs && (await stillRefused(this.#context, last))) return last;
    this.#askedAt = now;
    const next = await settleCredit(this.#context, { answerMs: null });
    if (next === null) return null;
    if (next.found === null) return last;
    if (last.found === null && !this.#alone) tellRefused(this.#context, next);
    return next;
  }
}
