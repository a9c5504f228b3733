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
 * Reads `TUMA_REDIS_URL`: `redis://`, `rediss://` (TLS), `unix:///path` or a plain path. Throws
 * config_invalid, without the address, because it may hold a password.
 */
export function redisAddress(url: string): RedisAddress {
  try {
    return url.startsWith('/') ? { path: url } : readUrl(new URL(url));
  } catch {
    throw new TumaError('config_invalid', {
      message: 'TUMA_REDIS_URL is not the address of a Redis',
      hint: 'Write redis://host:6379, rediss://user:password@host:6380/0 or unix:///path/redis.sock; of a password % as %25, / as %2F, # as %23, @ as %40.',
      where: 'TUMA_REDIS_URL',
    });
  }
}

/** The address without user and password, for people. */
export function showAddress({ path, host, port }: RedisAddress): string {
  return path ?? `${host ?? '127.0.0.1'}:${port ?? DEFAULT_PORT}`;
}

function readUrl(url: URL): RedisAddress {
  switch (url.protocol) {
    case 'unix:':
      return { path: socketPath(url), ...login(url) };
    case 'redis:':
      return tcpAddress(url);
    case 'rediss:': {
      const address = tcpAddress(url);
      return { ...address, tls: { servername: address.host } };
    }
    default:
      throw new Error('another protocol');
  }
}

/** `unix:///path`, or with a password `unix://:password@localhost/path`. Another host lacks a slash. */
function socketPath({ pathname, hostname }: URL): string {
  if (pathname === '' || !['', 'localhost'].includes(hostname)) throw new Error('no path');
  return decodeURIComponent(pathname);
}

function tcpAddress(url: URL): RedisAddress & { host: string } {
  const [, db] = /^\/?(\d{0,5})$/.exec(url.pathname) ?? [];
  if (url.hostname === '' || db === undefined) throw new Error('no host, or no database');
  return {
    // An IPv6 address has brackets in a URL, and none in a socket.
    host: url.hostname.replace(/^\[(.*)\]$/, '$1'),
    port: url.port === '' ? DEFAULT_PORT : Number(url.port),
    ...login(url),
    ...(db === '' ? {} : { db: Number(db) }),
  };
}

function login({ username, password }: URL): Pick<RedisAddress, 'username' | 'password'> {
  return {
    ...(username === '' ? {} : { username: decodeURIComponent(username) }),
    ...(password === '' ? {} : { password: decodeURIComponent(password) }),
  };
}
