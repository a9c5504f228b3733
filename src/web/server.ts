import { hash } from 'node:crypto';
import cookie from '@fastify/cookie';
import csrf, { type FastifyCsrfProtectionOptions } from '@fastify/csrf-protection';
import formbody from '@fastify/formbody';
import helmet from '@fastify/helmet';
import multipart from '@fastify/multipart';
import rateLimit from '@fastify/rate-limit';
import fastify, { type FastifyInstance, type FastifyReply } from 'fastify';
import { dashboardToken } from '../config/dashboard-token.ts';
import { FILE_MAX_BYTES } from '../contacts/limits.ts';
import { INERT_HEADERS, NO_SCHEMAS, listen, type Listening } from '../system/listen.ts';
import { answerErrors } from './answer-errors.ts';
import { textsIn } from './form-fields.ts';
import { metricsRoutes, type RenderMetrics } from './metrics.ts';
import { endOld } from './end-old.ts';
import { webRoutes } from './routes.ts';
import { cookieName, cookieOptions } from './session/cookie.ts';
import { guardRoutes } from './session/guard.ts';
import { addressOf, formOwner } from './session/principal.ts';
import type { WebEnv } from './web-env.ts';

/** The address of the pages, and what they show. */
export interface WebServerOptions {
  host: string;
  /** 0: any free port. */
  port: number;
  /** Asked for by `/metrics` as `Authorization: Bearer …` when set. */
  token: string | null;
  /** A request must be complete within this time, in milliseconds; 8 s by default. */
  requestTimeoutMs?: number;
  /** The text for Prometheus. */
  render: RenderMetrics;
  env: WebEnv;
}

/** A server of pages that listens. */
export type WebServer = Listening;

const REQUEST_TIMEOUT_MS = 8_000;
/** A large list comes over a slow line. */
const UPLOAD_TIMEOUT_MS = 30 * 60_000;
/** Node's default looks for slow requests each 30 s only. */
const CHECK_CONNECTIONS_MS = 1_000;
const CONNECTIONS = 500;
/** A sealed text of 200 characters, each of four bytes. */
const MOST_PARAM_CHARS = 1_200;
const CLOSE_WITHIN_MS = 5_000;
/** A form without a file. */
const FORM_BYTES = 256 * 1024;
/** Requests a minute from one address: more than a person with ten pages makes. */
const REQUESTS_A_MINUTE = 1_200;

/**
 * Starts the server of the pages, of `/metrics` and of `/health`. Throws TumaError `port_in_use` or
 * `config_invalid`.
 */
export async function startWebServer(options: WebServerOptions): Promise<WebServer> {
  const settings = { hostSetting: 'TUMA_DASHBOARD_HOST', portSetting: 'TUMA_DASHBOARD_PORT' };
  const { host, port } = options;
  return listen(await makeWebServer(options), { host, port, closeWithinMs: CLOSE_WITHIN_MS, ...settings });
}

/** The server before it listens, for tests that look at its routes. */
export async function makeWebServer(options: WebServerOptions): Promise<FastifyInstance> {
  const { host, env, requestTimeoutMs = REQUEST_TIMEOUT_MS } = options;
  const app = fastify({
    schemaController: NO_SCHEMAS,
    exposeHeadRoutes: false,
    bodyLimit: FORM_BYTES,
    requestTimeout: Math.max(requestTimeoutMs, UPLOAD_TIMEOUT_MS),
    http: { headersTimeout: requestTimeoutMs, connectionsCheckingInterval: CHECK_CONNECTIONS_MS },
    trustProxy: false,
    routerOptions: { maxParamLength: MOST_PARAM_CHARS },
    frameworkErrors: (_error, _request, reply) => void notFound(reply),
  });
  app.server.maxConnections = CONNECTIONS;
  await app.register(helmet, SECURITY_HEADERS);
  await app.register(cookie);
  await app.register(formbody, { bodyLimit: FORM_BYTES });
  await app.register(multipart, {
    limits: { files: 1, fileSize: FILE_MAX_BYTES, fields: 50, fieldSize: FORM_BYTES },
  });
  await app.register(csrf, await formTokens(env));
  await app.register(rateLimit, {
    max: REQUESTS_A_MINUTE,
    timeWindow: '1 minute',
    keyGenerator: (request) => addressOf(request, env),
  });
  const own = { host, publicUrl: env.config.publicDashboardUrl, requestTimeoutMs };
  answerErrors(app, env);
  guardRoutes(app, env, own);
  metricsRoutes(app, { ...options, own });
  await webRoutes(app, env);
  endOld(app, env);
  return app;
}

/**
 * The token that each form carries. It fits the session of whoever was shown the form, and no other; its key is a secret
 * of the home, so that a form outlives the process.
 */
async function formTokens(env: WebEnv): Promise<FastifyCsrfProtectionOptions> {
  const { config } = env;
  return {
    cookieKey: cookieName(config, 'tuma-form'),
    cookieOpts: cookieOptions(config),
    csrfOpts: { hmacKey: hash('sha256', `forms ${(await dashboardToken(config)).reveal()}`) },
    getUserInfo: (request) => formOwner(request, env),
    getToken: ({ body, query, headers }) =>
      textsIn(body)['_csrf'] ?? textsIn(query)['_csrf'] ?? String(headers['x-csrf-token'] ?? ''),
  };
}

/** The same answer for every address that no page can have, without a word of a stranger. */
function notFound(reply: FastifyReply): FastifyReply {
  return reply.headers(INERT_HEADERS).code(404).type('text/plain').send('not found');
}

/** Nothing of another host, nothing inline, no frame. */
const SECURITY_HEADERS = {
  contentSecurityPolicy: {
    useDefaults: false,
    directives: {
      defaultSrc: ["'self'"],
      baseUri: ["'none'"],
      formAction: ["'self'"],
      frameAncestors: ["'none'"],
      objectSrc: ["'none'"],
    },
  },
  frameguard: { action: 'deny' as const },
  // With no referrer at all a browser would call the origin of our own forms unknown.
  referrerPolicy: { policy: 'same-origin' as const },
  // Only a proxy with TLS knows whether all of its host has it.
  hsts: false,
  // A browser that met this name before without it says so on each page.
  originAgentCluster: false,
};
