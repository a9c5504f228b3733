import fastify, { type FastifyInstance } from 'fastify';
import { NO_SCHEMAS, listen, type Listening } from '../system/listen.ts';
import type { IntakeOptions } from './intake.ts';
import { addRoutes, type RouteOptions } from './routes.ts';
import { TokenRoute } from './token-route.ts';

/** The bounds of the collector. */
export interface CollectorLimits
  extends Pick<IntakeOptions, 'waiting' | 'waitingBytes' | 'storeDeadlineMs' | 'healthDeadlineMs'> {
  /** Time for a whole request, and for its headers; beyond it 408 at the next check. */
  requestTimeoutMs: number;
  headersTimeoutMs: number;
  checkConnectionsEveryMs: number;
  /** Open connections; further ones are closed at once. */
  connections: number;
  /** After this time `close` cuts the connections that are still busy. */
  closeWithinMs: number;
}

const DEFAULT_LIMITS: CollectorLimits = {
  requestTimeoutMs: 8_000,
  headersTimeoutMs: 5_000,
  checkConnectionsEveryMs: 1_000,
  connections: 4_096,
  waiting: 4_096,
  waitingBytes: 16 * 1024 * 1024,
  storeDeadlineMs: 5_000,
  healthDeadlineMs: 3_000,
  closeWithinMs: 5_000,
};
/** The largest body accepted; beyond it 413. */
export const MOST_BODY_BYTES = 65_536;

/** How a collector listens and where it stores webhooks. */
export interface CollectorOptions
  extends Omit<RouteOptions, 'shownPath'>,
    Pick<IntakeOptions, 'store' | 'tryStore'> {
  host: string;
  /** 0: any free port. */
  port: number;
  /** The unguessable parts of the address that are valid now: one, or two while one replaces the other. */
  tokens: readonly string[];
  limits?: Partial<CollectorLimits>;
}

/** A collector that listens; its `url` has no path, because the path holds the token. */
export type Collector = Listening;

/**
 * Starts the server for the provider's webhooks: `/webhooks/<token>` (POST and GET) and `/health`. A webhook
 * is acknowledged only after it is durable, and read later from the store. The server knows no credentials
 * and never logs its address. Throws TumaError `port_in_use` or `config_invalid`. API document 6.
 */
export async function startCollector(options: CollectorOptions): Promise<Collector> {
  const limits = { ...DEFAULT_LIMITS, ...options.limits };
  const { host, port } = options;
  const settings = { hostSetting: 'TUMA_HOST', portSetting: 'TUMA_PORT' };
  const app = makeServer(options, limits);
  return listen(app, { host, port, closeWithinMs: limits.closeWithinMs, ...settings });
}

function makeServer(options: CollectorOptions, limits: CollectorLimits): FastifyInstance {
  const tokenRoute = new TokenRoute(options.tokens);
  const app = fastify({
    schemaController: NO_SCHEMAS,
    // The router sees fixed addresses only: neither a token nor a second spelling of a path.
    rewriteUrl: (request) => tokenRoute.place(request),
    bodyLimit: MOST_BODY_BYTES,
    exposeHeadRoutes: false,
    return503OnClosing: true,
    requestTimeout: limits.requestTimeoutMs,
    http: {
      headersTimeout: limits.headersTimeoutMs,
      connectionsCheckingInterval: limits.checkConnectionsEveryMs,
    },
  });
  app.server.maxConnections = limits.connections;
  addRoutes(app, { ...options, ...limits, shownPath: (url) => tokenRoute.shownPath(url) });
  return app;
}
