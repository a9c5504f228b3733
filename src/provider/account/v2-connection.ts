import { Pool } from 'undici';
import { MOST_CONNECT_MS, PLAIN_HTTP } from '../http/connection.ts';
import { parseAddress } from '../http/service-address.ts';
import { errorWords } from '../send/failure.ts';

const CONNECTIONS = 2;
const GIVEN_UP = 'given up';
/** The longest answer without a file, in bytes. */
export const MOST_ANSWER_BYTES = 65_536;

/** An answer whose body is still on its way. `drop` must be called in the end. */
export interface V2Opened {
  status: number;
  /** Media type in lower case, without parameters; empty when none is named. */
  contentType: string;
  /** The declared number of bytes; null: none is declared. */
  length: number | null;
  /** Throws `CutBody` when it does not come whole. */
  body: AsyncIterable<Buffer>;
  /** Gives up what was not read. */
  drop(): void;
}

/** A whole answer. */
export interface V2Answer extends Pick<V2Opened, 'status' | 'contentType'> {
  /** Null: it is longer than `maxBytes`. */
  body: Buffer | null;
}

/** No complete answer came. `failed` is the reason for a person and never holds the URL. */
export interface V2Failure {
  failed: string;
  /** Null: no status came. */
  status: number | null;
}

/** A body that ended too early. Its message is the reason, for a person. */
export class CutBody extends Error {
  /** The caller ended it. */
  readonly givenUp: boolean;

  constructor(cause: unknown) {
    const words = failureWords(cause);
    super(words, { cause });
    this.givenUp = words === GIVEN_UP;
  }
}

/** The connections to the v2 host, and to no other. */
export interface V2Connection {
  /** One GET. It reads at most 64 kB of the answer. */
  get(path: string, signal: AbortSignal): Promise<V2Answer | V2Failure>;
  /** One GET whose body the caller reads. */
  open(path: string, signal: AbortSignal): Promise<V2Opened | V2Failure>;
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
  const open: V2Connection['open'] = async (path, signal) => {
    try {
      return opened(await pool.request({ path: prefix + path, method: 'GET', headers: sent, signal }));
    } catch (error) {
      return { failed: failureWords(error), status: null };
    }
  };
  return {
    open,
    get: async (path, signal) => {
      const answer = await open(path, signal);
      return 'failed' in answer ? answer : wholeAnswer(answer);
    },
    // No caller needs a late answer.
    close: () => pool.destroy(),
  };
}

type Answering = Awaited<ReturnType<Pool['request']>>;

function opened({ statusCode: status, headers, body }: Answering): V2Opened | V2Failure {
  const header = (name: string) => [headers[name]].flat()[0]?.trim().toLowerCase() ?? '';
  const drop = () => void body.on('error', () => {}).destroy();
  const encoding = header('content-encoding');
  if (encoding !== '' && encoding !== 'identity') {
    drop();
    return { failed: 'a compressed body, which was not asked for', status };
  }
  const contentType = (header('content-type').split(';')[0] ?? '').trim();
  const length = header('content-length');
  return { status, contentType, length: length === '' ? null : Number(length), body: wholeBody(body), drop };
}

async function* wholeBody(body: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  try {
    yield* body;
  } catch (error) {
    throw new CutBody(error);
  }
}

/** Reads an answer that is no file: at most 64 kB, and the rest is given up. */
export async function wholeAnswer(answer: V2Opened): Promise<V2Answer | V2Failure> {
  const { status, contentType } = answer;
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of answer.body) {
      bytes += chunk.length;
      if (bytes > MOST_ANSWER_BYTES) return { status, contentType, body: null };
      chunks.push(chunk);
    }
    return { status, contentType, body: Buffer.concat(chunks) };
  } catch (error) {
    if (error instanceof CutBody) return { failed: error.message, status };
    throw error;
  } finally {
    answer.drop();
  }
}

function failureWords(error: unknown): string {
  // The reason of an abort is thrown as it is, and need not be an error.
  if (!(error instanceof Error) || error.name === 'AbortError') return GIVEN_UP;
  return error.name === 'TimeoutError' ? 'no whole answer within the deadline' : errorWords(error);
}
