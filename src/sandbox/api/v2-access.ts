import type { IncomingMessage } from 'node:http';
import type { Account } from './account.ts';

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
