import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { isAllowed, type Principal } from '../who.ts';
import type { WebEnv } from '../web-env.ts';
import { NotAllowed } from './not-allowed.ts';
import { principalOf } from './principal.ts';

/** So many answers to one person or program are open at once; all connections of the server are five times as many. */
const MOST_OF_ONE = 100;
/** A page that shows numbers live stays open for hours; so often it is asked again who looks at it. */
const ASK_AGAIN_MS = 5_000;

/** Too many answers are open at once; the pages and the API word it as too many requests. */
export class TooManyOpen extends Error {
  readonly statusCode = 429;
}

/**
 * Ends answers that go on although whoever asked may not ask any more: a live page after its session has ended, or a
 * stream of events after its token was removed. To be asked again counts as no use of a session.
 */
export class OpenRequests {
  readonly #env: WebEnv;
  readonly #open = new Map<FastifyRequest, FastifyReply>();

  constructor(app: FastifyInstance, env: WebEnv) {
    this.#env = env;
    const timer = setInterval(() => void this.#askAgain(), ASK_AGAIN_MS).unref();
    app.addHook('onClose', async () => clearInterval(timer));
  }

  /** An answer begins. Throws the error of too many requests (429) where whoever asks would take the connections of all. */
  add(request: FastifyRequest, reply: FastifyReply): void {
    // Who has gone already would be kept for ever.
    if (reply.raw.closed || reply.raw.destroyed) return;
    if (this.#countOf(request.who) >= MOST_OF_ONE) throw new TooManyOpen();
    this.#open.set(request, reply);
    reply.raw.once('close', () => this.#open.delete(request));
  }

  #countOf(who: Principal | null): number {
    return [...this.#open.keys()].filter(
      (each) => each.who?.name === who?.name && each.who?.kind === who?.kind,
    ).length;
  }

  async #askAgain(): Promise<void> {
    for (const [request, reply] of this.#open) {
      const may = request.routeOptions.config.may ?? 'admin';
      // A ledger that cannot be read for a moment ends nothing.
      const who = await principalOf(request, this.#env, { isUse: false }).catch((error: unknown) =>
        error instanceof NotAllowed ? null : request.who,
      );
      if (!isAllowed(who, may)) reply.raw.destroy();
    }
  }
}
