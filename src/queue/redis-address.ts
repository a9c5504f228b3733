import { TumaError } from '../domain/errors.ts';

/** Where a Redis is: a unix socket (`path`) or a host and port. The names are those of ioredis. */
export interface RedisAddress {
  path?: string;
  host?: string;
  port?: number;
  username?: string;
  password?: string;
  db?: number;
  tls?: { servername: string };
}

const DEFAULT_PORT = 6379;

/**
 * Reads `TUMA_REDIS_URL`: `redis://`, `rediss://` (TLS), `unix:///path` or a plain path. Throws config_invalid, without
 * repeating the address, for it may hold a password.
 */
export function redisAddress(url: string): RedisAddress {
  if (url.startsWith('/')) return { path: url };
  const parsed = URL.parse(url);
  if (parsed === null) throw invalid();
  if (parsed.protocol === 'unix:') return unixAddress(parsed);
  if (parsed.hostname === '') throw invalid();
  if (parsed.protocol === 'redis:') return tcpAddress(parsed);
  if (parsed.protocol !== 'rediss:') throw invalid();
  const address = tcpAddress(parsed);
  return { ...address, tls: { servername: address.host } };
}

/** The address without user and password, for people. */
export function showAddress({ path, host, port }: RedisAddress): string {
  return path ?? `${host ?? '127.0.0.1'}:${port ?? DEFAULT_PORT}`;
}

/** `unix:///path`, or with a password `unix://:password@localhost/path`. A host of its own is a forgotten slash. */
function unixAddress(url: URL): RedisAddress {
  if (url.pathname === '' || !['', 'localhost'].includes(url.hostname)) throw invalid();
  return { path: decoded(url.pathname), ...login(url) };
}

function tcpAddress(url: URL): RedisAddress & { host: string } {
  return {
    // An IPv6 address has brackets in a URL, and none in a socket.
    host: url.hostname.replace(/^\[(.*)\]$/, '$1'),
    port: url.port === '' ? DEFAULT_PORT : Number(url.port),
    ...login(url),
    ...database(url),
  };
}

function login({ username, password }: URL): Pick<RedisAddress, 'username' | 'password'> {
  return {
    ...(username === '' ? {} : { username: decoded(username) }),
    ...(password === '' ? {} : { password: decoded(password) }),
  };
}

/** A password as it was given out may hold a `%` that stands for itself. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw invalid();
  }
}

function database({ pathname }: URL): Pick<RedisAddress, 'db'> {
  if (pathname === '' || pathname === '/') return {};
  const db = /^\/(\d{1,5})$/.exec(pathname)?.[1];
  if (db === undefined) throw invalid();
  return { db: Number(db) };
}

function invalid(): TumaError {
  return new TumaError('config_invalid', {
    message: 'TUMA_REDIS_URL is not the address of a Redis',
    hint: 'Write redis://host:6379, rediss://user:password@host:6380/0 or unix:///path/redis.sock; of a password % as %25, / as %2F, # as %23, @ as %40.',
    where: 'TUMA_REDIS_URL',
  });
}
