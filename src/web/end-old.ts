import type { FastifyInstance } from 'fastify';
import { finishErasures } from '../campaign/maintenance/erase.ts';
import { maskText } from '../domain/text/mask.ts';
import type { WebEnv } from './web-env.ts';

const HOUR_MS = 3_600_000;

/**
 * Ends the drafts that nobody has changed for seven days, long work that ended a day ago with its files, and removals of
 * a person that were broken off: when the pages begin to be served, and each hour.
 */
export function endOld(app: FastifyInstance, env: WebEnv): void {
  let last: Promise<void> = Promise.resolve();
  let timer: NodeJS.Timeout | null = null;
  const end = () => {
    // What is left stays until the next hour; no page waits for it.
    last = env
      .preparations()
      .then((preparations) => preparations.endOld())
      .then(async () => (await env.tasks()).endOld())
      .then(async () => finishErasures({ ledger: await env.ledger(), now: env.clock.now() }))
      .catch((error: unknown) =>
        env.log.warn({ error: maskText(String(error)) }, 'old drafts, files or removals are still there'),
      );
  };
  app.addHook('onListen', (done) => {
    end();
    timer = setInterval(end, HOUR_MS).unref();
    done();
  });
  app.addHook('onClose', async () => {
    if (timer !== null) clearInterval(timer);
    await last;
  });
}
