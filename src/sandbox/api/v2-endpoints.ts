import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Account } from './account.ts';
import type { Customers } from '../customers/customers.ts';
import { errorBody, sendBody } from './http-answers.ts';
import { writeCredit } from '../money.ts';
import { SAMPLE_MEDIA } from './sample-media.ts';
import type { Handler } from './server.ts';

/** The parts behind the v2 endpoints. */
export interface V2Parts {
  access: V2Access;
  account: Account;
  customers: Customers;
}

/** Prefix of the v2 paths. */
export const V2_PREFIX = '/api/v2/';

const CREDITS = '/api/v2/account/credits';
const MEDIA = /^\/api\/v2\/messages\/whatsapp\/([\w-]+)\/media$/;

/** Handles a request to the v2 API (API document 4.3, 4.4). A failed authentication answers as in section 7. */
export function handleV2(parts: V2Parts, { path, request, response }: Parameters<Handler>[0]): void {
  if (!parts.access.opens(request)) {
    refuse(response, { status: 401, message: 'Invalid API key or secret' });
    return;
  }
  if (request.method !== 'GET') {
    refuse(response, { status: 405, message: 'Use GET' });
    return;
  }
  const id = MEDIA.exec(path)?.[1];
  if (path === CREDITS) sendCredits(response, parts.account);
  else if (id === undefined) refuse(response, { status: 404, message: 'Not found' });
  else sendMedia(response, { id, customers: parts.customers });
}

/** The API document does not show this body; related services wrap it in `data`. */
function sendCredits(response: ServerResponse, { balanceMicro }: Account): void {
  const credits = writeCredit(balanceMicro);
  sendBody(response, { status: 200, body: JSON.stringify({ status: 'success', data: { credits } }) });
}

function sendMedia(response: ServerResponse, { id, customers }: { id: string; customers: Customers }): void {
  const name = customers.mediaOf(id);
  if (name === null) {
    refuse(response, { status: 404, message: 'Media not found' });
    return;
  }
  const { bytes, mimeType } = SAMPLE_MEDIA[name];
  sendBody(response, { status: 200, body: bytes, type: mimeType });
}

function refuse(response: ServerResponse, { status, message }: { status: number; message: string }): void {
  sendBody(response, { status, body: errorBody(message) });
}

/** Access to the v2 API by the four methods of API document 5.2. The first method present in a request decides. */
export class V2Access {
  /** Null: no token is valid, for example after a session expires (5.3). */
  token: string | null;
  readonly #account: Account;

  constructor(token: string | null, account: Account) {
    this.token = token;
    this.#account = account;
  }

  /** Whether the credentials of a request are valid. */
  opens(request: IncomingMessage): boolean {
    const { authorization, 'x-api-key': key, 'x-api-secret': secret } = request.headers;
    if (authorization !== undefined) return this.#opensBy(authorization);
    if (key !== undefined || secret !== undefined) return this.#account.opens(key, secret);
    const { searchParams } = new URL(request.url ?? '/', 'http://sandbox');
    return this.#isToken(searchParams.get('apikey'));
  }

  #opensBy(authorization: string): boolean {
    const [, scheme = '', value = ''] = /^(\w+) +(.+)$/.exec(authorization) ?? [];
    if (scheme.toLowerCase() === 'bearer') return this.#isToken(value);
    if (scheme.toLowerCase() !== 'basic') return false;
    // The document shows no encoding, so this is the standard one.
    const text = Buffer.from(value, 'base64').toString('utf8');
    const colon = text.indexOf(':');
    return colon !== -1 && this.#account.opens(text.slice(0, colon), text.slice(colon + 1));
  }

  #isToken(given: string | null): boolean {
    return this.token !== null && given === this.token;
  }
}
