import { livingWorkers } from '../campaign/operator/living-workers.ts';
import type { WebEnv } from './web-env.ts';

/** What every page shows around its content, beside the frame: what waits, and whether messages leave. */
export interface Around {
  /** How much waits for a person. `decisions`: answers of the provider and words of reports that nobody knows. */
  waiting: { inbox: number; decisions: number };
  /** `nobody`: no worker lives; `outage`: the messaging service answers none of them. */
  sending: 'works' | 'nobody' | 'outage';
  /** When the last delivery report came, in milliseconds; null: none did. */
  lastReportAt: number | null;
}

/** Each page shows these, and none needs them at once. */
const FRESH_MS = 5_000;

const known = new WeakMap<WebEnv, { at: number; around: Promise<Around> }>();

/** What is so around the pages, as it was a few seconds ago at the most. */
export function aroundOf(env: WebEnv): Promise<Around> {
  const at = env.clock.monotonic();
  const last = known.get(env);
  if (last !== undefined && at - last.at < FRESH_MS) return last.around;
  const around = read(env);
  known.set(env, { at, around });
  // What could not be read is asked for again.
  around.catch(() => known.delete(env));
  return around;
}

async function read(env: WebEnv): Promise<Around> {
  const reader = await env.reader();
  const answers = await reader.openAnswers(null);
  const { workers, outage } = await livingWorkers(env);
  return {
    waiting: {
      inbox: await reader.repliesInDoubt(),
      decisions: answers.length + (await reader.openWords()),
    },
    sending: workers === 0 ? 'nobody' : outage === null ? 'works' : 'outage',
    lastReportAt: await reader.lastReportAt(),
  };
}
