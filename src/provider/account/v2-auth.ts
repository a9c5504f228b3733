import { TumaError } from '../../domain/errors.ts';

/** The four methods of API document 5.2. */
export type V2Method = 'bearer' | 'headers' | 'basic' | 'query';

/** What the account has; a method takes what it needs of it. */
export interface V2Credentials {
  auth: V2Method;
  token: string | null;
  key: string | null;
  secret: string | null;
}

/** How a request is authorised. `query` begins with `?` or is empty; a URL that has one is never shown. */
export interface V2Authorisation {
  headers: Record<string, string>;
  query: string;
  /** Everything that must be taken out of what the service says. */
  secrets: string[];
}

const SETTINGS = { token: 'TUMA_API_TOKEN', key: 'TUMA_API_KEY', secret: 'TUMA_API_SECRET' } as const;
type Part = keyof typeof SETTINGS;

const HEADER_SAFE = /^[\x21-\x7e]+(?: +[\x21-\x7e]+)*$/;

/**
 * Prepares what every request carries. `basic` is the profile's row: what is encoded is not shown in the document. Throws
 * `credentials` naming the settings that are missing or that no header can carry.
 */
export function authorise(credentials: V2Credentials, basic: string): V2Authorisation {
  const secrets = [credentials.token, credentials.key, credentials.secret].filter((text) => text !== null);
  const method = METHODS[credentials.auth];
  const parts = takeParts(credentials, method.needs(basic));
  const { headers = {}, query = '', encoded = [] } = method.write(parts, basic);
  return { headers, query, secrets: [...secrets, ...encoded] };
}

type Parts = Record<Part, string>;
type Written = { headers?: Record<string, string>; query?: string; encoded?: string[] };

const METHODS: Record<
  V2Method,
  { needs(basic: string): Part[]; write(parts: Parts, basic: string): Written }
> = {
  bearer: {
    needs: () => ['token'],
    write: ({ token }) => ({ headers: { authorization: `Bearer ${inHeader(token, 'token')}` } }),
  },
  headers: {
    needs: () => ['key', 'secret'],
    write: ({ key, secret }) => ({
      headers: { 'x-api-key': inHeader(key, 'key'), 'x-api-secret': inHeader(secret, 'secret') },
    }),
  },
  basic: {
    needs: (basic) => (Object.keys(SETTINGS) as Part[]).filter((part) => basic.includes(`{${part}}`)),
    write: (parts, basic) => {
      const text = basic.replace(/\{(token|key|secret)\}/g, (_, part: Part) => parts[part]);
      const encoded = Buffer.from(text, 'utf8').toString('base64');
      return { headers: { authorization: `Basic ${encoded}` }, encoded: [encoded] };
    },
  },
  query: {
    needs: () => ['token'],
    write: ({ token }) => ({ query: `?apikey=${encodeURIComponent(token)}` }),
  },
};

function takeParts(credentials: V2Credentials, needed: Part[]): Parts {
  const missing = needed.filter((part) => credentials[part] === null);
  if (missing.length > 0) {
    throw new TumaError('credentials', {
      message: `Not set: ${missing.map((part) => SETTINGS[part]).join(', ')}.`,
      hint: `The v2 API needs it for TUMA_V2_AUTH=${credentials.auth}; put it into .env.`,
    });
  }
  const { token, key, secret } = credentials;
  return { token: token ?? '', key: key ?? '', secret: secret ?? '' };
}

function inHeader(text: string, part: Part): string {
  if (HEADER_SAFE.test(text)) return text;
  throw new TumaError('credentials', {
    message: `${SETTINGS[part]} holds a character that no header can carry.`,
    hint: 'Copy it again from the portal: plain letters, digits and signs.',
    where: SETTINGS[part],
  });
}
