import { lstatSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { expect, test } from 'vitest';
import type { RedisAddress } from '../../src/queue/redis-address.ts';
import { knownAddress, readRecord } from '../../src/queue/private-server.ts';
import { makeTempDir } from '../support/temp-home.ts';
import { waitFor } from '../support/wait-for.ts';
import { contacts, errorOf, jobFile, mobile, openPlace } from './harness.ts';

/* A campaign in which things go wrong: what a person can do about it, and that nothing private gets out (X9, X10). */

const script = join(makeTempDir(), 'faults.yaml');
writeFileSync(
  script,
  [
    [1, '200_fail_code, code: "1003"'],
    [2, '429, times: 1, retry_after: 1'],
    [3, '200_garbage'],
    [4, '200_no_id'],
    [5, 'rst_after_body'],
  ]
    .map(([index, answer]) => `- { mobile: "${mobile(Number(index))}", answer: ${answer} }\n`)
    .join(''),
);
const CANARY = { key: 'CANARYkey7', secret: 'CANARYsecret7', text: 'CANARYtext7', name: 'CANARYname7' };
const place = openPlace({
  sandbox: {
    apiKey: CANARY.key,
    apiSecret: CANARY.secret,
    faults: { script },
    reportDelayMs: { min: 20, max: 60 },
  },
  env: { TUMA_API_KEY: CANARY.key, TUMA_API_SECRET: CANARY.secret, TUMA_RATE: '10/s' },
});
const JOB = { message: `"${CANARY.text} for <<name>>"`, retry: '{ attempts: 1, first: 1s, most: 1s }' };
const PEOPLE = 12;
const printed: string[] = [];

async function tuma(args: string[]) {
  const ended = await place().tuma(args);
  printed.push(ended.stdout, ended.stderr);
  return ended;
}

test('neither credentials nor texts nor numbers are in Redis, argv, or what is printed [X9 X10]', async () => {
  place().write('job.yaml', jobFile(JOB));
  place().write('contacts.csv', contacts(PEOPLE).replaceAll('Person', CANARY.name));
  // It has not finished while somebody looks: afterwards Redis holds nothing at all.
  const { env, release } = await place().holdAnswers(PEOPLE / 2);
  const child = place().start(['launch', 'job.yaml', '--yes', '--wait'], { env });
  const redis = await waitFor(() => privateRedis(place().home), { what: 'the private Redis' });
  const seen: string[] = [];
  const look = async () => {
    seen.push(await everythingIn(redis.address), processFacts(child.pid, redis.pid));
    return place().sandbox.stats().accepted > PEOPLE / 2;
  };
  await waitFor(look, { what: 'half of the campaign' });
  await look();
  release();
  const { code } = await child.exited;
  printed.push(child.stdout(), child.stderr());
  expect(code).toBe(3);
  expect(seen.join('')).toContain('b-1-');
  for (const text of [...seen, ...printed]) expectNothingPrivate(text);
});

test('what went wrong is told by reason, and rejected messages that a retry can help go again', async () => {
  const report = await place().json(['report', 'promo']);
  expect(report.messages).toMatchObject({ sent: 7, rejected: 2, uncertain: 3, queued: 0 });
  expect(report['reasons']).toEqual(
    expect.arrayContaining([
      expect.objectContaining({
        state: 'rejected',
        reason: 'invalid mobile',
        provider_words: 'Invalid mobile number',
      }),
      expect.objectContaining({ state: 'rejected', reason: 'gave up after 1', retry_helps: true }),
    ]),
  );
  expect(await place().json(['retry', 'promo'])).toMatchObject({
    retried: 1,
    campaign: { state: 'running' },
  });
  expect((await tuma(['launch', 'job.yaml', '--wait'])).code).toBe(3);
  expect(await place().json(['retry', 'promo'])).toMatchObject({ retried: 0 });
});

test('the provider’s own words stand beside the reason in the report and the export', async () => {
  const { stdout } = await tuma(['report', 'promo']);
  expect(stdout).toMatch(/rejected +1 {2}invalid mobile\n +“Invalid mobile number”\n/);
  await tuma(['export', 'promo', '--out', 'said.csv']);
  const [header, ...rows] = readFileSync(place().path('said.csv'), 'utf8').split('\n');
  expect(header).toContain(',reason,provider_words,');
  expect(rows[1]).toContain(',rejected,,invalid mobile,Invalid mobile number,');
  expect(rows[0]).toContain(',sent,delivered,,,');
});

test('uncertain messages are decided by a person, once they have rested', async () => {
  const evidence = await tuma(['resolve', 'promo', '--evidence']);
  expect(evidence.stdout.split('\n').filter((line) => line.includes('2547****'))).toHaveLength(3);
  const early = await tuma(['resolve', 'promo', '--not-sent', '--json']);
  expect([early.code, errorOf(early).code]).toEqual([2, 'too_early']);
  const both = await tuma(['resolve', 'promo', '--sent', '--write-off', '--json']);
  expect([both.code, errorOf(both).code]).toEqual([2, 'usage']);
  const other = await tuma(['resolve', 'promo', '--sent', '--mobile', mobile(0), '--json']);
  expect([other.code, errorOf(other).code]).toEqual([2, 'not_found']);
  expect(await place().json(['resolve', 'promo', '--sent', '--mobile', mobile(3)])).toMatchObject({
    resolved: 1,
  });
  expect(await place().json(['resolve', 'promo', '--write-off', '--line', '6'])).toMatchObject({
    resolved: 1,
  });
  expect((await tuma(['launch', 'job.yaml'])).code).toBe(3);
  expect(await place().json(['resolve', 'promo', '--write-off'])).toMatchObject({ resolved: 1 });
  const report = await place().json(['report', 'promo']);
  expect(report.messages).toMatchObject({ sent: 9, rejected: 1, uncertain: 2, written_off: 2 });
  expect(report.cost).toMatchObject({ unknown: 1 });
  expect(await place().json(['verify'])).toMatchObject({ violations: [] });
});

test('the rows of rejected messages come back as contacts that can be launched', async () => {
  expect(
    await place().json(['export', 'promo', '--out', 'rest.csv', '--as', 'contacts', '--state', 'rejected']),
  ).toMatchObject({ rows: 1 });
  expect(readFileSync(place().path('rest.csv'), 'utf8')).toBe(`phone,name\n${mobile(1)},${CANARY.name} 1\n`);
  place().write('rest.yaml', jobFile({ ...JOB, name: 'rest', contacts: 'rest.csv' }));
  const again = await tuma(['launch', 'rest.yaml', '--yes', '--wait', '--json']);
  expect([again.code, (JSON.parse(again.stdout) as { messages: object }).messages]).toMatchObject([
    3,
    { rejected: 1 },
  ]);
});

test('no command prints a credential, a text or a number; only files of one’s own hold numbers [X10]', async () => {
  const commands = [
    ['status'],
    ['status', 'promo', '--json'],
    ['report', 'promo'],
    ['doctor'],
    ['doctor', '--json'],
  ];
  await Promise.all(commands.map(tuma));
  for (const text of printed) expectNothingPrivate(text);
  const shown = await place().tuma(['resolve', 'promo', '--evidence', '--show-numbers']);
  expect(shown.stdout).toContain(mobile(4));
});

test('whatever it leaves on the disk is for its owner alone, and holds no credential [X32 X10]', async () => {
  await place().json(['backup', 'copy.db']);
  await place().json(['export', 'promo', '--out', 'all.csv']);
  const files = readdirSync(place().home, { recursive: true, withFileTypes: true });
  const paths = files.map((entry) => join(entry.parentPath, entry.name));
  const all = [
    place().home,
    ...paths,
    place().path('copy.db'),
    place().path('all.csv'),
    place().path('rest.csv'),
  ];
  expect(paths.length).toBeGreaterThan(1);
  const open = all.filter((path) => (lstatSync(path).mode & 0o077) !== 0);
  expect(open).toEqual([]);
  for (const path of all.filter((each) => lstatSync(each).isFile())) {
    const text = readFileSync(path, 'latin1');
    for (const secret of [CANARY.key, CANARY.secret]) expect(text.includes(secret), path).toBe(false);
  }
});

function expectNothingPrivate(text: string): void {
  for (const canary of Object.values(CANARY)) expect(text).not.toContain(canary);
  for (let index = 0; index < PEOPLE; index++) expect(text).not.toContain(mobile(index).slice(3));
}

/** The private Redis of a home, once it is there. */
function privateRedis(home: string): { address: RedisAddress; pid: number } | null {
  const [address, record] = [knownAddress(home), readRecord(home)];
  return address === null || record === null ? null : { address, pid: record.pid };
}

/** Every key of a Redis with what it holds, as bytes read as text. */
async function everythingIn(address: RedisAddress): Promise<string> {
  const client = new Redis({ ...address, lazyConnect: true, retryStrategy: () => null });
  client.on('error', () => undefined);
  try {
    await client.connect();
    const keys = await client.keys('*');
    const values = await Promise.all(keys.map((key) => valueOf(client, key)));
    return keys.map((key, index) => `${key} ${JSON.stringify(values[index])}`).join('\n');
  } finally {
    client.disconnect();
  }
}

async function valueOf(client: Redis, key: string): Promise<unknown> {
  switch (await client.type(key)) {
    case 'hash':
      return client.hgetall(key);
    case 'list':
      return client.lrange(key, 0, -1);
    case 'set':
      return client.smembers(key);
    case 'zset':
      return client.zrange(key, '0', '-1');
    case 'stream':
      return client.xrange(key, '-', '+');
    default:
      return client.get(key);
  }
}

/** What other users of the machine, or whoever reads a crash report, would see of the processes. */
function processFacts(pid: number, redisPid: number): string {
  const read = (file: string) => {
    try {
      return readFileSync(file, 'utf8');
    } catch {
      return '';
    }
  };
  return [`/proc/${pid}/cmdline`, `/proc/${redisPid}/cmdline`, `/proc/${redisPid}/environ`]
    .map(read)
    .join('\n');
}
