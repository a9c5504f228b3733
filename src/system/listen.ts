import type { AddressInfo } from 'node:net';
import { listenError, originOf } from '../domain/listen-error.ts';

/** The part of a fastify instance that opens and closes it. */
interface Application {
  listen(options: { host: string; port: number }): Promise<unknown>;
  close(): Promise<unknown>;
  server: { address(): AddressInfo | string | null; closeAllConnections(): void };
}

/** Headers of every answer: a browser neither runs the content nor takes it for another type. */
export const INERT_HEADERS = {
  'x-content-type-options': 'nosniff',
  'content-security-policy': "default-src 'none'; sandbox",
};

/** For Fastify. It loads two compilers of schemas at each start otherwise, and no route has a schema. */
export const NO_SCHEMAS = { compilersFactory: { buildValidator: noCompiler, buildSerializer: noCompiler } };

/** Where a server listens, and how long requests in progress may keep it when it closes. */
export interface ListenOptions {
  host: string;
  /** 0: any free port. */
  port: number;
  closeWithinMs: number;
  /** Where a person sets the two, for errors. */
  hostSetting: string;
  portSetting: string;
}

/** A server that listens. */
export interface Listening {
  port: number;
  /** Without a path. */
  url: string;
  /** Ends the server: open requests are answered, or cut after `closeWithinMs`. May be called twice. */
  close(): Promise<void>;
}

/** Lets a server listen. Throws TumaError `port_in_use` or `config_invalid`; the server is closed then. */
export async function listen(app: Application, options: ListenOptions): Promise<Listening> {
  const { host, closeWithinMs } = options;
  try {
    await app.listen({ host, port: options.port });
  } catch (error) {
    await app.close();
    throw listenError(error, options);
  }
  const address = app.server.address();
  if (address === null || typeof address === 'string') throw new Error('a TCP server without a port');
  const { port } = address;
  let closed: Promise<void> | null = null;
  return {
    port,
    url: originOf({ host, port }),
    close: () => (closed ??= closeWithin(app, closeWithinMs)),
  };
}

function noCompiler(): never {
  throw new Error('no route has a schema');
}

async function closeWithin(app: Application, ms: number): Promise<void> {
  const timer = setTimeout(() => app.server.closeAllConnections(), ms);
  try {
    await app.close();
  } finally {
    clearTimeout(timer);
  }
}
