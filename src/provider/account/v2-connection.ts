import { Pool } from 'undici';
import { MOST_CONNECT_MS, PLAIN_HTTP } from '../http/connection.ts';
import { parseAddress } from '../http/service-address.ts';
import { errorWords } from '../send/failure.ts';

const CONNECTIONS = 2;
/** The longest answer without a file, in bytes. */
export const MOST_ANSWER_BYTES = 65_536;

/** A whole answer. */
export interface V2Answer {
  status: number;
  /** Media type in lower case, without parameters; empty when none is named. */
  contentType: string;
  /** Null: it is longer than `maxBytes`. */
  body: Buffer | null;
}

/** No complete answer came. `failed` is the reason for a person and never holds the URL. */
export interface V2Failure {
  failed: string;
  /** Null: no status came. */
  status: number | null;
}

/** The connections to the v2 host, and to no other. */
export interface V2Connection {
  /** One GET. It reads at most 64 kB of an answer other than 200. */
  get(path: string, bounds: { signal: AbortSignal; maxBytes: number }): Promise<V2Answer | V2Failure>;
  close(): Promise<void>;
}

/** Opens HTTP/1.1 connections to the origin of `baseUrl` only, without redirects. Throws `config_invalid`. */
export function openV2Connection(
  baseUrl: string,
  { headers, ca }: { headers: Record<string, string>; ca?: string },
): V2Connection {
  const names = { name: 'address of the v2 API', setting: 'TUMA_BASE_URL' };
  const { origin, path: prefix } = parseAddress(baseUrl, names);
  const pool = new Pool(origin, {
    ...PLAIN_HTTP,
    connections: CONNECTIONS,
    connect: { timeout: MOST_CONNECT_MS, ...(ca === undefined ? {} : { ca }) },
    // The caller's signal is the deadline of the whole.
    headersTimeout: 0,
    bodyTimeout: 0,
  });
  const sent = { ...headers, 'user-agent': 'tuma' };
  return {
    get: async (path, { signal, maxBytes }) => {
      let status: number | null = null;
      try {
        const answer = await pool.request({ path: prefix + path, method: 'GET', headers: sent, signal });
        status = answer.statusCode;
        return await wholeAnswer(answer, status === 200 ? maxBytes : MOST_ANSWER_BYTES);
      } catch (error) {
        return { failed: failureWords(error), status };
      }
    },
    // No caller needs a late answer.
    close: () => pool.destroy(),
  };
}

type Answering = Awaited<ReturnType<Pool['request']>>;

async function wholeAnswer(
  { statusCode: status, headers, body }: Answering,
  maxBytes: number,
): Promise<V2Answer | V2Failure> {
  const header = (name: string) => [headers[name]].flat()[0]?.trim().toLowerCase() ?? '';
  const contentType = (header('content-type').split(';')[0] ?? '').trim();
  try {
    const encoding = header('content-encoding');
    if (encoding !== '' && encoding !== 'identity')
      return { failed: 'a compressed body, which was not asked for', status };
    if (Number(header('content-length')) > maxBytes) return { status, contentType, body: null };
    return { status, contentType, body: await readUpTo(maxBytes, body) };
  } finally {
    body.on('error', () => {}).destroy();
  }
}

/** Null: there is more. */
async function readUpTo(maxBytes: number, body: AsyncIterable<Buffer>): Promise<Buffer | null> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.length;
    if (bytes > maxBytes) return null;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function failureWords(error: unknown): string {
  // The reason of an abort is thrown as it is, and need not be an error.
  if (!(error instanceof Error) || error.name === 'AbortError') return 'given up';
  return error.name === 'TimeoutError' ? 'no whole answer within the deadline' : errorWords(error);
}
