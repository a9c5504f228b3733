import { type ErrorCode, TumaError } from '../domain/errors.ts';
import { type RedisAddress, showAddress } from './redis-address.ts';

interface Refusal {
  /** Of a message, or of the code of an error. */
  pattern: RegExp;
  /** A sentence after which the address stands in brackets. */
  message: string;
  hint: string;
  /** Left out: redis_refused, because waiting does not help. */
  code?: ErrorCode;
}

const REFUSALS: Refusal[] = [
  {
    pattern: /^OOM/,
    message: 'Redis is out of memory',
    hint: 'Raise maxmemory. Nothing is lost: the sweep adds the jobs again.',
  },
  {
    pattern: /^(READONLY|MISCONF|NOREPLICAS)/,
    message: 'Redis refuses to write',
    hint: 'Point TUMA_REDIS_URL at the primary, and look at the disk of Redis.',
  },
  {
    pattern: /^(NOAUTH|WRONGPASS|ERR invalid password|ERR AUTH)/,
    message: 'Redis refuses the user or the password',
    hint: 'Check the user in TUMA_REDIS_URL, and the password there or in TUMA_REDIS_PASSWORD_FILE.',
  },
  {
    pattern: /^NOPERM|ACL failure in script|can't run this command|can't access/i,
    message: 'The user of Redis lacks rights that the queue needs',
    hint: 'Give that user the rights of deploy/redis-acl.conf.',
  },
  {
    pattern: /^LOADING/,
    message: 'Redis is still loading its data',
    hint: 'Wait until it has; Tuma goes on by itself.',
    code: 'redis_unreachable',
  },
  {
    pattern: /^ERR This instance has cluster support disabled/,
    message: 'This Redis is no cluster',
    hint: 'Write redis:// in place of redis+cluster:// in TUMA_REDIS_URL.',
  },
  {
    pattern: /^ERR unknown command .?sentinel/i,
    message: 'What answers is no Sentinel',
    hint: 'Write redis:// in TUMA_REDIS_URL, or the addresses of the Sentinels; their port is mostly 26379.',
  },
  {
    pattern: /^ERR No such master/,
    message: 'The Sentinels know no Redis by this name',
    hint: 'Correct the name at the end of TUMA_REDIS_URL: redis+sentinel://host,host,host/NAME.',
  },
  {
    pattern:
      /alert (certificate required|bad certificate|unknown ca|certificate unknown)|alert number (42|46|48|116)/,
    message: "Redis does not take Tuma's certificate",
    hint: 'Give it one that it trusts by TUMA_REDIS_CERT_FILE and TUMA_REDIS_KEY_FILE.',
  },
  {
    pattern: /^ERR_TLS_CERT_ALTNAME_INVALID|does not match certificate's altnames/,
    message: 'The certificate of Redis is for another host',
    hint: 'Write the name in TUMA_REDIS_URL for which the certificate is.',
  },
  {
    pattern: /CERT_HAS_EXPIRED|certificate has expired/,
    message: 'The certificate of Redis has expired',
    hint: 'Give Redis a new certificate.',
  },
  {
    pattern: /self-signed certificate|unable to (get|verify)|^(UNABLE_TO_|SELF_SIGNED|DEPTH_ZERO)/,
    message: 'The certificate of Redis is not trusted',
    hint: 'Give the certificate of those who signed it by TUMA_REDIS_CA_FILE.',
  },
];

/** Where the address is not that of a cluster; a cluster in trouble is waited for. */
const ONE_NODE: Refusal = {
  pattern: /^(MOVED|ASK|CLUSTERDOWN|CROSSSLOT)/,
  message: "This node of the Redis Cluster does not hold the queue's keys",
  hint: 'Write redis+cluster:// in place of redis:// in TUMA_REDIS_URL.',
};

/**
 * Turns an error of Redis, ioredis or BullMQ into one for a person: redis_refused or redis_unreachable. The
 * cause keeps only messages, because ioredis hangs the command and so the password on an error.
 */
export function redisFailure(address: RedisAddress, error: unknown): TumaError {
  if (error instanceof TumaError) return error;
  const messages = [...new Set(allMessages(error))].filter((message) => message !== '');
  const cause = new Error(messages.join('; '));
  const refusals = address.cluster === undefined ? [...REFUSALS, ONE_NODE] : REFUSALS;
  const refusal = refusals.find(({ pattern }) => messages.some((message) => pattern.test(message)));
  if (refusal) {
    const { message, hint, code = 'redis_refused' } = refusal;
    return new TumaError(code, { message: `${message} (${showAddress(address)})`, hint, cause });
  }
  return new TumaError('redis_unreachable', {
    message: `Redis does not answer at ${showAddress(address)}`,
    hint: 'Start it, or correct TUMA_REDIS_URL (rediss:// is for a port with TLS); without that setting Tuma starts a private one.',
    cause,
  });
}

/** The messages and codes of an error, its causes and its members. */
function allMessages(error: unknown, depth = 0): string[] {
  if (!(error instanceof Error) || depth > 4) return [];
  const members = error instanceof AggregateError ? (error.errors as unknown[]) : [];
  const inner = [error.cause, 'lastNodeError' in error ? error.lastNodeError : undefined, ...members];
  const code = 'code' in error && typeof error.code === 'string' ? [error.code] : [];
  return [whatHappened(error.message), ...code, ...inner.flatMap((each) => allMessages(each, depth + 1))];
}

/** ioredis writes the message of the last Sentinel, or node, behind its own. */
function whatHappened(message: string): string {
  return message.replace(/^.*(?:Last error: | because )(?:\w*Error: )?/s, '');
}
