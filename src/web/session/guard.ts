import { hash, timingSafeEqual } from 'node:crypto';
import { isIP } from 'node:net';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { dashboardToken } from '../../config/dashboard-token.ts';
import { isAllowed, type May, type Principal } from '../who.ts';
import type { WebEnv } from '../web-env.ts';
import { HomeSessions } from './home-link.ts';

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

/** The cookie of a session on plain loopback. */
const SESSION_COOKIE = 'tuma-session';
const SAFE = ['GET', 'HEAD'];

/** Thrown for a request whose asker is not known, or may not do this. */
export class NotAllowed extends Error {
  readonly status: 401 | 403;

  constructor(status: 401 | 403) {
    super(status === 401 ? 'not signed in' : 'not allowed');
    this.status = status;
  }
}

/** Lets through only whom a route is for, and refuses other hosts and other sites. */
export function guardRoutes(app: FastifyInstance, env: WebEnv, host: string): void {
  const sessions = new HomeSessions();
  app.decorateRequest('who', null);
  app.addHook('onRoute', ({ config, url, method }) => {
    if (config?.may === undefined) throw new Error(`${String(method)} ${url} does not say who may ask it`);
  });
  app.addHook('onRequest', async (request) => {
    if (request.routeOptions.url === '/health' || request.routeOptions.url === '/metrics') return;
    if (!isOwnHost(request.headers.host ?? '', host)) throw new NotAllowed(403);
    request.who = principalOf(request, sessions);
    if (request.is404) return;
    const may = request.routeOptions.config.may ?? 'admin';
    if (!isAllowed(request.who, may)) throw new NotAllowed(request.who === null ? 401 : 403);
    if (!SAFE.includes(request.method)) refuseOtherSite(request);
  });
  // A body is read by then, and the token stands in it.
  app.addHook('preHandler', (request, reply, done) => {
    if (SAFE.includes(request.method) || request.is404) done();
    else app.csrfProtection(request, reply, done);
  });
  app.get('/open', { config: { may: 'open' } }, async (request, reply) =>
    open(request, reply, { env, sessions }),
  );
}

async function open(
  { query }: FastifyRequest,
  reply: FastifyReply,
  { env, sessions }: { env: WebEnv; sessions: HomeSessions },
): Promise<FastifyReply> {
  const { token } = query as { token?: unknown };
  const expected = await dashboardToken(env.config);
  if (typeof token !== 'string' || !isSame(token, expected.reveal())) throw new NotAllowed(401);
  const options = { path: '/', httpOnly: true, sameSite: 'strict' } as const;
  return reply.setCookie(SESSION_COOKIE, sessions.begin(), options).redirect('/campaigns', 303);
}

function principalOf({ cookies, ip }: FastifyRequest, sessions: HomeSessions): Principal | null {
  const id = cookies[SESSION_COOKIE];
  if (id === undefined || !sessions.has(id)) return null;
  return { kind: 'home', name: 'this machine', role: 'admin', from: ip };
}

/** A browser says where a request comes from; a program that sends neither header has no cookie of a person. */
function refuseOtherSite({ headers }: FastifyRequest): void {
  const site = headers['sec-fetch-site'];
  if (site !== undefined && site !== 'same-origin' && site !== 'none') throw new NotAllowed(403);
  const { origin, host } = headers;
  if (origin !== undefined && URL.parse(origin)?.host !== host) throw new NotAllowed(403);
}

/** Compares two secrets without showing by the time how much of them is the same. */
export function isSame(given: string, expected: string): boolean {
  return timingSafeEqual(hash('sha256', given, 'buffer'), hash('sha256', expected, 'buffer'));
}

/** Only a name can be rebound, so an address passes. Our names are localhost and the one we listen on. */
export function isOwnHost(header: string, host: string): boolean {
  const name = header
    .replace(/:\d{1,5}$/, '')
    .replace(/^\[(.*)\]$/, '$1')
    .toLowerCase();
  return isIP(name) !== 0 || name === 'localhost' || name === host.toLowerCase();
}
