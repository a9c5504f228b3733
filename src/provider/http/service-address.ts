import { TumaError } from '../../domain/errors.ts';

/** The address of a provider's host: `origin` to connect to, and the `path` before its own paths. */
export interface ServiceAddress {
  origin: string;
  path: string;
}

/** Reads the address of a provider's host. Throws `config_invalid` without repeating the address. */
export function parseAddress(
  text: string,
  { name, setting }: { name: string; setting: string },
): ServiceAddress {
  const url = URL.parse(text);
  const wrong = faultOf(url);
  if (url === null || wrong !== null) {
    throw new TumaError('config_invalid', {
      // The address may hold a password, so the error does not repeat it.
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
