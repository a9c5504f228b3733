import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { connect } from 'node:net';
import { DatabaseSync } from 'node:sqlite';
import { expect, onTestFinished, test } from 'vitest';
import type { Role } from '../../src/runtime/contracts.ts';
import { Secret } from '../../src/config/secret.ts';
import { resolveConfig } from '../../src/config/config.ts';
import { openServices } from '../../src/runtime/services.ts';
import { MemoryLog } from '../collector/fake-store.ts';
import { freePort } from '../support/free-port.ts';
import { LedgerStory } from '../support/ledger-story.ts';
import { makeTempDir } from '../support/temp-home.ts';

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

test('a worker says once that claims are noted nowhere, and nobody else does [D9]', async () => {
  expect(await logOf('worker', {})).toHaveLength(1);
  expect(await logOf('worker', { XDG_STATE_HOME: makeTempDir() })).toEqual([]);
  expect(await logOf('collector', {})).toEqual([]);
});

test('a start that fails after the worker began stops the worker, its Redis and the collector', async () => {
  const home = makeTempDir();
  const port = await freePort();
  const env = {
    TUMA_HOME: home,
    XDG_STATE_HOME: makeTempDir(),
    TUMA_PORT: String(port),
    TUMA_MESSAGING_URL: 'http://127.0.0.1:9',
    TUMA_API_KEY: 'key',
    TUMA_API_SECRET: 'secret',
  };
  // The settings refuse such a password, so only a mistake of ours gets here.
  const wrong = { alertMail: ['ops@example.org'], smtpUrl: new Secret('smtp://u:p%zz@127.0.0.1:1') };
  const config = { ...resolveConfig({ cwd: home, env }), ...wrong };
  const services = await openServices(config, new MemoryLog());
  const starting = services.startRoles({ roles: ['collector', 'worker'], patient: false });
  await expect(starting).rejects.toThrow('URI malformed');
  for (const address of [{ host: '127.0.0.1', port }, { path: join(home, 'redis.sock') }]) {
    const [error] = (await once(connect(address), 'error')) as [{ code: string }];
    expect(['ECONNREFUSED', 'ENOENT']).toContain(error.code);
  }
  expect(await (await services.reader()).aliveWorkers(0)).toEqual([]);
  await services.dispose();
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

/** Roles that run until the test is finished, and what their /metrics say: names of Tuma's own plain gauges and their values. */
async function measured(home: string, options: { roles: Role[] }) {
  const env = {
    TUMA_HOME: home,
    XDG_STATE_HOME: makeTempDir(),
    TUMA_PORT: '0',
    TUMA_DASHBOARD_PORT: '0',
    TUMA_MESSAGING_URL: 'http://127.0.0.1:9',
    TUMA_API_KEY: 'key',
    TUMA_API_SECRET: 'secret',
  };
  const services = await openServices(resolveConfig({ cwd: home, env }), new MemoryLog());
  onTestFinished(() => services.dispose());
  const running = await services.startRoles({ ...options, patient: false });
  onTestFinished(() => running.stop());
  const gauges = async (): Promise<Record<string, number>> => {
    const text = await (await fetch(`${running.webUrl}/metrics`)).text();
    const lines = [...text.matchAll(/^(tuma_[a-z_]+) (\S+)$/gm)];
    return Object.fromEntries(lines.map(([, name, value]) => [name, Number(value)]));
  };
  return { gauges };
}

const OF_A_WORKER = ['tuma_queue_jobs', 'tuma_requests_in_flight', 'tuma_provider_hold_seconds'];

test('what only a worker knows is told where one runs, and left out where none does', async () => {
  const without = await (await measured(makeTempDir(), { roles: ['web'] })).gauges();
  expect(without).toMatchObject({ tuma_networks_held: 0 });
  expect(Object.keys(without).filter((name) => OF_A_WORKER.includes(name))).toEqual([]);
  const { gauges } = await measured(makeTempDir(), { roles: ['web', 'worker'] });
  expect(await gauges()).toMatchObject(Object.fromEntries(OF_A_WORKER.map((name) => [name, 0])));
});

test('a network that is held counts, whatever it was seen by and whichever process is asked, once', async () => {
  const story = await LedgerStory.begin();
  const campaigns = [await story.launch(), await story.launch({ id: 'bf-2' })];
  const database = new DatabaseSync(story.file, { timeout: 5_000 });
  for (const [network, state] of [
    ['1', 'held'],
    ['2', 'probing'],
    ['3', 'well'],
    ['4', 'overridden'],
    ['9', 'held'],
  ] as const)
    for (const campaign of campaigns)
      database
        .prepare(
          `INSERT INTO network_hold (campaign, network, state, why, since, until, wait_ms, counted_from)
           VALUES (?1, ?2, ?3, 'failing', ?4, ?4 + 300000, 300000, ?4)`,
        )
        .run(campaign, network, state, story.now);
  database.close();
  const { gauges } = await measured(story.directory, { roles: ['web'] });
  expect(await gauges()).toMatchObject({ tuma_networks_held: 3 });
});

const OFFICE = {
  TUMA_PUBLIC_DASHBOARD_URL: 'https://tuma.example.org',
  TUMA_TRUSTED_PROXIES: '10.0.0.1',
};

test.each([
  { host: '0.0.0.0', settings: {}, missing: 'TUMA_PUBLIC_DASHBOARD_URL, TUMA_TRUSTED_PROXIES' },
  { host: '::', settings: {}, missing: 'TUMA_PUBLIC_DASHBOARD_URL, TUMA_TRUSTED_PROXIES' },
  { host: 'tuma.example.org', settings: {}, missing: 'TUMA_PUBLIC_DASHBOARD_URL, TUMA_TRUSTED_PROXIES' },
  {
    host: '192.0.2.7',
    settings: { TUMA_DASHBOARD_TOKEN: 'CANARY-token', TUMA_TRUSTED_PROXIES: '10.0.0.1' },
    missing: 'TUMA_PUBLIC_DASHBOARD_URL',
  },
  {
    host: '0.0.0.0',
    settings: { TUMA_PUBLIC_DASHBOARD_URL: 'https://tuma.example.org' },
    missing: 'TUMA_TRUSTED_PROXIES',
  },
  { host: '0.0.0.0', settings: OFFICE, missing: null },
  { host: '127.0.0.1', settings: {}, missing: null },
  { host: 'localhost', settings: {}, missing: null },
])(
  'pages at $host with $settings start only behind TLS: missing $missing [X21]',
  async ({ host, settings, missing }) => {
    const home = makeTempDir();
    const env = { TUMA_HOME: home, TUMA_PORT: '0', TUMA_DASHBOARD_PORT: '0', TUMA_DASHBOARD_HOST: host };
    const config = resolveConfig({ cwd: home, env: { ...env, ...settings } });
    const services = await openServices(config, new MemoryLog());
    const starting = services.startRoles({ roles: ['web'], patient: false });
    if (missing !== null) {
      await expect(starting).rejects.toMatchObject({
        code: 'config_invalid',
        message: `TUMA_DASHBOARD_HOST (environment): at "${host}" others than this machine reach the pages, and passwords would go in the open. Not set: ${missing}.`,
        where: 'TUMA_DASHBOARD_HOST',
      });
      // Whoever does not serve it is not held up by it.
      await (await services.startRoles({ roles: ['collector'], patient: false })).stop();
    } else await (await starting).stop();
    await services.dispose();
  },
);

test('TUMA_APPROVAL turns the rule of approval on at a start, and no later start turns it off', async () => {
  const home = makeTempDir();
  const needed = async (env: Record<string, string>) => {
    const settings = { TUMA_HOME: home, TUMA_DASHBOARD_PORT: '0', ...env };
    const services = await openServices(resolveConfig({ cwd: home, env: settings }), new MemoryLog());
    await (await services.startRoles({ roles: ['web'], patient: false })).stop();
    const isNeeded = await (await services.ledger()).approvalNeeded();
    await services.dispose();
    return isNeeded;
  };
  expect(await needed({})).toBe(false);
  expect(await needed({ TUMA_APPROVAL: 'on' })).toBe(true);
  expect(await needed({ TUMA_APPROVAL: 'off' })).toBe(true);
});

/** What a process of strangers must not hold: the keys of the account, and the addresses of others. */
const NOT_OF_A_COLLECTOR = [
  'apiKey',
  'apiSecret',
  'apiToken',
  'redisUrl',
  'alertUrl',
  'alertSecret',
  'smtpUrl',
  'dashboardToken',
] as const;

test('a collector alone asks for no credentials, no provider, no Redis and no reader, and turns no rule on', async () => {
  const home = makeTempDir();
  const env = { TUMA_HOME: home, TUMA_PORT: '0', TUMA_WEBHOOK_TOKEN: 'x'.repeat(24), TUMA_APPROVAL: 'on' };
  const settings = { ...resolveConfig({ cwd: home, env }) };
  const asked: string[] = [];
  for (const name of NOT_OF_A_COLLECTOR)
    Object.defineProperty(settings, name, { get: () => (asked.push(name), null) });
  const services = await openServices(settings, new MemoryLog());
  for (const name of ['reader', 'provider', 'accountApi', 'checkRedis', 'preparations', 'tasks'] as const)
    Object.defineProperty(services, name, { value: () => Promise.reject(new Error(`asked for ${name}`)) });
  const running = await services.startRoles({ roles: ['collector'], patient: false });
  const answer = await fetch(`${running.collectorUrl}/webhooks/${'x'.repeat(24)}`, {
    method: 'POST',
    body: 'id=1',
  });
  const health = await fetch(`${running.collectorUrl}/health`);
  await running.stop();
  expect([answer.status, health.status]).toEqual([200, 200]);
  expect(asked).toEqual([]);
  expect(await (await services.ledger()).approvalNeeded()).toBe(false);
  await services.dispose();
});
