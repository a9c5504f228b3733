import { join } from 'node:path';
import { startRedis } from '../support/redis.ts';
import { ended, openStage, type Stage } from './harness.ts';
import { type Call, readCalls, recorded } from './strace.ts';

/** Sends a campaign, reports included, with every call of its one process recorded. */
export async function sendRecorded({
  contacts,
  nodeFlags = [],
}: {
  contacts: number;
  nodeFlags?: string[];
}): Promise<{ stage: Stage; calls: Call[] }> {
  const stage = await openStage({ contacts, env: { TUMA_REDIS_URL: await redisOutside() } });
  const log = join(stage.directory, 'calls');
  const { code, stderr } = await ended(stage.launch({ under: recorded(log), nodeFlags }));
  if (code !== 0) throw new Error(`the launch ended with ${code}: ${stderr}`);
  return { stage, calls: readCalls(log) };
}

/** A Redis that no traced process starts: strace would follow it, and stay for it. */
export async function redisOutside(): Promise<string> {
  const { address } = await startRedis();
  return address.path === undefined ? `redis://${address.host}:${address.port}` : `unix:${address.path}`;
}
