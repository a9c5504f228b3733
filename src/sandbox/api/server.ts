import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { errorBody, sendBody } from './http-answers.ts';
import { SandboxError } from '../sandbox-error.ts';

/** Only this machine reaches a server that listens there. */
export const LOOPBACK = '127.0.0.1';
const MOST_BODY_BYTES = 65_536;
/** Longer than any client keeps a connection, so no idle close cuts off a request. */
const KEEP_ALIVE_MS = 120_000;

/** Handles one request whose body has been read. */
export type Handler = (call: {
  path: string;
  body: string;
  request: IncomingMessage;
  response: ServerResponse;
}) => void;

/** Starts a server at that address. It reads bodies of 64 kB at most. Throws `port_in_use`. */
export async function listen(at: { host: string; port: number }, handler: Handler): Promise<Server> {
  const server = createServer({ keepAliveTimeout: KEEP_ALIVE_MS }, (request, response) => {
    readBody(request, response, handler);
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', (cause) => {
      reject(listenError(cause, at));
    });
    server.listen(at.port, at.host, resolve);
  });
  return server;
}

function listenError(cause: Error, { host, port }: { host: string; port: number }): Error {
  if (!('code' in cause) || cause.code !== 'EADDRINUSE') return cause;
  return new SandboxError('port_in_use', {
    message: `Another program listens on ${host}:${port}.`,
    hint: 'Choose another port, or 0 for a free one.',
    cause,
  });
}

function readBody(request: IncomingMessage, response: ServerResponse, handler: Handler): void {
  const chunks: Buffer[] = [];
  let size = 0;
  request.on('data', (chunk: Buffer) => {
    size += chunk.length;
    if (size <= MOST_BODY_BYTES) chunks.push(chunk);
  });
  request.on('end', () => {
    if (size > MOST_BODY_BYTES) {
      sendBody(response, { status: 413, body: errorBody('Body too large') });
      return;
    }
    const body = chunks.length === 1 ? String(chunks[0]) : Buffer.concat(chunks).toString();
    handler({ path: pathOf(request.url ?? '/'), body, request, response });
  });
}

/** The path without query and without one trailing slash (API document 4.1 shows both forms). */
function pathOf(url: string): string {
  const query = url.indexOf('?');
  const path = query === -1 ? url : url.slice(0, query);
  return path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path;
}

/** Parses a JSON body; undefined: not JSON. */
export function jsonOf(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}
