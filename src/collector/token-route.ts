import { timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

/** One place for every wrong token, path and method, so that all of them are answered alike. */
export const NOWHERE = '/none';
/** The addresses that the router knows. */
export type Place = '/webhook' | '/health' | typeof NOWHERE;

const WEBHOOKS = '/webhooks/';
/** More than any token has (`config_invalid` beyond 100): all are compared at this length, with zeros behind them. */
const PADDED_BYTES = 128;

/**
 * Decides who is let in, on the address exactly as it was sent: nothing is decoded, so no second spelling of a path
 * exists. Tokens are compared in constant time, every one of them each time (API document 6, rule 4: webhooks are
 * not signed, so the unguessable address is all that tells the provider from anybody else).
 */
export class TokenRoute {
  readonly #tokens: Buffer[];
  /** The one that is asked about: one buffer for all, for this is done for each webhook. */
  readonly #given = padded('');

  /** `tokens`: the ones that are valid now; two while one is being replaced by another. */
  constructor(tokens: readonly string[]) {
    this.#tokens = tokens.map(padded);
  }

  place(request: IncomingMessage): Place {
    const path = pathOf(request.url ?? '');
    // Many monitors ask by HEAD.
    if (path === '/health') return ['GET', 'HEAD'].includes(request.method ?? '') ? '/health' : NOWHERE;
    const token = path.startsWith(WEBHOOKS) ? path.slice(WEBHOOKS.length) : '';
    const known = this.#knows(token);
    const asked = request.method === 'POST' || request.method === 'GET';
    return known && asked ? '/webhook' : NOWHERE;
  }

  #knows(token: string): boolean {
    this.#given.fill(0);
    this.#given.write(token, 'latin1');
    let found = false;
    for (const each of this.#tokens) found = timingSafeEqual(each, this.#given) || found;
    return found && token !== '' && token.length <= PADDED_BYTES;
  }
}

/** What follows the question mark; empty without one. */
export function queryOf(url: string): string {
  const mark = url.indexOf('?');
  return mark === -1 ? '' : url.slice(mark + 1);
}

function pathOf(url: string): string {
  const mark = url.indexOf('?');
  return mark === -1 ? url : url.slice(0, mark);
}

function padded(token: string): Buffer {
  const bytes = Buffer.alloc(PADDED_BYTES);
  bytes.write(token, 'latin1');
  return bytes;
}
