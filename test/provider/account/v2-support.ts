import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { writeOutFile } from '../../../src/cli/files/out-file.ts';
import type { AccountApi, MediaRequest } from '../../../src/provider/account/account-api.ts';
import { defaultProfile } from '../../../src/provider/profiles/default.ts';
import { createAccountApi, type AccountApiOptions } from '../../../src/provider/account/v2-account.ts';
import { startSandbox, type Sandbox } from '../../../src/sandbox/sandbox.ts';
import { makeTempDir } from '../../support/temp-home.ts';

export const TOKEN = 'TOKEN-CANARY.71c3';
export const KEY = 'KEY_CANARY-4f1b';
export const SECRET = 'SECRET_CANARY_9d2e';
export const ID = 'a81b0f3e-6c2d-4b7a-9f10-5d3e7c9b1a24';
export const MEDIA_PATH = `/api/v2/messages/whatsapp/${ID}/media`;

/** A client of the v2 API, closed after the test. */
export function connectV2(baseUrl: string, options: Partial<AccountApiOptions> = {}): AccountApi {
  const api = createAccountApi({
    currency: 'KES',
    baseUrl,
    auth: 'bearer',
    token: TOKEN,
    key: KEY,
    secret: SECRET,
    deadlineMs: 2_000,
    profile: defaultProfile,
    ...options,
  });
  onTestFinished(() => api.close());
  return api;
}

/** A download into a file or a folder, kept as the command line does. */
export function into(out: string): Omit<MediaRequest, 'id'> {
  return {
    told: null,
    maxBytes: 25_000_000,
    async keep({ name, bytes }) {
      const file = statSync(out, { throwIfNoEntry: false })?.isDirectory() === true ? join(out, name) : out;
      await writeOutFile(file, bytes);
      return file;
    },
  };
}

/** A real sandbox with those credentials, stopped after the test. */
export async function startV2Sandbox(): Promise<Sandbox> {
  const sandbox = await startSandbox({
    apiKey: KEY,
    apiSecret: SECRET,
    apiToken: TOKEN,
    truthFile: `${makeTempDir()}/truth.ndjson`,
  });
  onTestFinished(() => sandbox.stop());
  return sandbox;
}

export interface V2Server {
  url: string;
  port: number;
  /** Every request that came, as `GET /path`. */
  requests: string[];
  /** The headers of the last one. */
  headers: IncomingMessage['headers'];
  connections: number;
}

/** A v2 host of one's own making, closed after the test. */
export async function startV2Server(
  answer: (response: ServerResponse, request: IncomingMessage) => void,
): Promise<V2Server> {
  const server = createServer((request, response) => {
    seen.requests.push(`${request.method} ${request.url}`);
    seen.headers = request.headers;
    answer(response, request);
  });
  const seen: V2Server = { url: '', port: 0, requests: [], headers: {}, connections: 0 };
  server.on('connection', () => {
    seen.connections += 1;
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  onTestFinished(
    () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  );
  seen.port = (server.address() as AddressInfo).port;
  seen.url = `http://127.0.0.1:${seen.port}`;
  return seen;
}

/** An answer with a body, JSON unless it is a text or bytes. */
export function give(
  body: unknown,
  { status = 200, headers = {} }: { status?: number; headers?: Record<string, string> } = {},
): (response: ServerResponse) => void {
  return (response) => {
    const plain = typeof body === 'string' || Buffer.isBuffer(body);
    response.writeHead(status, { ...(plain ? {} : { 'content-type': 'application/json' }), ...headers });
    response.end(plain ? body : JSON.stringify(body));
  };
}
