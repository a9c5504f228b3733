import { TumaError } from '../domain/errors.ts';
import { type RedisAddress, showAddress } from './redis-address.ts';

const REFUSALS: { pattern: RegExp; message: string; hint: string }[] = [
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
    pattern: /^(NOAUTH|WRONGPASS|NOPERM|ERR invalid password|ERR AUTH)/,
    message: 'Redis refuses the user, the password or the permissions',
    hint: 'Check user and password in TUMA_REDIS_URL, and the ACL of that user.',
  },
  {
    pattern: /^(MOVED|ASK|CLUSTERDOWN|CROSSSLOT)/,
    message: "This node of the Redis Cluster does not hold the queue's keys",
    hint: "Point TUMA_REDIS_URL at the node that holds the slot of '{tuma}'.",
  },
];

/**
 * Turns an error of Redis, ioredis or BullMQ into one for a person: redis_refused or redis_unreachable. The
 * cause keeps only messages, because ioredis hangs the command and so the password on an error.
 */
export function redisFailure(address: RedisAddress, error: unknown): TumaError {
  if (error instanceof TumaError) return error;
  const messages = allMessages(error).filter((message) => message !== '');
  const cause = new Error(messages.join('; '));
  const refusal = REFUSALS.find(({ pattern }) => messages.some((message) => pattern.test(message)));
  if (refusal) {
    const { message, hint } = refusal;
    return new TumaError('redis_refused', { message: `${message} (${showAddress(address)})`, hint, cause });
  }
  return new TumaError('redis_unreachable', {
    message: `Redis does not answer at ${showAddress(address)}`,
    hint: 'Start it, or correct TUMA_REDIS_URL; without that setting Tuma starts a private one.',
    cause,
  });
}

/** The messages of an error, its causes and its members. */
function allMessages(error: unknown, depth = 0): string[] {
  if (!(error instanceof Error) || depth > 4) return [];
  const members = error instanceof AggregateError ? (error.errors as unknown[]) : [];
  const inner = [error.cause, 'lastNodeError' in error ? error.lastNodeError : undefined, ...members];
  return [error.message, ...inner.flatMap((each) => allMessages(each, depth + 1))];
}
