import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Role } from '../src/cli/context.ts';
import { resolveConfig } from '../src/config.ts';
import { openServices } from '../src/runtime.ts';
import { MemoryLog } from './collector/fake-store.ts';
import { freePort } from './support/free-port.ts';
import { makeTempDir } from './support/temp-home.ts';

/** Starts roles, a worker only up to its Redis, which is not there. Answers what the log was told. */
async function logOf(role: Role, env: Record<string, string>): Promise<string[]> {
  const home = makeTempDir();
  const log = new MemoryLog();
  const config = resolveConfig({
    cwd: home,
    env: {
      TUMA_HOME: home,
      TUMA_PORT: '0',
      TUMA_MESSAGING_URL: 'http://127.0.0.1:9',
      TUMA_API_KEY: 'key',
      TUMA_API_SECRET: 'secret',
      TUMA_REDIS_URL: `redis://127.0.0.1:${await freePort()}`,
      ...env,
    },
  });
  const services = await openServices(config, log);
  const starting = services.startRoles({ roles: [role], patient: false });
  if (role === 'worker') await expect(starting).rejects.toMatchObject({ code: 'redis_unreachable' });
  else await (await starting).stop();
  await services.dispose();
  return log.lines.filter((line) => line.includes('claims are not noted'));
}

test('D9 a worker says once that claims are noted nowhere, and nobody else does', async () => {
  expect(await logOf('worker', {})).toHaveLength(1);
  expect(await logOf('worker', { XDG_STATE_HOME: makeTempDir() })).toEqual([]);
  expect(await logOf('collector', {})).toEqual([]);
});

test('the collector answers with the text of the profile, but for what it does not take', async () => {
  const home = makeTempDir();
  const profile = join(home, 'profile.json');
  writeFileSync(profile, '{"webhook_answer":"ACK/Jasmin"}');
  const token = 'abcdefghijklmnopqrstuvwx';
  const env = { TUMA_HOME: home, TUMA_PORT: '0', TUMA_PROFILE: profile, TUMA_WEBHOOK_TOKEN: token };
  const services = await openServices(resolveConfig({ cwd: home, env }), new MemoryLog());
  const running = await services.startRoles({ roles: ['collector'], patient: false });
  const answers = [token, 'x'.repeat(24)].map(async (each) => {
    const answer = await fetch(`${running.collectorUrl}/webhooks/${each}`, { method: 'POST', body: 'id=1' });
    return [answer.status, await answer.text()];
  });
  expect(await Promise.all(answers)).toEqual([
    [200, 'ACK/Jasmin'],
    [404, 'not found'],
  ]);
  await running.stop();
  await services.dispose();
});
