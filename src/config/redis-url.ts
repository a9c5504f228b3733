import type { Parsed } from './values.ts';

/** What `TUMA_REDIS_URL` says. */
export interface RedisUrl {
  /** `sentinel`: the nodes are Sentinels, who know where the Redis is. */
  kind: 'one' | 'sentinel' | 'cluster';
  /** True: everything goes through TLS. */
  tls: boolean;
  /** At least one; empty for a unix socket. */
  nodes: { host: string; port: number }[];
  /** The unix socket; else null. */
  path: string | null;
  /** The name that the Sentinels know the Redis by; else null. */
  service: string | null;
  /** Null: the user `default`. */
  username: string | null;
  password: string | null;
  /** Null: the first one. */
  db: number | null;
}

const REDIS_PORT = 6379;
const SENTINEL_PORT = 26_379;
const FORMS =
  'redis://host:6379, rediss://user@host:6380/0 (TLS), unix:///path/redis.sock, redis+sentinel://host,host,host/NAME or redis+cluster://host,host,host';
const NOT_AN_ADDRESS = `is not the address of a Redis; write ${FORMS}, and of a password % as %25, / as %2F, # as %23, @ as %40`;

const ADDRESS =
  /^(?<tls>rediss?)(?:\+(?<kind>sentinel|cluster))?:\/\/(?<login>[^/?#]*@)?(?<hosts>[^/?#@]+)(?:\/(?<rest>[^?#]*))?$/;

/** Reads `TUMA_REDIS_URL`. A problem never holds any part of the text, because it may hold a password. */
export function readRedisUrl(text: string): Parsed<RedisUrl> {
  if (/[\p{Cc}\s]/u.test(text)) return { problem: NOT_AN_ADDRESS };
  try {
    return text.startsWith('/') || text.startsWith('unix:') ? readSocket(text) : readAddress(text);
  } catch {
    // A part that is no host, no port, or has a % that stands for itself.
    return { problem: NOT_AN_ADDRESS };
  }
}

/** A plain path, `unix:///path`, or with a password `unix://:password@localhost/path`. */
function readSocket(text: string): Parsed<RedisUrl> {
  const url = new URL(text.startsWith('/') ? `unix://${text}` : text);
  const { pathname, hostname } = url;
  // Of `unix://redis.sock`, which lacks a slash, the name would be a host.
  if (pathname === '' || !['', 'localhost'].includes(hostname)) return { problem: NOT_AN_ADDRESS };
  const path = text.startsWith('/') ? text : decodeURIComponent(pathname);
  return { value: { ...NOTHING, ...loginOf(url), path } };
}

function readAddress(text: string): Parsed<RedisUrl> {
  const parts = ADDRESS.exec(text)?.groups;
  if (parts === undefined) return { problem: NOT_AN_ADDRESS };
  const kind = (parts['kind'] ?? 'one') as RedisUrl['kind'];
  const nodes = (parts['hosts'] ?? '')
    .split(',')
    .map((node) => readNode(node, kind === 'sentinel' ? SENTINEL_PORT : REDIS_PORT));
  if (kind === 'one' && nodes.length > 1)
    return { problem: 'names several hosts: write redis+sentinel:// or redis+cluster://' };
  const found = readRest(kind, parts['rest'] ?? '');
  if ('problem' in found) return found;
  const login = loginOf(new URL(`redis://${parts['login'] ?? ''}host`));
  return { value: { ...NOTHING, ...login, ...found.value, kind, nodes, tls: parts['tls'] === 'rediss' } };
}

/** What may follow the hosts: the name that the Sentinels know, and the number of the database. */
const REST = {
  one: { form: /^(?<db>\d{0,5})$/, problem: NOT_AN_ADDRESS },
  sentinel: {
    form: /^(?<service>[^/]+)(?:\/(?<db>\d{0,5}))?$/,
    problem: 'lacks the name that the Sentinels know: write redis+sentinel://host,host,host/NAME',
  },
  cluster: { form: /^$/, problem: 'has a / after the hosts: a Redis Cluster has no numbered databases' },
};

function readRest(kind: RedisUrl['kind'], rest: string): Parsed<Pick<RedisUrl, 'service' | 'db'>> {
  const { form, problem } = REST[kind];
  const found = form.exec(rest);
  if (found === null) return { problem };
  const { service, db = '' } = found.groups ?? {};
  return {
    value: {
      service: service === undefined ? null : decodeURIComponent(service),
      db: db === '' ? null : Number(db),
    },
  };
}

function readNode(text: string, defaultPort: number): { host: string; port: number } {
  const { hostname, port } = new URL(`redis://${text}`);
  if (hostname === '') throw new Error('no host');
  // An IPv6 address has brackets in a URL, and none in a socket.
  return { host: hostname.replace(/^\[(.*)\]$/, '$1'), port: port === '' ? defaultPort : Number(port) };
}

const NOTHING: RedisUrl = {
  kind: 'one',
  tls: false,
  nodes: [],
  path: null,
  service: null,
  username: null,
  password: null,
  db: null,
};

function loginOf({ username, password }: URL): Pick<RedisUrl, 'username' | 'password'> {
  const read = (part: string) => (part === '' ? null : decodeURIComponent(part));
  return { username: read(username), password: read(password) };
}
