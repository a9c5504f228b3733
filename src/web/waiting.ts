import type { WebEnv } from './web-env.ts';

/** How much waits for a person, for the navigation. */
export interface Waiting {
  /** Replies that may ask to stop. */
  inbox: number;
  /** Answers of the provider and words of reports that nobody knows. */
  decisions: number;
}

/** Nothing waits, or nobody is there to see it. */
export const NOTHING_WAITS: Waiting = { inbox: 0, decisions: 0 };

/** Each page shows these numbers, and none needs them at once. */
const FRESH_MS = 5_000;

const known = new WeakMap<WebEnv, { at: number; waiting: Promise<Waiting> }>();

/** What waits, as it was a few seconds ago at the most. */
export function waitingOf(env: WebEnv): Promise<Waiting> {
  const at = env.clock.monotonic();
  const last = known.get(env);
  if (last !== undefined && at - last.at < FRESH_MS) return last.waiting;
  const waiting = read(env);
  known.set(env, { at, waiting });
  // What could not be read is asked for again.
  waiting.catch(() => known.delete(env));
  return waiting;
}

async function read(env: WebEnv): Promise<Waiting> {
  const reader = await env.reader();
  const answers = await reader.openAnswers(null);
  return { inbox: await reader.repliesInDoubt(), decisions: answers.length + (await reader.openWords()) };
}
