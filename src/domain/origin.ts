/** `http://HOST:PORT`, an IPv6 address in brackets. */
export function originOf({ host, port }: { host: string; port: number }): string {
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}

/** Where this machine reaches what listens there: an address that means "all of them" is reached by loopback. */
export function reachableOrigin({ host, port }: { host: string; port: number }): string {
  const reachable = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host;
  return originOf({ host: reachable, port });
}
