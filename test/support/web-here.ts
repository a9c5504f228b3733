import type { FastifyInstance } from 'fastify';
import { dashboardToken } from '../../src/config/dashboard-token.ts';
import { resolveConfig } from '../../src/config/config.ts';
import { openServices } from '../../src/runtime/services.ts';
import { makeWebServer } from '../../src/web/server.ts';
import { MemoryLog } from '../collector/fake-store.ts';
import { atFileEnd } from './file-end.ts';
import { LEDGERS_HERE } from './ledger-here.ts';

/** An answer of the pages. */
export interface WebAnswer {
  status: number;
  text: string;
  headers: Record<string, unknown>;
}

/** The pages of one home in this process, and a browser that keeps its cookies. */
export class WebHere {
  readonly app: FastifyInstance;
  readonly services: Awaited<ReturnType<typeof openServices>>;
  readonly #cookies = new Map<string, string>();

  private constructor(app: FastifyInstance, services: WebHere['services']) {
    this.app = app;
    this.services = services;
  }

  /** Opens the pages of a home. `env`: more settings. Nobody is signed in yet. */
  static async open(home: string, env: Record<string, string> = {}): Promise<WebHere> {
    const config = resolveConfig({ cwd: home, env: { TUMA_HOME: home, ...env } });
    const services = await openServices(config, new MemoryLog(), LEDGERS_HERE);
    await services.ledger();
    const app = await makeWebServer({
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
    return new WebHere(app, services);
  }

  /** Another browser of the same pages, without a cookie. */
  stranger(): WebHere {
    return new WebHere(this.app, this.services);
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

  async #ask(request: {
    method: 'GET' | 'POST';
    url: string;
    headers: Record<string, string>;
    payload?: string;
  }): Promise<WebAnswer> {
    const answer = await this.app.inject({ ...request, cookies: Object.fromEntries(this.#cookies) });
    for (const { name, value } of answer.cookies) this.#cookies.set(name, value);
    return { status: answer.statusCode, text: answer.payload, headers: answer.headers };
  }
}
