import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { FastifyInstance } from 'fastify';
import { homeLink, dashboardToken } from '../../src/config/dashboard-token.ts';
import { resolveConfig } from '../../src/config/config.ts';
import { openServices } from '../../src/runtime/services.ts';
import { makeWebServer, type WebServerOptions } from '../../src/web/server.ts';
import { clockFrom } from '../cli/command-line.ts';
import { MemoryLog } from '../collector/fake-store.ts';
import { atFileEnd } from './file-end.ts';
import { LEDGERS_HERE } from './ledger-here.ts';

/** An answer of the pages. */
export interface WebAnswer {
  status: number;
  text: string;
  headers: Record<string, unknown>;
}

/** A route of the pages, as the router has it: `/campaigns/:id`. */
export interface WebRoute {
  method: string;
  url: string;
  /** Who may ask it. */
  may: string;
}

/** The pages of one home in this process, and a browser that keeps its cookies. */
export class WebHere {
  readonly app: FastifyInstance;
  readonly services: Awaited<ReturnType<typeof openServices>>;
  /** Every route of the router. */
  readonly routes: readonly WebRoute[];
  /** What was logged. */
  readonly log: MemoryLog;
  readonly #cookies = new Map<string, string>();
  readonly #address: string;

  private constructor(
    { app, services, routes, log }: Pick<WebHere, 'app' | 'services' | 'routes' | 'log'>,
    address = '127.0.0.1',
  ) {
    this.#address = address;
    this.app = app;
    this.services = services;
    this.routes = routes;
    this.log = log;
  }

  /** Opens the pages of a home. `env`: more settings; `now`: the time at which it begins. Nobody is signed in yet. */
  static async open(home: string, env: Record<string, string> = {}, now?: number): Promise<WebHere> {
    const config = resolveConfig({ cwd: home, env: { TUMA_HOME: home, ...env } });
    const log = new MemoryLog();
    const opened = await openServices(config, log, LEDGERS_HERE);
    const services = now === undefined ? opened : { ...opened, clock: clockFrom(now) };
    await services.ledger();
    const { app, routes } = await withRoutes({
      host: '127.0.0.1',
      port: 0,
      token: null,
      render: async () => ({ contentType: 'text/plain', body: '' }),
      env: services,
    });
    atFileEnd(async () => {
      await app.close();
      await services.dispose();
    });
    return new WebHere({ app, services, routes, log });
  }

  /** Another browser of the same pages, without a cookie. `address`: where it is. */
  stranger(address?: string): WebHere {
    return new WebHere(this, address);
  }

  /** Listens for a real browser. Answers the link that opens the pages. */
  async listen(): Promise<{ origin: string; link: string }> {
    const origin = await this.app.listen({ host: '127.0.0.1', port: 0 });
    return { origin, link: await homeLink(this.services.config, origin) };
  }

  /** Opens the link of this machine. */
  async signIn(): Promise<WebHere> {
    const token = (await dashboardToken(this.services.config)).reveal();
    await this.get(`/open?token=${token}`);
    return this;
  }

  get(path: string, headers: Record<string, string> = {}): Promise<WebAnswer> {
    return this.#ask({ method: 'GET', url: path, headers: { host: '127.0.0.1', ...headers } });
  }

  /** Sends a form with the token of the page `from` (default: the list of campaigns). */
  async post(path: string, fields: Record<string, string> = {}, from = '/campaigns'): Promise<WebAnswer> {
    const token = /name="_csrf" value="([^"]+)"/.exec((await this.get(from)).text)?.[1] ?? '';
    return this.#ask({
      method: 'POST',
      url: path,
      headers: { host: '127.0.0.1', 'content-type': 'application/x-www-form-urlencoded' },
      payload: new URLSearchParams({ _csrf: token, ...fields }).toString(),
    });
  }

  /** Sends a form with one file. */
  async upload(
    path: string,
    { name, filename, content }: { name: string; filename: string; content: string },
  ): Promise<WebAnswer> {
    const token = /name="_csrf" value="([^"]+)"/.exec((await this.get('/campaigns')).text)?.[1] ?? '';
    const boundary = 'a-boundary-of-this-test';
    const head = `--${boundary}\r\nContent-Disposition: form-data; name="${name}"; filename="${filename}"\r\n`;
    return this.#ask({
      method: 'POST',
      url: `${path}?_csrf=${encodeURIComponent(token)}`,
      headers: { host: '127.0.0.1', 'content-type': `multipart/form-data; boundary=${boundary}` },
      payload: `${head}Content-Type: text/csv\r\n\r\n${content}\r\n--${boundary}--\r\n`,
    });
  }

  /** Sends a form with a file, as a browser does; the token of the page `from` stands in its address. */
  async uploadForm(
    path: string,
    fields: Record<string, string>,
    { file, from = path }: { file: File | null; from?: string },
  ): Promise<WebAnswer> {
    const action =
      /<form[^>]* action="([^"]+)"[^>]*enctype="multipart/.exec((await this.get(from)).text)?.[1] ?? path;
    const form = new FormData();
    for (const [name, value] of Object.entries(fields)) form.append(name, value);
    form.append('contacts', file ?? new File([], ''));
    const { headers, body } = new Request('http://127.0.0.1/', { method: 'POST', body: form });
    const payload = Buffer.from(await new Response(body).arrayBuffer());
    const type = headers.get('content-type') ?? '';
    return this.#ask({
      method: 'POST',
      url: action,
      headers: { host: '127.0.0.1', 'content-type': type },
      payload,
    });
  }

  async #ask(request: {
    method: 'GET' | 'POST';
    url: string;
    headers: Record<string, string>;
    payload?: string | Buffer;
  }): Promise<WebAnswer> {
    const from = { remoteAddress: this.#address, cookies: Object.fromEntries(this.#cookies) };
    const answer = await this.app.inject({ ...request, ...from });
    for (const { name, value } of answer.cookies) this.#cookies.set(name, value);
    return { status: answer.statusCode, text: answer.payload, headers: answer.headers };
  }
}

/** The server, and every route that was added while it was made: Fastify lists them nowhere. */
async function withRoutes(options: WebServerOptions): Promise<{ app: FastifyInstance; routes: WebRoute[] }> {
  const routes: WebRoute[] = [];
  const watch = (message: unknown) => {
    const { fastify } = message as { fastify: FastifyInstance };
    fastify.addHook('onRoute', ({ method, url, config }) => {
      const methods = Array.isArray(method) ? method : [method];
      routes.push(...methods.map((each) => ({ method: each, url, may: String(config?.may) })));
    });
  };
  subscribe('fastify.initialization', watch);
  const making = makeWebServer(options);
  // The server itself is there by now; others that are made meanwhile are none of ours.
  unsubscribe('fastify.initialization', watch);
  return { app: await making, routes };
}
