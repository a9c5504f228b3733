import { hash, timingSafeEqual } from 'node:crypto';
import { isIP } from 'node:net';
import type { FastifyRequest } from 'fastify';

/** The names under which the pages are reached. */
export interface OwnAddress {
  /** The host that they listen on. */
  host: string;
  /** `https://…` without a path; null: only this machine reaches them. */
  publicUrl: string | null;
}

/**
 * True: the Host of a request is ours. Only a name can be rebound by others, so an address passes. Our names are
 * localhost, the one that we listen on, and the public one.
 */
export function isOwnHost(header: string, { host, publicUrl }: OwnAddress): boolean {
  const name = header
    .replace(/:\d{1,5}$/, '')
    .replace(/^\[(.*)\]$/, '$1')
    .toLowerCase();
  if (isIP(name) !== 0 || name === 'localhost' || name === host.toLowerCase()) return true;
  return publicUrl !== null && name === new URL(publicUrl).hostname;
}

/**
 * True: a form or a call comes from a page of ours, as far as the browser tells. A program that sends neither header
 * has no cookie of a person.
 */
export function isOwnSite({ headers }: FastifyRequest, { publicUrl }: OwnAddress): boolean {
  const site = headers['sec-fetch-site'];
  if (site !== undefined && site !== 'same-origin' && site !== 'none') return false;
  const { origin, host } = headers;
  if (origin === undefined || origin === publicUrl) return true;
  const from = URL.parse(origin);
  // Our own name without TLS may be anybody's on the way.
  return from !== null && from.host === host && `https://${from.host}` !== publicUrl;
}

/** Compares two secrets without showing by the time how much of them is the same. */
export function isSame(given: string, expected: string): boolean {
  return timingSafeEqual(hash('sha256', given, 'buffer'), hash('sha256', expected, 'buffer'));
}
