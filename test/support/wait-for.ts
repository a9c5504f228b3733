import { setTimeout as sleep } from 'node:timers/promises';

/** Long enough where a machine is busy: a condition that comes true never waits for it. */
export const PATIENCE_MS = 90_000;
/** The first look comes soon, and later ones leave the processor to the awaited work. */
const FIRST_POLL_MS = 5;
const MOST_POLL_MS = 60;
const POLL_GROWTH = 1.4;

export interface WaitOptions {
  /** How long to wait before failing; `PATIENCE_MS` by default. */
  timeoutMs?: number;
  /** What is awaited, for the message of the failure: "waited 10000 ms for <what>". */
  what: string;
}

/**
 * Polls until `condition` returns something truthy, and returns that. A condition that throws counts as not yet; the
 * last error is the cause of the failure.
 */
export async function waitFor<Value>(
  condition: () => Value | Promise<Value>,
  { timeoutMs = PATIENCE_MS, what }: WaitOptions,
): Promise<NonNullable<Value>> {
  const deadline = performance.now() + timeoutMs;
  let lastError: unknown;
  let pollMs = FIRST_POLL_MS;
  do {
    try {
      const value = await condition();
      if (value) return value;
      lastError = undefined;
    } catch (error) {
      lastError = error;
    }
    await sleep(pollMs);
    pollMs = Math.min(pollMs * POLL_GROWTH, MOST_POLL_MS);
  } while (performance.now() < deadline);
  throw new Error(`waited ${timeoutMs} ms for ${what}`, { cause: lastError });
}
