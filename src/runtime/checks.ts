import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { RedisCheck } from './contracts.ts';
import type { Config } from '../config/config.ts';
import { TumaError } from '../domain/errors.ts';
import { checkRedis } from '../queue/check-redis.ts';
import { answers } from '../queue/private-server.ts';
import { type RedisAddress, redisAddress, showAddress } from '../queue/redis-address.ts';
import { findRedisServer } from '../queue/redis-server.ts';
import { knownAddress, serverPlace } from '../queue/server-place.ts';

const run = promisify(execFile);
const PATIENCE_MS = 1_000;

/** Looks at the Redis that the queue would use, for doctor; starts nothing. */
export async function lookAtRedis(config: Config): Promise<RedisCheck> {
  try {
    const address =
      config.redisUrl === null ? await runningPrivate(config) : redisAddress(config.redisUrl.reveal());
    if (address === null) {
      const { file, env } = await findRedisServer();
      const { stdout } = await run(file, ['--version'], { env });
      return { state: 'private', server: file, version: stdout.trim() };
    }
    const facts = await checkRedis(address);
    return {
      state: 'ready',
      where: showAddress(address),
      version: `${facts.server} ${facts.version}`,
      policy: facts.evictionPolicy,
    };
  } catch (error) {
    if (!(error instanceof TumaError)) throw error;
    return { state: 'problem', message: error.message, hint: error.hint };
  }
}

/** The private Redis of this home, when it runs. */
async function runningPrivate(config: Config): Promise<RedisAddress | null> {
  const address = knownAddress(serverPlace(config.home));
  return address !== null && (await answers(address, PATIENCE_MS)) ? address : null;
}
