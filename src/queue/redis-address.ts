import type { ConnectionOptions } from 'node:tls';

/** The host and port of a Redis, or of a Sentinel. */
export interface RedisNode {
  host: string;
  port: number;
}

/**
 * Where a Redis is: a unix socket (`path`), a host and port, the Sentinels that know it under a `name`, or some nodes of
 * a cluster. The names are those of ioredis, but for `cluster`.
 */
export interface RedisAddress {
  path?: string;
  host?: string;
  port?: number;
  username?: string;
  password?: string;
  db?: number;
  /** Empty: the certificate must be one that Node trusts by itself. */
  tls?: ConnectionOptions;
  sentinels?: RedisNode[];
  name?: string;
  sentinelPassword?: string;
  sentinelTLS?: ConnectionOptions;
  enableTLSForSentinelMode?: boolean;
  cluster?: RedisNode[];
}

const DEFAULT_PORT = 6379;

/** The address without user and password, for people. */
export function showAddress(address: RedisAddress): string {
  const { path, host, port, sentinels, name, cluster } = address;
  if (cluster !== undefined) return `the cluster ${showNodes(cluster)}`;
  if (sentinels !== undefined) return `"${name ?? ''}" of the Sentinels ${showNodes(sentinels)}`;
  return path ?? `${host ?? '127.0.0.1'}:${port ?? DEFAULT_PORT}`;
}

function showNodes(nodes: RedisNode[]): string {
  return nodes.map(({ host, port }) => `${host}:${port}`).join(', ');
}
