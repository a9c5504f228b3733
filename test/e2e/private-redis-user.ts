// A process that uses the private Redis of the home in argv[2], until its stdin ends.
import { once } from 'node:events';
import { openPrivateRedis } from '../../src/queue/private-redis.ts';
import type { TumaError } from '../../src/domain/errors.ts';

const say = (word: string, fact: unknown) => process.stdout.write(`${word} ${JSON.stringify(fact)}\n`);
const quiet = () => undefined;
const heard = (_: object, message: string) => say('log', message);
const log = {
  debug: heard,
  info: quiet,
  error: quiet,
  warn: heard,
};

try {
  const redis = await openPrivateRedis({ home: process.argv[2] ?? '', log });
  say('open', redis.address);
  await once(process.stdin.resume(), 'end');
  await redis.close();
  say('closed', null);
} catch (error) {
  const { code, hint } = error as TumaError;
  say('failed', { code, hint });
  process.exit(1);
}
