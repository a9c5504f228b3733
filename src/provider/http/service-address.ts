import { TumaError } from '../../domain/errors.ts';

/** Where a host of the service is: `origin` to connect to, `path` (without a last slash) in front of its own paths. */
export interface ServiceAddress {
  origin: string;
  path: string;
}

/** Reads the address of one of the service's hosts. Throws `config_invalid`; the address itself is not repeated. */
export function parseAddress(
  text: string,
  { name, setting }: { name: string; setting: string },
): ServiceAddress {
  const url = URL.parse(text);
  const wrong = faultOf(url);
  if (url === null || wrong !== null) {
    throw new TumaError('config_invalid', {
      // The address itself is not repeated: it may hold a password.
      message: `The ${name} ${wrong}.`,
      hint: 'Set it to the host of the endpoints, such as https://sms.example.com.',
      where: setting,
    });
  }
  return { origin: url.origin, path: url.pathname.replace(/\/+$/, '') };
}

function faultOf(url: URL | null): string | null {
  if (url === null) return 'is no URL';
  if (!/^https?:$/.test(url.protocol)) return 'must begin with https:// or http://';
  if (url.username !== '' || url.password !== '') return 'must not hold a user name or password';
  return url.search === '' && url.hash === '' ? null : 'must not hold a query or fragment';
}
