import { existsSync, mkdirSync, readFileSync, statSync } from 'node:fs';
import { createConnection } from 'node:net';
import { once } from 'node:events';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Redis } from 'ioredis';
import { afterEach, expect, test } from 'vitest';
import { openPrivateRedis } from '../../src/queue/private-redis.ts';
import type { RedisAddress } from '../../src/queue/redis-address.ts';
import { isAlive, startNode, type TestProcess } from '../support/processes.ts';
import { makeTempDir } from '../support/temp-home.ts';
import { waitFor } from '../support/wait-for.ts';

const USER = fileURLToPath(new URL('./private-redis-user.ts', import.meta.url));
const quiet = () => undefined;
const log = { debug: quiet, info: quiet, warn: quiet, error: quiet };
const homes: string[] = [];

const users: TestProcess[] = [];

// A test that failed may have left a server that nobody will ever shut down, and users that would start it again.
afterEach(async () => {
  await Promise.all(users.splice(0).map((user) => user.stop('SIGKILL')));
  for (const home of homes.splice(0)) {
    try {
      process.kill(serverPid(home), 'SIGKILL');
    } catch {}
  }
});

function makeHome(): string {
  const home = makeTempDir();
  homes.push(home);
  return home;
}

function serverPid(home: string): number {
  return JSON.parse(readFileSync(join(home, 'redis.json'), 'utf8')).pid;
}

async function startUser(home: string): Promise<TestProcess> {
  const user = startNode(USER, [home], { keepsInput: true });
  users.push(user);
  await user.printed(/^(open|failed)/m);
  expect(user.stdout()).toMatch(/^open/m);
  return user;
}

async function leave(user: TestProcess): Promise<void> {
  user.endInput();
  expect(await user.exited).toEqual({ code: 0, signal: null });
}

async function ask(address: RedisAddress, command: string, ...args: string[]): Promise<unknown> {
  const client = new Redis({ ...address, lazyConnect: true, retryStrategy: () => null });
  client.on('error', quiet);
  try {
    await client.connect();
    return await client.call(command, ...args);
  } finally {
    client.disconnect();
  }
}

test('a private Redis is on a socket for its owner only, never evicts, never writes, and ends with its user', async () => {
  const home = makeHome();
  const redis = await openPrivateRedis({ home, log });
  const pid = serverPid(home);
  expect(redis.address).toEqual({ path: join(home, 'redis.sock') });
  expect(statSync(join(home, 'redis.sock')).mode & 0o777).toBe(0o600);
  expect(statSync(join(home, 'redis.json')).mode & 0o777).toBe(0o600);
  expect(await ask(redis.address, 'CONFIG', 'GET', 'maxmemory-policy')).toContain('noeviction');
  expect(await ask(redis.address, 'CONFIG', 'GET', 'save')).toEqual(['save', '']);
  expect(await ask(redis.address, 'CONFIG', 'GET', 'appendonly')).toEqual(['appendonly', 'no']);
  await redis.close();
  expect(isAlive(pid)).toBe(false);
  expect(() => statSync(join(home, 'redis.sock'))).toThrow('ENOENT');
});

test('a home whose name has spaces and quotes works', async () => {
  const home = join(makeHome(), 'it\'s "my" home\\');
  mkdirSync(home);
  const redis = await openPrivateRedis({ home, log });
  expect(await ask(redis.address, 'PING')).toBe('PONG');
  await redis.close();
});

test('processes that start at the same time share one server, and only the last to leave ends it', async () => {
  const home = makeHome();
  const users = await Promise.all([startUser(home), startUser(home), startUser(home), startUser(home)]);
  const pid = serverPid(home);
  expect(
    users
      .map((user) => user.stdout())
      .join('')
      .match(/started the private Redis/g),
  ).toHaveLength(1);
  const [last, ...others] = users;
  await Promise.all(others.map(leave));
  expect(isAlive(pid)).toBe(true);
  expect(serverPid(home)).toBe(pid);
  if (last) await leave(last);
  expect(isAlive(pid)).toBe(false);
});

test('the server outlives a killed user, is used by the next one, and ends with that one', async () => {
  const home = makeHome();
  const killed = await startUser(home);
  const pid = serverPid(home);
  await killed.stop('SIGKILL');
  expect(isAlive(pid)).toBe(true);
  const next = await startUser(home);
  expect(serverPid(home)).toBe(pid);
  await leave(next);
  expect(isAlive(pid)).toBe(false);
});

test('a server that is killed while two processes use it is started again once, at the same address [R1]', async () => {
  const home = makeHome();
  const users = [await startUser(home), await startUser(home)];
  const pid = serverPid(home);
  process.kill(pid, 'SIGKILL');
  const address = { path: join(home, 'redis.sock') };
  await waitFor(async () => (await ask(address, 'PING')) === 'PONG', { what: 'a new server' });
  const newPid = serverPid(home);
  expect(newPid).not.toBe(pid);
  // Both are back, so the first one to leave must not take the server with it.
  const usersSeen = async () =>
    String(await ask(address, 'CLIENT', 'LIST')).split('name=tuma-user ').length - 1;
  await waitFor(async () => (await usersSeen()) === 2, { what: 'both users' });
  await Promise.all(users.map(leave));
  const said = users.map((user) => user.stdout()).join('');
  expect(said.match(/starting it again/g)).toHaveLength(1);
  expect(isAlive(newPid)).toBe(false);
});

test('after user and server were killed together, the next one starts a new server', async () => {
  const home = makeHome();
  const killed = await startUser(home);
  const pid = serverPid(home);
  await killed.stop('SIGKILL');
  process.kill(pid, 'SIGKILL');
  const redis = await openPrivateRedis({ home, log });
  expect(serverPid(home)).not.toBe(pid);
  expect(await ask(redis.address, 'PING')).toBe('PONG');
  await redis.close();
});

test('a server that is killed again and again is started each time, until its user has left [R1]', async () => {
  const home = makeHome();
  const redis = await openPrivateRedis({ home, log });
  for (let kill = 0; kill < 2; kill += 1) {
    const pid = serverPid(home);
    process.kill(pid, 'SIGKILL');
    await waitFor(() => !isAlive(pid), { what: 'its end' });
    await waitFor(async () => (await ask(redis.address, 'PING')) === 'PONG', { what: 'a new server' });
    const usersSeen = async () =>
      String(await ask(redis.address, 'CLIENT', 'LIST')).includes('name=tuma-user ');
    await waitFor(usersSeen, { what: 'its user' });
  }
  const last = serverPid(home);
  await redis.close();
  await waitFor(() => !isAlive(last), { what: 'the end of the last server' });
  expect(existsSync(join(home, 'redis.sock'))).toBe(false);
});

test('where the path is too long for a socket: the loopback, with a password that argv does not show', async () => {
  const home = join(makeHome(), 'a-name-that-is-rather-long/'.repeat(5));
  mkdirSync(home, { recursive: true });
  homes.push(home);
  const user = await startUser(home);
  const record = JSON.parse(readFileSync(join(home, 'redis.json'), 'utf8'));
  const address = { host: '127.0.0.1', port: record.port };
  expect(statSync(join(home, 'redis.json')).mode & 0o777).toBe(0o600);
  const stranger = createConnection(record.port, '127.0.0.1').setEncoding('utf8');
  stranger.write('PING\r\n');
  expect(String(await once(stranger, 'data'))).toMatch(/^-NOAUTH/);
  stranger.destroy();
  expect(await ask({ ...address, password: record.password }, 'PING')).toBe('PONG');
  expect(record.password.length).toBeGreaterThanOrEqual(32);
  expect(readFileSync(`/proc/${record.pid}/cmdline`, 'utf8')).not.toContain(record.password);
  const second = await openPrivateRedis({ home, log });
  expect(second.address).toEqual({ ...address, password: record.password });
  await leave(user);
  expect(isAlive(record.pid)).toBe(true);
  await second.close();
  expect(isAlive(record.pid)).toBe(false);
});

test('without a server program: redis_missing, with three things to do', async () => {
  const find = `
    import { findRedisServer } from './src/queue/redis-server.ts';
    await findRedisServer('/nonexistent').catch(({ code, hint }) => console.log(JSON.stringify({ code, hint })));`;
  const finder = startNode('--input-type=module', ['-e', find], { env: { PATH: '/nonexistent' } });
  await finder.exited;
  const failure = JSON.parse(finder.stdout());
  expect(failure.code).toBe('redis_missing');
  for (const choice of ['apt-get install', 'brew install', 'TUMA_REDIS_URL'])
    expect(failure.hint).toContain(choice);
});
