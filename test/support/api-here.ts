import { addToken } from '../../src/campaign/people/tokens.ts';
import { planOrder } from '../../src/campaign/prepare/plan-order.ts';
import { Preparations } from '../../src/campaign/prepare/preparations.ts';
import { resolveConfig } from '../../src/config/config.ts';
import type { Role } from '../../src/domain/roles.ts';
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

let programs = 0;

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
    planHere(services);
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
    return new ApiHere(`${server.url}/api/v1`, services, await tokenFor(services, 'operator'));
  }

  /** The same program at the server after its restart. */
  async restarted(home: string, env: Record<string, string> = {}): Promise<ApiHere> {
    const { url, services } = await ApiHere.open(home, env);
    return new ApiHere(url, services, this.#headers);
  }

  /** Another program, with a token of that role. */
  async as(role: Role): Promise<ApiHere> {
    return new ApiHere(this.url, this.services, await tokenFor(this.services, role));
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
    const isRead = /json(;|$)/.test(answer.headers.get('content-type')?.replace('x-ndjson', '') ?? '');
    return { status: answer.status, body: isRead ? JSON.parse(text) : text, headers: answer.headers };
  }
}

/** Lets preparations plan in this process: one of their own, as in test/e2e, takes a second. */
function planHere(services: ApiHere['services']): void {
  const { clock, config, log, processes, temporary } = services;
  const open = async () => {
    const ledger = await services.ledger();
    const reader = () => services.reader();
    const { signal } = new AbortController();
    const copies = temporary.path;
    const env = { ledger, reader, clock, processes, random: Math.random, copies };
    return new Preparations({
      ...env,
      provider: () => services.provider(),
      settings: await services.launchSettings(),
      log,
      sharedFolder: config.home,
      jobs: null,
      planApart: (order, progress) => planOrder({ ...env, progress, signal }, order),
    });
  };
  const opened = open();
  Object.assign(services, { preparations: () => opened });
}

/** The header of a program with a new token. */
async function tokenFor(services: ApiHere['services'], role: Role): Promise<Record<string, string>> {
  programs += 1;
  const change = { now: services.clock.now(), by: 'test' };
  const ledger = await services.ledger();
  const { token } = await addToken({ ledger, change, name: `till-${programs}`, role, owners: ['test'] });
  return { authorization: `Bearer ${token}` };
}
