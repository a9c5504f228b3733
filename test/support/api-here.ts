import { dashboardToken } from '../../src/config/dashboard-token.ts';
import { resolveConfig } from '../../src/config/config.ts';
import { openServices } from '../../src/runtime/services.ts';
import { startWebServer } from '../../src/web/server.ts';
import { MemoryLog } from '../collector/fake-store.ts';
import { atFileEnd } from './file-end.ts';
import { LEDGERS_HERE } from './ledger-here.ts';

/** An answer of the API. */
export interface ApiAnswer {
  status: number;
  // Tests name the fields that they mean.
  body: any; // oxlint-disable-line typescript/no-explicit-any
  headers: Headers;
}

/** What a call carries. */
export interface ApiCall {
  body?: object | string | Uint8Array;
  headers?: Record<string, string>;
}

/** The API of one home over real HTTP, and a program that calls it. */
export class ApiHere {
  readonly url: string;
  readonly services: Awaited<ReturnType<typeof openServices>>;
  readonly #headers: Record<string, string>;

  private constructor(url: string, services: ApiHere['services'], headers: Record<string, string>) {
    this.url = url;
    this.services = services;
    this.#headers = headers;
  }

  /** Starts the server of a home. `env`: more settings. */
  static async open(home: string, env: Record<string, string> = {}): Promise<ApiHere> {
    const config = resolveConfig({ cwd: home, env: { TUMA_HOME: home, ...env } });
    const services = await openServices(config, new MemoryLog(), LEDGERS_HERE);
    await services.ledger();
    const server = await startWebServer({
      host: '127.0.0.1',
      port: 0,
      token: null,
      render: async () => ({ contentType: 'text/plain', body: '' }),
      env: services,
    });
    atFileEnd(async () => {
      await server.close();
      await services.dispose();
    });
    return new ApiHere(`${server.url}/api/v1`, services, await signedIn(server.url, services));
  }

  /** The same API, called without any proof of who asks. */
  stranger(): ApiHere {
    return new ApiHere(this.url, this.services, {});
  }

  get(path: string, headers: Record<string, string> = {}): Promise<ApiAnswer> {
    return this.#call('GET', path, { headers });
  }

  post(path: string, body?: ApiCall['body'], headers: Record<string, string> = {}): Promise<ApiAnswer> {
    return this.#call('POST', path, { ...(body === undefined ? {} : { body }), headers });
  }

  call(method: string, path: string, call: ApiCall = {}): Promise<ApiAnswer> {
    return this.#call(method, path, call);
  }

  /** The raw answer, whose body the caller reads. */
  fetch(path: string, signal: AbortSignal): Promise<Response> {
    return fetch(this.url + path, { headers: this.#headers, signal });
  }

  async #call(method: string, path: string, { body, headers = {} }: ApiCall): Promise<ApiAnswer> {
    const isJson = typeof body === 'object' && !(body instanceof Uint8Array);
    const answer = await fetch(this.url + path, {
      method,
      headers: { ...this.#headers, ...(isJson ? { 'content-type': 'application/json' } : {}), ...headers },
      ...(body === undefined ? {} : { body: isJson ? JSON.stringify(body) : (body as string) }),
    });
    const text = await answer.text();
    const isRead = answer.headers.get('content-type')?.includes('json') === true;
    return { status: answer.status, body: isRead ? JSON.parse(text) : text, headers: answer.headers };
  }
}

/** Opens the link of this machine, and takes the token of a form. */
async function signedIn(url: string, { config }: ApiHere['services']): Promise<Record<string, string>> {
  const token = (await dashboardToken(config)).reveal();
  const opened = await fetch(`${url}/open?token=${token}`, { redirect: 'manual' });
  const session = cookiesOf(opened);
  const page = await fetch(`${url}/campaigns`, { headers: { cookie: session } });
  const csrf = /name="_csrf" value="([^"]+)"/.exec(await page.text())?.[1] ?? '';
  return { cookie: [session, cookiesOf(page)].join('; '), 'x-csrf-token': csrf };
}

function cookiesOf({ headers }: Response): string {
  return headers
    .getSetCookie()
    .map((cookie) => cookie.split(';')[0])
    .join('; ');
}
