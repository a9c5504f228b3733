/* Addresses of programs that get alerts. */

/** What is wrong with an address for alerts. */
export type AddressProblem = 'unreadable' | 'not_https' | 'credentials' | 'too_long';

const MOST_CHARS = 2_000;
const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;

/**
 * Reads an address for alerts: https, or http at this machine. Addresses of a private network are allowed, as in the
 * settings: that is where most receivers are. What somebody could reach by them is a POST with words of ours, and all
 * that comes back is a status.
 */
export function readEndpointUrl(text: string): { url: string } | { problem: AddressProblem } {
  if (text.length > MOST_CHARS) return { problem: 'too_long' };
  const url = URL.parse(text.trim());
  if (url === null || !/^https?:$/.test(url.protocol)) return { problem: 'unreadable' };
  if (url.username !== '' || url.password !== '') return { problem: 'credentials' };
  if (url.protocol === 'http:' && !LOOPBACK.test(url.hostname)) return { problem: 'not_https' };
  url.hash = '';
  return { url: url.href };
}

/** An address as people and programs see it: its path and query may be a credential of the receiver. */
export function shownAddress(url: string): string {
  const { origin, pathname, search } = new URL(url);
  return pathname === '/' && search === '' ? `${origin}/` : `${origin}/…`;
}
