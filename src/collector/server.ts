import fastify, { type FastifyInstance } from 'fastify';
import type { Log } from '../campaign/env.ts';
import type { AddressList } from '../domain/numbers/address-list.ts';
import { listen, type Listening } from '../system/listen.ts';
import { TokenRoute } from './token-route.ts';
import type { Store, TryStore } from './intake.ts';
import { type CollectorLimits, DEFAULT_LIMITS } from './limits.ts';
import { addRoutes, type CollectorEvent } from './routes.ts';

/** How a collector listens and where what it takes is stored. */
export interface CollectorOptions {
  host: string;
  /** 0: any free port. */
  port: number;
  /** The unguessable parts of the address that are valid now: one, or two while one replaces the other. */
  tokens: readonly string[];
  store: Store;
  /** For `/health`, where no webhook came lately that tells. */
  tryStore: TryStore;
  /** Who may post; null or left out: whoever knows a token. */
  from?: AddressList | null;
  /** Whose `X-Forwarded-For` is believed; null or left out: nobody's. */
  proxies?: AddressList | null;
  log: Log;
  /** Told of every request, for metrics. */
  onEvent?: (event: CollectorEvent) => void;
  /** The body of the 200: some providers repeat a report until they read an exact text. */
  answer: string;
  limits?: Partial<CollectorLimits>;
}

/** A collector that listens; its `url` is without a path, for that holds the token. */
export type Collector = Listening;

/**
 * Starts the server for the provider's webhooks: `/webhooks/<token>` (POST and GET) and `/health`, nothing else. A
 * webhook is acknowledged after it is durable and never before; what it says is read later, from the store. The server
 * knows no credentials and never logs an address, for the address holds the token. Throws TumaError `port_in_use` or
 * `config_invalid`. API document 6.
 */
export async function startCollector(options: CollectorOptions): Promise<Collector> {
  const limits = { ...DEFAULT_LIMITS, ...options.limits };
  const { host, port } = options;
  const settings = { hostSetting: 'TUMA_HOST', portSetting: 'TUMA_PORT' };
  const app = makeServer(options, limits);
  return listen(app, { host, port, closeWithinMs: limits.closeWithinMs, ...settings });
}

function makeServer(options: CollectorOptions, limits: CollectorLimits): FastifyInstance {
  const door = new TokenRoute(options.tokens);
  const app = fastify({
    // Addresses become fixed ones before the router sees them: it never meets a token, nor a second spelling of a path.
    rewriteUrl: (request) => door.place(request),
    bodyLimit: limits.bodyBytes,
    exposeHeadRoutes: false,
    return503OnClosing: true,
    requestTimeout: limits.requestTimeoutMs,
    http: {
      headersTimeout: limits.headersTimeoutMs,
      connectionsCheckingInterval: limits.checkConnectionsEveryMs,
    },
  });
  app.server.maxConnections = limits.connections;
  addRoutes(app, { ...options, limits });
  return app;
}
