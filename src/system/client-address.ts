import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import { type AddressList, plainAddress } from '../domain/numbers/address-list.ts';

/**
 * The address that a request came from. Anybody can write an `X-Forwarded-For`, so it counts only behind one
 * of `proxies`. It is read from its end up to the first address that is no proxy: our own proxy has seen that
 * one.
 */
export function clientAddress(request: IncomingMessage, proxies: AddressList | null): string {
  let client = plainAddress(request.socket.remoteAddress ?? '');
  if (proxies === null || !proxies.has(client)) return client;
  const header = request.headers['x-forwarded-for'];
  const hops = (typeof header === 'string' ? header : '').split(',').map((hop) => plainAddress(hop.trim()));
  for (const hop of hops.toReversed()) {
    // Our proxy writes addresses, so nothing before another word counts.
    if (isIP(hop) === 0) return client;
    client = hop;
    if (!proxies.has(hop)) return client;
  }
  return client;
}
