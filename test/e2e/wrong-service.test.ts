import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { freePort } from '../support/free-port.ts';
import { startRedis } from '../support/redis.ts';
import { errorOf, jobFile, openPlace, contacts } from './harness.ts';

/* The service, the ports and the Redis that a launch needs: when one is not as it must be, nothing is launched. */

const place = openPlace();

interface Case {
  what: string;
  env: Record<string, string>;
  flags?: string[];
  exit: number;
  code: string;
  message: RegExp;
  hint?: RegExp;
}

const CASES: Case[] = [
  {
    what: 'credentials that the service refuses',
    env: { TUMA_API_SECRET: 'wrong' },
    exit: 4,
    code: 'credentials',
    message: /refused the credentials/,
    hint: /TUMA_API_KEY and TUMA_API_SECRET/,
  },
  {
    what: 'no credentials and no address',
    env: { TUMA_API_KEY: '', TUMA_API_SECRET: '', TUMA_MESSAGING_URL: '' },
    exit: 4,
    code: 'credentials',
    message: /^Not set: TUMA_MESSAGING_URL, TUMA_API_KEY, TUMA_API_SECRET\.$/,
    hint: /\.env/,
  },
  {
    what: 'half of the credentials',
    env: { TUMA_API_SECRET: '' },
    exit: 2,
    code: 'config_invalid',
    message: /TUMA_API_KEY \(environment\), TUMA_API_SECRET \(not set\): must be given together/,
  },
  {
    what: 'a port that nobody listens on',
    env: { TUMA_MESSAGING_URL: 'http://127.0.0.1:9' },
    exit: 1,
    code: 'provider_unreachable',
    message: /ECONNREFUSED 127\.0\.0\.1:9/,
    hint: /TUMA_MESSAGING_URL \(its host, and http or https\) and the network/,
  },
  {
    what: 'a host that does not exist',
    env: { TUMA_MESSAGING_URL: 'http://no-such-host.invalid' },
    exit: 1,
    code: 'provider_unreachable',
    message: /no-such-host\.invalid/,
  },
  {
    what: 'a limit that the estimate passes',
    env: {},
    flags: ['--max-cost', '2.39'],
    exit: 2,
    code: 'over_max_cost',
    message: /may cost KES 2\.40, more than its limit of KES 2\.39/,
  },
  {
    what: 'a limit without a price',
    env: { TUMA_PRICE: '' },
    flags: ['--max-cost', '100'],
    exit: 6,
    code: 'cost_unknown',
    message: /The limit on the cost needs a price/,
    hint: /TUMA_PRICE/,
  },
  {
    what: 'a limit that is no amount',
    env: {},
    flags: ['--max-cost', '2,40'],
    exit: 2,
    code: 'usage',
    message: /"2,40" is no amount/,
  },
  {
    what: 'a start that is no time',
    env: {},
    flags: ['--at', 'tomorrow'],
    exit: 2,
    code: 'usage',
    message: /"tomorrow" is no time such as/,
  },
  {
    what: 'a start that was long ago, which never fires late',
    env: {},
    flags: ['--at', '2020-01-01T09:00'],
    exit: 2,
    code: 'usage',
    message: /The start was Wed 1 Jan 2020, 09:00 \(06:00 UTC\), \d+ d \d+ h ago; .* start_deadline \(2h\)/,
    hint: /leave --at out/,
  },
  {
    what: 'a wait that is no duration',
    env: {},
    flags: ['--wait-reports', 'long'],
    exit: 2,
    code: 'usage',
    message: /"long" is no duration/,
  },
  {
    what: 'a price above the balance',
    env: { TUMA_PRICE: '4000' },
    exit: 5,
    code: 'insufficient_credit',
    message: /KES 2,?000\.00 short/,
    hint: /--partial/,
  },
  {
    what: 'a Redis that does not answer',
    env: { TUMA_REDIS_URL: 'redis://:CANARY@127.0.0.1:9' },
    flags: ['--wait'],
    exit: 1,
    code: 'redis_unreachable',
    message: /^Redis does not answer at 127\.0\.0\.1:9\. Nothing was launched\.$/,
    hint: /TUMA_REDIS_URL/,
  },
];

describe('a launch', () => {
  test.for(CASES)('refuses $what', async ({ env, flags = [], exit, code, message, hint }) => {
    const cwd = place().folder({ 'job.yaml': jobFile(), 'contacts.csv': contacts(3) });
    const ended = await place().tuma(['launch', join(cwd, 'job.yaml'), '--yes', '--json', ...flags], {
      cwd,
      env,
    });
    const error = errorOf(ended);
    expect({ exit: ended.code, code: error.code, stdout: ended.stdout }).toEqual({ exit, code, stdout: '' });
    expect(error.message).toMatch(message);
    if (hint !== undefined) expect(error.hint).toMatch(hint);
    expect(ended.stderr).not.toContain('CANARY');
  });

  test('refuses a budget in the job without a price', async () => {
    const cwd = place().folder({ 'job.yaml': jobFile({ budget: '100' }), 'contacts.csv': contacts(3) });
    const ended = await place().tuma(['launch', join(cwd, 'job.yaml'), '--yes', '--json'], {
      cwd,
      env: { TUMA_PRICE: '' },
    });
    expect([ended.code, errorOf(ended).message]).toEqual([
      6,
      'The budget needs a price for each message, and one is not known yet.',
    ]);
  });

  test.for([
    [404, 'text/plain', 'no such page'],
    [200, 'text/html', '<!doctype html><h1>Welcome</h1>'],
    [200, 'application/json', '{"credit": "lots", "clientId": "C-1"}'],
    [302, 'text/plain', ''],
    [500, 'application/json', '{"message": "oops"}'],
  ] as const)('refuses a service that answers %s %s', async ([status, type, body]) => {
    const url = await answering(status, type, body);
    const cwd = place().folder({ 'job.yaml': jobFile(), 'contacts.csv': contacts(3) });
    const ended = await place().tuma(['launch', join(cwd, 'job.yaml'), '--yes', '--json'], {
      cwd,
      env: { TUMA_MESSAGING_URL: url },
    });
    expect([ended.code, ended.stdout]).toEqual([1, '']);
    expect(errorOf(ended)).toMatchObject({ code: 'provider_answer', where: 'TUMA_MESSAGING_URL' });
    expect(errorOf(ended).message).toMatch(/^The messaging service's answer holds no readable balance: /);
    expect(errorOf(ended).message.length).toBeLessThan(300);
  });

  test('with --wait refuses a collector port that is taken, and a Redis that may evict keys', async () => {
    const taken = new URL(await answering(200, 'text/plain', '')).port;
    const redis = await startRedis({ args: ['--maxmemory-policy', 'allkeys-lru'] });
    const { path, host, port } = redis.address;
    const cwd = place().folder({ 'job.yaml': jobFile(), 'contacts.csv': contacts(3) });
    const launch = ['launch', join(cwd, 'job.yaml'), '--yes', '--json', '--wait'];
    const [busy, unsafe] = await Promise.all([
      place().tuma(launch, { cwd, env: { TUMA_PORT: taken } }),
      place().tuma(launch, {
        cwd,
        env: {
          TUMA_PORT: '0',
          TUMA_REDIS_URL: path === undefined ? `redis://${host}:${port}` : `unix:${path}`,
        },
      }),
    ]);
    expect([busy.code, errorOf(busy)]).toEqual([
      1,
      {
        code: 'port_in_use',
        message: `Another program listens on 127.0.0.1:${taken}. Nothing was launched.`,
        hint: 'Stop it, or choose another port with TUMA_PORT.',
        where: 'TUMA_PORT',
      },
    ]);
    expect([unsafe.code, errorOf(unsafe).code]).toEqual([1, 'redis_unsafe']);
    expect(errorOf(unsafe).message).toMatch(/may evict keys .*Nothing was launched\.$/);
  });
});

test('none of these left a campaign or a draft behind', () => {
  expect(place().campaigns()).toEqual([]);
});

test('a plan does without a service that does not answer, and says what it does not know', async () => {
  const { code, stdout } = await place().tuma(['plan', 'job.yaml'], {
    env: { TUMA_MESSAGING_URL: 'http://127.0.0.1:9' },
  });
  expect(code).toBe(0);
  expect(stdout).toContain('! the balance is not known: connect ECONNREFUSED 127.0.0.1:9\n');
  expect(stdout).not.toContain('balance  ');
});

test('serve refuses a port that is taken, and waits for a Redis that is away', async () => {
  const taken = new URL(await answering(200, 'text/plain', '')).port;
  const refused = await place().tuma(['serve', '--json'], { env: { TUMA_PORT: taken } });
  expect([refused.code, refused.stdout, errorOf(refused).code]).toEqual([1, '', 'port_in_use']);
  const port = await freePort();
  const serving = place().start(['serve'], {
    env: { TUMA_REDIS_URL: `redis://127.0.0.1:${port}`, TUMA_PORT: '0' },
  });
  await serving.printed(/Redis does not answer yet: sending waits for it, the collector does not/);
  await serving.printed(/serving worker, collector, web/);
  await serving.stop();
  expect((await serving.exited).code).toBe(0);
  expect(serving.stderr()).toContain('stopping: no new message is taken');
});

/** A server that answers everything alike. */
async function answering(status: number, type: string, body: string): Promise<string> {
  const server = createServer((_request, response) => {
    response.writeHead(status, { 'content-type': type, location: '/elsewhere' }).end(body);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
