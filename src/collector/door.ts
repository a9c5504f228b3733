import { hash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

/** One place for every wrong token, path and method, so that all of them are answered alike. */
export const NOWHERE = '/none';
/** The addresses that the router knows. */
export type Place = '/webhook' | '/health' | typeof NOWHERE;

const WEBHOOKS = '/webhooks/';

/**
 * Decides who is let in, on the address exactly as it was sent: nothing is decoded, so no second spelling of a path
 * exists. Tokens are compared as digests in constant time, every one of them each time (API document 6, rule 4: webhooks are
 * not signed, so the unguessable address is all that tells the provider from anybody else).
 */
export class Door {
  readonly #digests: Buffer[];

  /** `tokens`: the ones that are valid now; two while one is being replaced by another. */
  constructor(tokens: readonly string[]) {
    this.#digests = tokens.map(digest);
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
    const given = digest(token);
    let found = false;
    for (const each of this.#digests) found = timingSafeEqual(each, given) || found;
    return found && token !== '';
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

function digest(token: string): Buffer {
  return hash('sha256', token, 'buffer');
}
