import { describe, expect, test } from 'vitest';
import { classify, failure, OK, unreadable, type Row } from '../recorded.ts';

/* No whole answer, or one that only says "later". */

const NOT_SENT: Row[] = [
  {
    row: 'refused connection [P1]',
    reply: failure('ECONNREFUSED', { started: false }),
    is: { outcome: 'not_sent', fatal: false },
  },
  {
    row: 'no such name [P1]',
    reply: failure('ENOTFOUND', { started: false }),
    is: { outcome: 'not_sent', fatal: false },
  },
  {
    row: 'connect time-out [P1]',
    reply: failure('UND_ERR_CONNECT_TIMEOUT', { started: false }),
    is: { outcome: 'not_sent', fatal: false },
  },
  {
    row: 'too many open files in this process [P1 S5]',
    reply: failure('EMFILE', { started: false }),
    is: { outcome: 'not_sent', fatal: false },
  },
  {
    row: 'too many open files on this machine [P1 S5]',
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
    row: `a certificate that cannot be trusted (${code}) [P1]`,
    reply: failure(code, { started: false }),
    is: { outcome: 'not_sent', fatal: true },
  })),
  {
    row: 'a reason that stands in the cause of an error [P1]',
    reply: {
      status: null,
      started: false,
      error: new Error('x', { cause: Object.assign(new Error('y'), { code: 'CERT_HAS_EXPIRED' }) }),
    },
    is: { outcome: 'not_sent', fatal: true, words: 'CERT_HAS_EXPIRED: x' },
  },
  ...['INVALID_ARG', 'NOT_SUPPORTED', 'REQ_CONTENT_LENGTH_MISMATCH'].map((misuse) => ({
    row: `our own misuse of the client (${misuse}) [P1]`,
    reply: failure(`UND_ERR_${misuse}`, { started: false }),
    is: { outcome: 'not_sent', fatal: true },
  })),
  {
    row: 'all addresses of a name refused [P1]',
    reply: {
      status: null,
      started: false,
      error: new AggregateError([Object.assign(new Error('x'), { code: 'ECONNREFUSED' })]),
    },
    is: { outcome: 'not_sent', fatal: false, words: expect.stringContaining('ECONNREFUSED') },
  },
  {
    row: 'reset before the write [P2]',
    reply: failure('ECONNRESET', { started: false }),
    is: { outcome: 'not_sent', fatal: false },
  },
];

const LOST: Row[] = [
  {
    row: 'reset after the write [P2]',
    reply: failure('ECONNRESET'),
    is: { outcome: 'unknown', kind: 'lost' },
  },
  {
    row: 'other side closed [P2]',
    reply: failure('UND_ERR_SOCKET'),
    is: { outcome: 'unknown', kind: 'lost' },
  },
  {
    row: 'destroyed while running [P2]',
    reply: failure('UND_ERR_DESTROYED'),
    is: { outcome: 'unknown', kind: 'lost' },
  },
  { row: 'EPIPE [P2]', reply: failure('EPIPE'), is: { outcome: 'unknown', kind: 'lost' } },
  {
    row: 'a refused connection after the write, which cannot be, is still maybe sent [P2]',
    reply: failure('ECONNREFUSED'),
    is: { outcome: 'unknown', kind: 'lost' },
  },
  {
    row: 'an error without a code [P2]',
    reply: { status: null, error: new Error('?') },
    is: { outcome: 'unknown', kind: 'lost' },
  },
  {
    row: 'no answer [P3]',
    reply: failure('TUMA_DEADLINE', { overdue: true }),
    is: { outcome: 'unknown', kind: 'deadline' },
  },
  {
    row: 'undici’s own time-out for headers [P3]',
    reply: failure('UND_ERR_HEADERS_TIMEOUT'),
    is: { outcome: 'unknown', kind: 'deadline' },
  },
  {
    row: 'undici’s own time-out for the body [P4]',
    reply: failure('UND_ERR_BODY_TIMEOUT', { status: 200 }),
    is: { outcome: 'unknown', kind: 'deadline', httpStatus: 200 },
  },
  {
    row: 'more than 64 kB [P14]',
    reply: failure('UND_ERR_RES_EXCEEDED_MAX_SIZE', { status: 200 }),
    is: { ...unreadable, httpStatus: 200 },
  },
  { row: 'a header of 64 kB [P14]', reply: failure('UND_ERR_HEADERS_OVERFLOW'), is: unreadable },
  { row: 'compressed [P14]', body: OK, reply: { encoded: true }, is: unreadable },
  {
    row: 'a body cut by its connection [P7]',
    reply: failure('UND_ERR_RES_CONTENT_LENGTH_MISMATCH', { status: 200, body: '{"respo' }),
    is: { ...unreadable, raw: '{"respo' },
  },
];

const THROTTLED: Row[] = [
  { row: '429 [P10]', status: 429, is: { outcome: 'throttled', retryAfterMs: null } },
  {
    row: '429 with seconds [P10]',
    status: 429,
    reply: { retryAfter: '7' },
    is: { outcome: 'throttled', retryAfterMs: 7_000 },
  },
  {
    row: '429 with a date [P10]',
    status: 429,
    reply: { retryAfter: 'Fri, 27 Nov 2026 06:01:30 GMT' },
    is: { outcome: 'throttled', retryAfterMs: 90_000 },
  },
  {
    row: 'a date in the past [P10]',
    status: 429,
    reply: { retryAfter: 'Thu, 26 Nov 2026 06:00:00 GMT' },
    is: { outcome: 'throttled', retryAfterMs: 0 },
  },
  {
    row: 'at most ten minutes [P10]',
    status: 503,
    reply: { retryAfter: '86400' },
    is: { outcome: 'throttled', retryAfterMs: 600_000 },
  },
  {
    row: '429 with nonsense [P10]',
    status: 429,
    reply: { retryAfter: '-5' },
    is: { outcome: 'throttled', retryAfterMs: null },
  },
  {
    row: '503 that the profile calls not accepted [P11]',
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
