import type { Window } from './browser.ts';

/* Which pages there are: what links lead to, held against what the router has. */

/** A route of the server, as the router has it: `/campaigns/:id`. */
export interface Route {
  method: string;
  url: string;
}

/** What links lead to. */
export interface Found {
  /** The addresses of pages, by the route that answers them. */
  pages: Map<string, string[]>;
  /** Addresses that no route answers. */
  dead: string[];
}

/** An answer to a link, of a page or a file. */
export interface Answered {
  path: string;
  headers: Record<string, string>;
  text: string;
}

export interface Following {
  starts: readonly string[];
  routes: readonly Route[];
  /** Told each answer. */
  answered?: (answer: Answered) => void;
}

/** Of one route so many addresses are asked: a list of a hundred campaigns shows one page a hundred times. */
const EACH = 12;
const REDIRECTS = [301, 302, 303, 307, 308];

/**
 * Follows every link from `starts`, as somebody would who opens everything. Files are fetched once, and streams are left
 * alone.
 */
export async function followLinks(
  window: Window,
  { starts, routes, answered = () => undefined }: Following,
): Promise<Found> {
  const pages = new Map<string, string[]>();
  const dead = new Set<string>();
  const asked = new Map<string, Set<string>>();
  const waiting = [...starts];
  for (let path = waiting.shift(); path !== undefined; path = waiting.shift()) {
    const route = routeOf(path, routes);
    if (route === null) dead.add(path);
    if (route === null || isStream(route)) continue;
    const known = asked.get(route) ?? new Set();
    if (known.has(path) || known.size >= EACH) continue;
    asked.set(route, known.add(path));
    const { links, isPage, answer } = await readLinks(window, path);
    answered(answer);
    if (isPage) pages.set(route, [...(pages.get(route) ?? []), path]);
    waiting.push(...links);
  }
  return { pages, dead: [...dead] };
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

async function readLinks(
  window: Window,
  path: string,
): Promise<{ links: string[]; isPage: boolean; answer: Answered }> {
  const response = await window.context.request.get(path, { maxRedirects: 0 });
  const headers = response.headers();
  const answer = { path, headers, text: await response.text() };
  const { location, 'content-type': type = '' } = headers;
  if (REDIRECTS.includes(response.status()))
    return { links: location === undefined ? [] : [location], isPage: false, answer };
  if (!response.ok()) throw new Error(`a link leads to ${path}, which answers ${response.status()}`);
  const isFile = !type.startsWith('text/html') || headers['content-disposition'] !== undefined;
  if (isFile) return { links: [], isPage: false, answer };
  return { links: linksIn(answer.text, path), isPage: true, answer };
}

/** Addresses of this host that links of a page lead to, without their fragment. */
function linksIn(html: string, path: string): string[] {
  return [...html.matchAll(/<a\s[^>]*?href="([^"]*)"/g)].flatMap(([, href = '']) => {
    const url = URL.parse(unescaped(href), `http://tuma.test${path}`);
    return url?.host === 'tuma.test' ? [`${url.pathname}${url.search}`] : [];
  });
}

const CHARACTERS: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" };

function unescaped(attribute: string): string {
  return attribute.replaceAll(/&(amp|lt|gt|quot|#39);/g, (_whole, name: string) => CHARACTERS[name] ?? '');
}
