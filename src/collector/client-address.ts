import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import { type AddressList, plainAddress } from '../domain/numbers/address-list.ts';

/** As some proxies write an address: with the port that it came from, and IPv6 in brackets then. */
const WITH_PORT = /^(?:\[(?<v6>[^[\]]+)\]|(?<v4>\d+\.\d+\.\d+\.\d+))(?::\d{1,5})?$/;

/**
 * The address that a request came from. Anybody can write an `X-Forwarded-For`, so it is read only when one of `proxies`
 * handed the request on, from its end, up to the first address that is none of them: the only one that a proxy of ours
 * has seen itself.
 */
export function clientAddress(request: IncomingMessage, proxies: AddressList | null): string {
  let client = plainAddress(request.socket.remoteAddress ?? '');
  if (proxies === null || !proxies.has(client)) return client;
  const header = request.headers['x-forwarded-for'];
  const hops = (typeof header === 'string' ? header : '').split(',').map((hop) => addressOf(hop.trim()));
  for (const hop of hops.toReversed()) {
    // What is no address was not written by a proxy of ours: nothing before it counts.
    if (isIP(hop) === 0) return client;
    client = hop;
    if (!proxies.has(hop)) return client;
  }
  return client;
}

function addressOf(hop: string): string {
  const { v4, v6 } = WITH_PORT.exec(hop)?.groups ?? {};
  return plainAddress(v4 ?? v6 ?? hop);
}
