import type { Reply } from './exchange.ts';
import type { SendResult } from '../provider.ts';

type UnknownKind = Extract<SendResult, { outcome: 'unknown' }>['kind'];

/** A failed exchange before its result: the marker's proof, and words for people. */
export type Failure =
  | { outcome: 'not_sent'; fatal: boolean; words: string }
  | { outcome: 'unknown'; kind: UnknownKind; words: string };

/** A wrong use of the client; a repetition would fail the same way. */
const MISUSE = new Set([
  'UND_ERR_INVALID_ARG',
  'UND_ERR_NOT_SUPPORTED',
  'UND_ERR_REQ_CONTENT_LENGTH_MISMATCH',
]);

/** The certificate cannot be trusted: a wrong address, a wrong setting, or an attacker in between. */
const WRONG_CERTIFICATE =
  /^(?:CERT_|ERR_TLS_CERT|ERR_SSL_|DEPTH_ZERO_SELF_SIGNED|SELF_SIGNED_CERT|UNABLE_TO_(?:VERIFY|GET_ISSUER))/;

const TIMED_OUT = new Set(['UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT']);

/** An answer came, but cannot be read to its end. */
const UNREADABLE = new Set([
  'UND_ERR_HEADERS_OVERFLOW',
  'UND_ERR_RES_EXCEEDED_MAX_SIZE',
  'UND_ERR_RES_CONTENT_LENGTH_MISMATCH',
]);

/**
 * Decides the meaning of a failed exchange. Only the marker tells whether the message may have been sent. The
 * error's code only chooses the words, because the same codes occur on both sides of the write.
 */
export function classifyFailure(reply: Reply): Failure {
  const code = errorCode(reply.error);
  const words = errorWords(reply.error);
  if (!reply.started) return { outcome: 'not_sent', fatal: isFatal(code), words };
  return { outcome: 'unknown', kind: kindOf(reply, code), words };
}

function isFatal(code: string): boolean {
  return MISUSE.has(code) || WRONG_CERTIFICATE.test(code);
}

function kindOf(reply: Reply, code: string): UnknownKind {
  if (reply.overdue || TIMED_OUT.has(code)) return 'deadline';
  // The name decides, because the parser's errors of undici 8.12 have no code.
  if (UNREADABLE.has(code) || reply.error?.name === 'HTTPParserError') return 'unreadable';
  return 'lost';
}

/** The code of an error, of its first member, or of its cause. */
function errorCode(error: unknown): string {
  for (let current = error, depth = 0; current instanceof Error && depth < 4; depth++) {
    const { code, errors, cause } = current as Error & { code?: unknown; errors?: unknown[] };
    if (typeof code === 'string') return code;
    current = errors?.[0] ?? cause;
  }
  return '';
}

/** OpenSSL's own line: its reason stands among addresses and source file names. */
const OPENSSL = /^[0-9A-F]+:error:[0-9A-F]+:[^:]*:[^:]*:([^:]+):/;

/** An error of the network in words: its code and its message. */
export function errorWords(error: unknown): string {
  const code = errorCode(error);
  const whole = error instanceof Error ? error.message : '';
  const message = OPENSSL.exec(whole)?.[1] ?? whole;
  if (code === '' || message.includes(code)) return message || 'the exchange failed';
  return `${code}: ${message}`;
}
