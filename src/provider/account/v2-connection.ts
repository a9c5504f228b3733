import { Pool } from 'undici';
import { TumaError } from '../../domain/errors.ts';
import { MOST_CONNECT_MS, PLAIN_HTTP } from '../http/connection.ts';
import { parseAddress } from '../http/service-address.ts';
import { errorWords } from '../send/failure.ts';

const CONNECTIONS = 2;
/** The longest wait for the next byte. */
const MOST_SILENCE_MS = 60_000;
/** The longest answer without a file, in bytes. */
export const MOST_ANSWER_BYTES = 65_536;

/** A whole answer. */
export interface V2Answer {
  status: number;
  /** Media type in lower case, without parameters; empty when none is named. */
  contentType: string;
  /** Null: it is longer than `MOST_ANSWER_BYTES`. */
  body: Buffer | null;
}

/** An answer whose body is still to come. */
export interface V2Opening extends Omit<V2Answer, 'body'> {
  /** The declared bytes of the body; null: not declared. */
  bytes: number | null;
  body: AsyncIterable<Buffer>;
}

/** No complete answer came. `failed` is the reason for a person and never holds the URL. */
export interface V2Failure {
  failed: string;
  /** Null: no status came. */
  status: number | null;
  /** True: the answer began, and its end did not come. */
  isCut: boolean;
}

/** Takes the body of an answer. */
export type ReadOpening<Result> = (answer: V2Opening) => Promise<Result>;

/** The connections to the v2 host, and to no other. */
export interface V2Connection {
  /** One GET, of which at most 64 kB are read. */
  get(path: string, signal: AbortSignal): Promise<V2Answer | V2Failure>;
  /**
   * One GET whose body `read` takes as it comes, as far as it wants. A `TumaError` of `read` is thrown; any
   * other error of it is one of the connection.
   */
  ask<Result>(path: string, signal: AbortSignal, read: ReadOpening<Result>): Promise<Result | V2Failure>;
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
    headersTimeout: MOST_SILENCE_MS,
    bodyTimeout: MOST_SILENCE_MS,
  });
  const sent = { ...headers, 'user-agent': 'tuma' };
  const ask = async <Result>(
    path: string,
    signal: AbortSignal,
    read: ReadOpening<Result>,
  ): Promise<Result | V2Failure> => {
    let status: number | null = null;
    try {
      const answer = await pool.request({ path: prefix + path, method: 'GET', headers: sent, signal });
      status = answer.statusCode;
      return await readOpening(answer, read);
    } catch (error) {
      if (error instanceof TumaError) throw error;
      return { failed: failureWords(error), status, isCut: status !== null };
    }
  };
  return {
    ask,
    get: (path, signal) => ask(path, signal, wholeAnswer),
    // No caller needs a late answer.
    close: () => pool.destroy(),
  };
}

type Answering = Awaited<ReturnType<Pool['request']>>;

async function readOpening<Result>(
  { statusCode: status, headers, body }: Answering,
  read: ReadOpening<Result>,
): Promise<Result | V2Failure> {
  const header = (name: string) => [headers[name]].flat()[0]?.trim().toLowerCase() ?? '';
  const contentType = (header('content-type').split(';')[0] ?? '').trim();
  const length = header('content-length');
  try {
    const encoding = header('content-encoding');
    if (encoding !== '' && encoding !== 'identity')
      return { failed: 'a compressed body, which was not asked for', status, isCut: false };
    return await read({ status, contentType, bytes: length === '' ? null : Number(length), body });
  } finally {
    body.on('error', () => {}).destroy();
  }
}

/** Reads an answer that is no file. */
export async function wholeAnswer({ bytes, body, ...answer }: V2Opening): Promise<V2Answer> {
  const isLong = bytes !== null && bytes > MOST_ANSWER_BYTES;
  return { ...answer, body: isLong ? null : await readUpTo(MOST_ANSWER_BYTES, body) };
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
