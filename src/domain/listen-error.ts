import { TumaError } from './errors.ts';

/** Turns the system's error about an unusable port into words for a person. */
export function listenError(
  error: unknown,
  address: { host: string; port: number; hostSetting: string; portSetting: string },
): unknown {
  const { host, port, hostSetting, portSetting } = address;
  switch ((error as { code?: unknown } | null)?.code) {
    case 'EADDRINUSE':
      return new TumaError('port_in_use', {
        message: `Another program listens on ${host}:${port}.`,
        hint: `Stop it, or choose another port with ${portSetting}.`,
        where: portSetting,
        cause: error,
      });
    case 'EACCES':
      return new TumaError('config_invalid', {
        message: `This user may not listen on port ${port}.`,
        hint: `Choose a port above 1023 with ${portSetting}.`,
        where: portSetting,
        cause: error,
      });
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return new TumaError('config_invalid', {
        message: `${host} is not an address of this machine.`,
        hint: `Set ${hostSetting} to 127.0.0.1, or to 0.0.0.0 for every address.`,
        where: hostSetting,
        cause: error,
      });
    default:
      return error;
  }
}

/** `http://HOST:PORT`, an IPv6 address in brackets. */
export function originOf({ host, port }: { host: string; port: number }): string {
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}

/** The address that this machine uses: an address for "all of them" is reached by loopback. */
export function reachableOrigin({ host, port }: { host: string; port: number }): string {
  const reachable = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host;
  return originOf({ host: reachable, port });
}
