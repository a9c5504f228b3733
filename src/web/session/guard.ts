import { Socket } from 'node:net';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type Asked, askedFrom } from '../../ledger/contracts/asked-from.ts';
import { isAllowed, type May, type Principal } from '../who.ts';
import type { WebEnv } from '../web-env.ts';
import { NotAllowed } from './not-allowed.ts';
import { OpenRequests } from './open-requests.ts';
import { isOwnHost, isOwnSite, type OwnAddress } from './own-address.ts';
import { addressOf, principalOf } from './principal.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Who may ask this route; each route has to say it. */
    may?: May;
  }
  interface FastifyRequest {
    /** Who asks; null: nobody is signed in. */
    who: Principal | null;
  }
}

const SAFE = ['GET', 'HEAD'];
/** These look after themselves, because a monitor has no session and may know us by another name. */
const OF_MONITORS = ['/health', '/metrics'];

/** Lets through only whom a route is for, and refuses other hosts and other sites. */
export function guardRoutes(
  app: FastifyInstance,
  env: WebEnv,
  own: OwnAddress & { requestTimeoutMs: number },
): void {
  const open = new OpenRequests(app, env);
  app.decorateRequest('who', null);
  app.addHook('onRoute', ({ config, url, method }) => {
    if (config?.may === undefined) throw new Error(`${String(method)} ${url} does not say who may ask it`);
  });
  // Twice, because reading the body leaves the first one.
  const asked = (request: FastifyRequest, _reply: FastifyReply, done: () => void) =>
    askedFrom.run({ from: addressOf(request, env), ...rightOf(request) }, done);
  app.addHook('onRequest', asked);
  app.addHook('preValidation', asked);
  app.addHook('onRequest', async (request, reply) => {
    const mayBeSlow = endSlow(request, own.requestTimeoutMs);
    if (OF_MONITORS.includes(request.routeOptions.url ?? '')) return;
    if (!isOwnHost(request.headers.host ?? '', own)) throw new NotAllowed(403);
    request.who = await principalOf(request, env);
    if (request.is404) return;
    requireAllowed(request, reply, own);
    if (request.who === null) return;
    open.add(request, reply);
    if (isAllowed(request.who, 'operator')) mayBeSlow();
  });
  // A body is read by then, and the token stands in it.
  app.addHook('preHandler', (request, reply, done) => {
    if (SAFE.includes(request.method) || request.is404 || isProgram(request)) done();
    else app.csrfProtection(request, reply, done);
  });
}

/** The right by which somebody asks, which the ledger looks at again in the commit of what they order. */
function rightOf({ who, routeOptions }: FastifyRequest): Pick<Asked, 'right'> {
  const { may = 'admin' } = routeOptions.config;
  return who === null || may === 'open' ? {} : { right: { of: who.key, role: may } };
}

function requireAllowed(request: FastifyRequest, reply: FastifyReply, own: OwnAddress): void {
  const may = request.routeOptions.config.may ?? 'admin';
  if (!isAllowed(request.who, may)) throw new NotAllowed(request.who === null ? 401 : 403);
  if (!SAFE.includes(request.method) && !isProgram(request) && !isOwnSite(request, own))
    throw new NotAllowed(403);
  // Who goes back after signing out, or sits down at this machine next, must not see it again.
  if (may !== 'open') void reply.header('cache-control', 'no-store');
}

/**
 * Ends the connection of a request that is not complete in time: only lists of operators take long, and slow requests of
 * strangers would take all connections. Returns what lets this one take long.
 */
function endSlow({ raw }: FastifyRequest, timeoutMs: number): () => void {
  const timer = setTimeout(() => {
    if (raw.socket instanceof Socket && !raw.complete) raw.socket.destroy();
  }, timeoutMs).unref();
  const keep = () => clearTimeout(timer);
  // An answer may come before the body, so its end is no reason to keep the connection.
  raw.once('end', keep);
  return keep;
}

/** A program shows its token with each call, which no page of another site can do. */
function isProgram({ who }: FastifyRequest): boolean {
  return who?.kind === 'program';
}
