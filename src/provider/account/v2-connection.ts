import { lookup } from 'node:dns';
import { isIP } from 'node:net';
import { Pool } from 'undici';
import { TumaError } from '../../domain/errors.ts';
import { errorWords } from '../send/failure.ts';
import { MOST_CONNECT_MS, PLAIN_HTTP } from '../http/connection.ts';
import { parseAddress } from '../http/service-address.ts';
import { guardedLookup, isNobodys } from './v2-addresses.ts';

const CONNECTIONS = 2;

/** An answer whose body is still to come. */
export interface V2Answer {
  status: number;
  /** Media type in lower case, without parameters; empty when none is named. */
  contentType: string;
  /** The body came with a content-encoding, which is never undone. */
  encoded: boolean;
  /** As declared; null when it is not. */
  declaredBytes: number | null;
  body: AsyncIterable<Buffer>;
  /** Gives the rest of the body up. */
  discard(): void;
}

/** No whole answer came; `words` say why, for a person. */
export interface V2Failure {
  failed: true;
  words: string;
}

/** The connections to the v2 host, and to no other. */
export interface V2Connection {
  /** One GET. The body must be read or discarded before the signal fires. */
  get(path: string, signal: AbortSignal): Promise<V2Answer | V2Failure>;
  close(): Promise<void>;
}

/** Opens the line: HTTP/1.1, never a redirect, to the origin of `baseUrl` only. Throws `config_invalid`. */
export function openV2Connection(
  baseUrl: string,
  { headers, ca }: { headers: Record<string, string>; ca?: string },
): V2Connection {
  const {
    origin,
    path: prefix,
    host,
  } = parseAddress(baseUrl, {
    name: 'address of the v2 API',
    setting: 'TUMA_BASE_URL',
  });
  if (isIP(host) !== 0 && isNobodys(host)) throw nobodys();
  const pool = new Pool(origin, {
    ...PLAIN_HTTP,
    connections: CONNECTIONS,
    connect: { timeout: MOST_CONNECT_MS, lookup: guardedLookup(lookup), ...(ca === undefined ? {} : { ca }) },
    // The deadline of the whole is the caller's signal.
    headersTimeout: 0,
    bodyTimeout: 0,
  });
  return {
    get: async (path, signal) => {
      try {
        const whole = {
          path: prefix + path,
          method: 'GET',
          headers: { ...headers, 'user-agent': 'tuma' },
          signal,
        };
        return answerOf(await pool.request(whole));
      } catch (error) {
        return { failed: true, words: failureWords(error) };
      }
    },
    // Nothing that is still coming is of use to anybody.
    close: () => pool.destroy(),
  };
}

/** Why a request or the reading of its body failed. Never holds the URL. */
export function failureWords(error: unknown): string {
  // The reason of an abort is thrown as it is, and need not be an error.
  if (!(error instanceof Error) || error.name === 'AbortError') return 'given up';
  return error.name === 'TimeoutError' ? 'no whole answer within the deadline' : errorWords(error);
}

function answerOf({ statusCode, headers, body }: Awaited<ReturnType<Pool['request']>>): V2Answer {
  const header = (name: string) => [headers[name]].flat()[0]?.trim() ?? '';
  const encoding = header('content-encoding').toLowerCase();
  const declared = header('content-length');
  return {
    status: statusCode,
    contentType: (header('content-type').split(';')[0] ?? '').trim().toLowerCase(),
    encoded: encoding !== '' && encoding !== 'identity',
    declaredBytes: /^\d{1,15}$/.test(declared) ? Number(declared) : null,
    body: body as AsyncIterable<Buffer>,
    discard: () => {
      body.on('error', () => {}).destroy();
    },
  };
}

function nobodys(): TumaError {
  return new TumaError('config_invalid', {
    message: 'The address of the v2 API is one that no service has.',
    hint: 'Set it to {base_url} of the API document.',
    where: 'TUMA_BASE_URL',
  });
}
