import type { Window } from './browser.ts';

/* Which pages there are: what links lead to, held against what the router has. */

/** A route of the server, as the router has it: `/campaigns/:id`. */
export interface Route {
  method: string;
  url: string;
}

/** The addresses that were found, by the route that answers them. */
export type Found = Map<string, string[]>;

/** Of one route so many addresses are followed: a list of a hundred campaigns shows one page a hundred times. */
const EACH = 3;
const REDIRECTS = [301, 302, 303, 307, 308];

/**
 * Follows every link from `starts`, as somebody would who opens everything, and answers the addresses of pages. Files and
 * streams are left alone.
 */
export async function followLinks(
  window: Window,
  { starts, routes }: { starts: readonly string[]; routes: readonly Route[] },
): Promise<Found> {
  const found: Found = new Map();
  const seen = new Set<string>();
  const waiting = [...starts];
  for (let path = waiting.shift(); path !== undefined; path = waiting.shift()) {
    const route = routeOf(path, routes);
    if (route === null || isStream(route)) continue;
    const known = found.get(route) ?? [];
    if (seen.has(path) || known.length >= EACH) continue;
    seen.add(path);
    const { links, isPage } = await readLinks(window, path);
    if (isPage) found.set(route, [...known, path]);
    waiting.push(...links);
  }
  return found;
}

/** The route that answers an address; null: none does. One with fewer parameters goes first, as in the router. */
export function routeOf(path: string, routes: readonly Route[]): string | null {
  const [plain = '/'] = path.split(/[?#]/, 1);
  const fitting = routes.filter(({ method, url }) => method === 'GET' && patternOf(url).test(plain));
  const parameters = (url: string) => url.split(/[:*]/).length;
  return fitting.sort((one, other) => parameters(one.url) - parameters(other.url))[0]?.url ?? null;
}

function patternOf(url: string): RegExp {
  const escaped = url.replaceAll(/[.+?^${}()|[\]\\]/g, String.raw`\$&`);
  return new RegExp(`^${escaped.replaceAll(/:\w+/g, '[^/]+').replaceAll('*', '.*')}$`);
}

/** A stream of events never ends, so nobody can read it whole. */
function isStream(route: string): boolean {
  return /\/(live|events)$/.test(route);
}

async function readLinks(window: Window, path: string): Promise<{ links: string[]; isPage: boolean }> {
  const response = await window.context.request.get(path, { maxRedirects: 0 });
  const { location, 'content-type': type = '' } = response.headers();
  if (REDIRECTS.includes(response.status()))
    return { links: location === undefined ? [] : [location], isPage: false };
  if (!response.ok()) throw new Error(`a link leads to ${path}, which answers ${response.status()}`);
  if (!type.startsWith('text/html')) return { links: [], isPage: false };
  return { links: linksIn(await response.text(), path), isPage: true };
}

/** Addresses of this host that links of a page lead to, without their fragment. */
function linksIn(html: string, path: string): string[] {
  return [...html.matchAll(/<a\s[^>]*?href="([^"]*)"/g)].flatMap(([, href = '']) => {
    const url = URL.parse(href.replaceAll('&amp;', '&'), `http://tuma.test${path}`);
    return url?.host === 'tuma.test' ? [`${url.pathname}${url.search}`] : [];
  });
}
