import { livingWorkers } from '../campaign/operator/living-workers.ts';
import type { WebEnv } from './web-env.ts';

/** What every page says of the whole site: what waits, and whether messages leave. */
export interface SiteStatus {
  /** How much waits for a person. `decisions`: answers of the provider and words of reports that nobody knows. */
  waiting: { inbox: number; decisions: number };
  /** `nobody`: no worker lives; `outage`: the messaging service answers none of them. */
  sending: 'works' | 'nobody' | 'outage';
  /** When the last delivery report came, in milliseconds; null: none did. */
  lastReportAt: number | null;
}

/** Each page shows these, and none needs them at once. */
const FRESH_MS = 5_000;

const known = new WeakMap<WebEnv, { at: number; status: Promise<SiteStatus> }>();

/** The state of the site as it was a few seconds ago at the most. */
export function siteStatus(env: WebEnv): Promise<SiteStatus> {
  const at = env.clock.monotonic();
  const last = known.get(env);
  if (last !== undefined && at - last.at < FRESH_MS) return last.status;
  const status = read(env);
  known.set(env, { at, status });
  // What could not be read is asked for again.
  status.catch(() => known.delete(env));
  return status;
}

async function read(env: WebEnv): Promise<SiteStatus> {
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
