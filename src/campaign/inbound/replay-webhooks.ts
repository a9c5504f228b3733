import type { Env } from '../env.ts';
import { type ProcessOptions, readAll } from './process-webhooks.ts';

/** Raw webhooks read at once: at most 64 kB each. */
const PAGE = 500;

/** The readers of a replay, and the signal that stops it. */
export interface ReplayOptions extends Pick<ProcessOptions, 'parse' | 'wishOf'> {
  signal: AbortSignal;
  /** Called after each page with the number of webhooks read so far. */
  progress?: (count: number) => void;
}

/**
 * Reads every raw webhook again by the present profile and mappings, and recomputes reports, delivery and
 * dead numbers. Voided webhooks stay void. A second replay changes nothing, so an interrupted one is simply
 * run again. Returns the number of webhooks read.
 */
export async function replayWebhooks(
  env: Pick<Env, 'ledger' | 'clock'>,
  options: ReplayOptions,
): Promise<number> {
  const { signal, progress } = options;
  let count = 0;
  for (let after = 0; !signal.aborted; ) {
    const page = await env.ledger.storedWebhooks({ after, limit: PAGE });
    const read = await readAll(env, page, options);
    await Promise.all(
      read.map(({ webhook: { webhook }, understood: { kind, reports }, replies }) =>
        env.ledger.rereadWebhook({ webhook, kind, reports, replies, now: env.clock.now() }),
      ),
    );
    count += page.length;
    progress?.(count);
    const last = page.at(-1);
    if (last === undefined || page.length < PAGE) return count;
    after = last.webhook;
  }
  return count;
}
