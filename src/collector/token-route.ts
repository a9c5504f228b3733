import { timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

/** The place of every wrong token, so that all of them get the same answer. */
export const NOWHERE = '/none';
/** The place of a right token in another path, or with another method. It gets the same answer, too. */
export const MISPLACED = '/misplaced';
/** The addresses that the router knows. */
export type Place = '/webhook' | '/health' | typeof NOWHERE | typeof MISPLACED;

const WEBHOOKS = '/webhooks/';
/** Longer than any token (at most 100). All are compared at this length, filled up with zeros. */
const PADDED_BYTES = 128;
/** The parts of a path in which a misplaced token is looked for. */
const MOST_PARTS = 8;

/**
 * Finds the place of an address exactly as it was sent: nothing is decoded, so no second spelling of a path
 * exists but the one with a slash at its end, which portals and proxies add. Each token is compared in constant time. Webhooks are not signed, so only the token proves the
 * sender (API document 6).
 */
export class TokenRoute {
  readonly #tokens: Buffer[];
  /** One buffer for the token of every request. */
  readonly #given = padded('');

  /** `tokens`: the valid ones; two while one replaces the other. */
  constructor(tokens: readonly string[]) {
    this.#tokens = tokens.map(padded);
  }

  /** The router's address for this request. */
  place(request: IncomingMessage): Place {
    const path = pathOf(request.url ?? '');
    // Many monitors ask by HEAD.
    if (path === '/health') return ['GET', 'HEAD'].includes(request.method ?? '') ? '/health' : NOWHERE;
    const known = this.#knows(tokenOf(path));
    const asked = request.method === 'POST' || request.method === 'GET';
    if (known && asked) return '/webhook';
    return this.#isMisplaced(path) ? MISPLACED : NOWHERE;
  }

  /** The path for the log, with `[token]` for each token. */
  shownPath(url: string): string {
    let path = pathOf(url);
    for (const token of this.#tokens) {
      const text = token.toString('latin1').replace(/\0+$/, '');
      if (text !== '') path = path.replaceAll(text, '[token]');
    }
    return path.slice(0, PADDED_BYTES);
  }

  /** All parts are compared, so the time tells nothing of a token. */
  #isMisplaced(path: string): boolean {
    let found = false;
    for (const part of path.split('/', MOST_PARTS)) found = this.#knows(part) || found;
    return found;
  }

  #knows(token: string): boolean {
    this.#given.fill(0);
    this.#given.write(token, 'latin1');
    let found = false;
    for (const each of this.#tokens) found = timingSafeEqual(each, this.#given) || found;
    return found && token !== '' && token.length <= PADDED_BYTES;
  }
}

function tokenOf(path: string): string {
  return path.startsWith(WEBHOOKS) ? path.slice(WEBHOOKS.length).replace(/\/$/, '') : '';
}

/** The query of an address; empty without a question mark. */
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
