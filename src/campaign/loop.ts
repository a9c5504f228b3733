import type { Env } from './env.ts';

/** A step that is repeated until its signal aborts. */
export interface Loop {
  name: string;
  everyMs: number;
  /** Answers true to be run again at once. */
  step: () => Promise<boolean | void>;
}

/**
 * Runs a step again and again. A step that throws is logged and tried again after the usual pause: nothing that the
 * outside does may end a loop that others wait for.
 */
export async function runLoop(
  env: Pick<Env, 'clock' | 'log'>,
  loop: Loop,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    let again = false;
    try {
      again = (await loop.step()) === true;
    } catch (error) {
      env.log.warn({ loop: loop.name, error: String(error) }, 'a step failed and will be tried again');
    }
    if (!again) await env.clock.sleep(loop.everyMs, signal);
  }
}
