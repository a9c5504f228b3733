import { hash, timingSafeEqual } from 'node:crypto';
import { isIP } from 'node:net';
import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { INERT_HEADERS, NO_SCHEMAS, listen, type Listening } from '../system/listen.ts';

/** The address of the metrics server, and its content. */
export interface MetricsServerOptions {
  host: string;
  /** 0: any free port. */
  port: number;
  /** Asked for as `Authorization: Bearer …` when set. */
  token: string | null;
  /** A request must be complete within this time, in milliseconds; 8 s by default. */
  requestTimeoutMs?: number;
  /** The text for Prometheus. */
  render: () => Promise<{ contentType: string; body: string }>;
}

/** A metrics server that listens. */
export type MetricsServer = Listening;

const REQUEST_TIMEOUT_MS = 8_000;
/** Node's default looks for slow requests each 30 s only. */
const CHECK_CONNECTIONS_MS = 1_000;
const CONNECTIONS = 100;
const CLOSE_WITHIN_MS = 5_000;

/**
 * Starts the server of `/metrics` and `/health`. A page of another site whose name points here (DNS
 * rebinding) is refused by its Host. Throws TumaError `port_in_use` or `config_invalid`.
 */
export async function startMetricsServer(options: MetricsServerOptions): Promise<MetricsServer> {
  const settings = { hostSetting: 'TUMA_DASHBOARD_HOST', portSetting: 'TUMA_DASHBOARD_PORT' };
  const { host, port } = options;
  return listen(makeServer(options), { host, port, closeWithinMs: CLOSE_WITHIN_MS, ...settings });
}

function makeServer(options: MetricsServerOptions): FastifyInstance {
  const { host, token, render, requestTimeoutMs = REQUEST_TIMEOUT_MS } = options;
  const app = fastify({
    schemaController: NO_SCHEMAS,
    exposeHeadRoutes: false,
    bodyLimit: 1,
    requestTimeout: requestTimeoutMs,
    http: { headersTimeout: requestTimeoutMs, connectionsCheckingInterval: CHECK_CONNECTIONS_MS },
    frameworkErrors: (_error, _request, reply) => void notFound(reply),
  });
  app.server.maxConnections = CONNECTIONS;
  app.addHook('onRequest', (_request, reply, done) => {
    reply.headers(INERT_HEADERS);
    done();
  });
  app.setNotFoundHandler((_request, reply) => notFound(reply));
  app.setErrorHandler((_error, _request, reply) => reply.code(500).type('text/plain').send('failed'));
  // Many monitors ask by HEAD.
  app.get('/health', { exposeHeadRoute: true }, (_request, reply) => reply.send({ status: 'ok' }));
  app.get('/metrics', async (request, reply) => {
    if (token !== null && !bears(request, token))
      return reply.code(401).header('www-authenticate', 'Bearer').send({ error: 'a token is needed' });
    // A page that was tricked into asking does not know the token.
    if (token === null && !isOwnHost(request.headers.host ?? '', host))
      return reply.code(403).send({ error: 'this Host is not known here' });
    const { contentType, body } = await render();
    return reply.header('cache-control', 'no-store').type(contentType).send(body);
  });
  return app;
}

/** The same answer for every wrong address, without a word of a stranger. */
function notFound(reply: FastifyReply): FastifyReply {
  return reply.headers(INERT_HEADERS).code(404).type('text/plain').send('not found');
}

function bears(request: FastifyRequest, token: string): boolean {
  const given = /^Bearer (.+)$/i.exec(request.headers.authorization ?? '')?.[1] ?? '';
  return timingSafeEqual(hash('sha256', given, 'buffer'), hash('sha256', token, 'buffer'));
}

/** Only a name can be rebound, so an address passes. Our names are localhost and the one we listen on. */
function isOwnHost(header: string, host: string): boolean {
  const name = header
    .replace(/:\d{1,5}$/, '')
    .replace(/^\[(.*)\]$/, '$1')
    .toLowerCase();
  return isIP(name) !== 0 || name === 'localhost' || name === host.toLowerCase();
}
