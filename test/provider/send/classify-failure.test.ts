import { describe, expect, test } from 'vitest';
import { classify, failure, OK, unreadable } from '../recorded.ts';
import type { Row } from '../recorded.ts';

/* No whole answer, or one that only says "later". */

const NOT_SENT: Row[] = [
  {
    row: 'P1: refused connection',
    reply: failure('ECONNREFUSED', { started: false }),
    is: { outcome: 'not_sent', fatal: false },
  },
  {
    row: 'P1: no such name',
    reply: failure('ENOTFOUND', { started: false }),
    is: { outcome: 'not_sent', fatal: false },
  },
  {
    row: 'P1: connect time-out',
    reply: failure('UND_ERR_CONNECT_TIMEOUT', { started: false }),
    is: { outcome: 'not_sent', fatal: false },
  },
  {
    row: 'P1 S5: too many open files in this process',
    reply: failure('EMFILE', { started: false }),
    is: { outcome: 'not_sent', fatal: false },
  },
  {
    row: 'P1 S5: too many open files on this machine',
    reply: failure('ENFILE', { started: false }),
    is: { outcome: 'not_sent', fatal: false },
  },
  ...[
    'DEPTH_ZERO_SELF_SIGNED_CERT',
    'SELF_SIGNED_CERT_IN_CHAIN',
    'CERT_HAS_EXPIRED',
    'ERR_TLS_CERT_ALTNAME_INVALID',
    'ERR_SSL_WRONG_VERSION_NUMBER',
    'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
    'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  ].map((code) => ({
    row: `P1: a certificate that cannot be trusted (${code})`,
    reply: failure(code, { started: false }),
    is: { outcome: 'not_sent', fatal: true },
  })),
  {
    row: 'P1: a reason that stands in the cause of an error',
    reply: {
      status: null,
      started: false,
      error: new Error('x', { cause: Object.assign(new Error('y'), { code: 'CERT_HAS_EXPIRED' }) }),
    },
    is: { outcome: 'not_sent', fatal: true, words: 'CERT_HAS_EXPIRED: x' },
  },
  ...['INVALID_ARG', 'NOT_SUPPORTED', 'REQ_CONTENT_LENGTH_MISMATCH'].map((misuse) => ({
    row: `P1: our own misuse of the client (${misuse})`,
    reply: failure(`UND_ERR_${misuse}`, { started: false }),
    is: { outcome: 'not_sent', fatal: true },
  })),
  {
    row: 'P1: all addresses of a name refused',
    reply: {
      status: null,
      started: false,
      error: new AggregateError([Object.assign(new Error('x'), { code: 'ECONNREFUSED' })]),
    },
    is: { outcome: 'not_sent', fatal: false, words: expect.stringContaining('ECONNREFUSED') },
  },
  {
    row: 'P2: reset before the write',
    reply: failure('ECONNRESET', { started: false }),
    is: { outcome: 'not_sent', fatal: false },
  },
];

const LOST: Row[] = [
  {
    row: 'P2: reset after the write',
    reply: failure('ECONNRESET'),
    is: { outcome: 'unknown', kind: 'lost' },
  },
  {
    row: 'P2: other side closed',
    reply: failure('UND_ERR_SOCKET'),
    is: { outcome: 'unknown', kind: 'lost' },
  },
  {
    row: 'P2: destroyed while running',
    reply: failure('UND_ERR_DESTROYED'),
    is: { outcome: 'unknown', kind: 'lost' },
  },
  { row: 'P2: EPIPE', reply: failure('EPIPE'), is: { outcome: 'unknown', kind: 'lost' } },
  {
    row: 'P2: a refused connection after the write, which cannot be, is still maybe sent',
    reply: failure('ECONNREFUSED'),
    is: { outcome: 'unknown', kind: 'lost' },
  },
  {
    row: 'P2: an error without a code',
    reply: { status: null, error: new Error('?') },
    is: { outcome: 'unknown', kind: 'lost' },
  },
  {
    row: 'P3: no answer',
    reply: failure('TUMA_DEADLINE', { overdue: true }),
    is: { outcome: 'unknown', kind: 'deadline' },
  },
  {
    row: 'P3: undici’s own time-out for headers',
    reply: failure('UND_ERR_HEADERS_TIMEOUT'),
    is: { outcome: 'unknown', kind: 'deadline' },
  },
  {
    row: 'P4: undici’s own time-out for the body',
    reply: failure('UND_ERR_BODY_TIMEOUT', { status: 200 }),
    is: { outcome: 'unknown', kind: 'deadline', httpStatus: 200 },
  },
  {
    row: 'P14: more than 64 kB',
    reply: failure('UND_ERR_RES_EXCEEDED_MAX_SIZE', { status: 200 }),
    is: { ...unreadable, httpStatus: 200 },
  },
  { row: 'P14: a header of 64 kB', reply: failure('UND_ERR_HEADERS_OVERFLOW'), is: unreadable },
  { row: 'P14: compressed', body: OK, reply: { encoded: true }, is: unreadable },
  {
    row: 'P7: a body cut by its connection',
    reply: failure('UND_ERR_RES_CONTENT_LENGTH_MISMATCH', { status: 200, body: '{"respo' }),
    is: { ...unreadable, raw: '{"respo' },
  },
];

const THROTTLED: Row[] = [
  { row: 'P10: 429', status: 429, is: { outcome: 'throttled', retryAfterMs: null } },
  {
    row: 'P10: 429 with seconds',
    status: 429,
    reply: { retryAfter: '7' },
    is: { outcome: 'throttled', retryAfterMs: 7_000 },
  },
  {
    row: 'P10: 429 with a date',
    status: 429,
    reply: { retryAfter: 'Fri, 27 Nov 2026 06:01:30 GMT' },
    is: { outcome: 'throttled', retryAfterMs: 90_000 },
  },
  {
    row: 'P10: a date in the past',
    status: 429,
    reply: { retryAfter: 'Thu, 26 Nov 2026 06:00:00 GMT' },
    is: { outcome: 'throttled', retryAfterMs: 0 },
  },
  {
    row: 'P10: at most ten minutes',
    status: 503,
    reply: { retryAfter: '86400' },
    is: { outcome: 'throttled', retryAfterMs: 600_000 },
  },
  {
    row: 'P10: 429 with nonsense',
    status: 429,
    reply: { retryAfter: '-5' },
    is: { outcome: 'throttled', retryAfterMs: null },
  },
  {
    row: 'P11: 503 that the profile calls not accepted',
    status: 503,
    profile: { not_accepted: [503] },
    is: { outcome: 'throttled', retryAfterMs: null },
  },
];

for (const [name, rows] of Object.entries({ NOT_SENT, LOST, THROTTLED })) {
  describe(name, () => {
    for (const row of rows) {
      test(row.row, () => {
        expect(classify(row)).toMatchObject(row.is);
      });
    }
  });
}
