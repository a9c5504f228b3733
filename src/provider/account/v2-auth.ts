import { TumaError } from '../../domain/errors.ts';

/** The four methods of API document 5.2. */
export type V2Method = 'bearer' | 'headers' | 'basic' | 'query';

/** The account's credentials; each method uses a part of them. */
export interface V2Credentials {
  auth: V2Method;
  token: string | null;
  key: string | null;
  secret: string | null;
}

/** The authorisation of a request. `query` begins with `?` or is empty; a URL with one is never shown. */
export interface V2Authorisation {
  headers: Record<string, string>;
  query: string;
  /** The secrets that must be removed from the provider's words. */
  secrets: string[];
}

const SETTINGS = { token: 'TUMA_API_TOKEN', key: 'TUMA_API_KEY', secret: 'TUMA_API_SECRET' } as const;
type Part = keyof typeof SETTINGS;
const PARTS = Object.keys(SETTINGS) as Part[];

const HEADER_SAFE = /^[\x21-\x7e]+(?: +[\x21-\x7e]+)*$/;

/**
 * Prepares the authorisation of every request. `basic` is the profile's row, because the document does not
 * show the encoded value of Basic authentication. Throws `credentials`, naming settings that are missing or
 * do not fit a header.
 */
export function authorise(credentials: V2Credentials, basic: string): V2Authorisation {
  const { auth } = credentials;
  refuseMissing(credentials, neededBy(auth, basic));
  const secrets = PARTS.flatMap((part) => credentials[part] ?? []);
  if (auth === 'query')
    return { headers: {}, query: `?apikey=${encodeURIComponent(credentials.token ?? '')}`, secrets };
  if (auth === 'basic') {
    const text = basic.replace(/\{(token|key|secret)\}/g, (_, part: Part) => credentials[part] ?? '');
    const encoded = Buffer.from(text, 'utf8').toString('base64');
    return { headers: { authorization: `Basic ${encoded}` }, query: '', secrets: [...secrets, encoded] };
  }
  const inHeader = (part: Part) => headerText(credentials[part] ?? '', part);
  const headers: Record<string, string> =
    auth === 'bearer'
      ? { authorization: `Bearer ${inHeader('token')}` }
      : { 'x-api-key': inHeader('key'), 'x-api-secret': inHeader('secret') };
  return { headers, query: '', secrets };
}

function neededBy(auth: V2Method, basic: string): Part[] {
  if (auth === 'basic') return PARTS.filter((part) => basic.includes(`{${part}}`));
  return auth === 'headers' ? ['key', 'secret'] : ['token'];
}

function refuseMissing(credentials: V2Credentials, needed: Part[]): void {
  const missing = needed.filter((part) => credentials[part] === null);
  if (missing.length === 0) return;
  throw new TumaError('credentials', {
    message: `Not set: ${missing.map((part) => SETTINGS[part]).join(', ')}.`,
    hint: `The v2 API needs it for TUMA_V2_AUTH=${credentials.auth}; put it into .env.`,
  });
}

function headerText(text: string, part: Part): string {
  if (HEADER_SAFE.test(text)) return text;
  throw new TumaError('credentials', {
    message: `${SETTINGS[part]} holds a character that no header can carry.`,
    hint: 'Copy it again from the portal: plain letters, digits and signs.',
    where: SETTINGS[part],
  });
}
