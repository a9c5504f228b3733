import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { asRole, machineSettings, type PostgresRole, rolePasswords } from '../support/postgres/machine.ts';
import { findPrograms, type PostgresPrograms } from '../support/postgres/programs.ts';
import { type PostgresServer, startPostgres } from '../support/postgres/server.ts';
import { ROOT, type TestProcess } from '../support/processes.ts';
import { startRedis } from '../support/redis.ts';
import { waitFor } from '../support/wait-for.ts';
import { contacts, errorOf, jobFile, openPlace } from './harness.ts';

/* A ledger on Postgres that machines share: each has a home and a user of Postgres of its own, as in docs/many-machines.md. */

const PEOPLE = 300;
const programs = findPrograms() as PostgresPrograms;
const none = typeof programs === 'string';
if (none) console.log(`Many machines are not tried: ${String(programs)}`);

const place = openPlace({ env: { TUMA_RATE: '200/s', TUMA_CONCURRENCY: '4', TUMA_CLAIM_LIMIT: '8' } });

describe.skipIf(none)('machines that share a ledger on Postgres', () => {
  let postgres: PostgresServer;
  let redis: string;

  beforeAll(async () => {
    postgres = await startPostgres(programs, { durable: true });
    const { address } = await startRedis();
    redis = 'path' in address ? `unix:${address.path}` : `redis://${address.host}:${address.port}`;
    await roles();
    await asAdmin(rolePasswords());
  });
  afterAll(() => postgres.end());

  async function asAdmin(sql: string): Promise<object[]> {
    const client = new Client({ connectionString: postgres.url });
    await client.connect();
    const { rows } = await client.query<object>(sql);
    await client.end();
    return rows;
  }

  const roles = () => asAdmin(readFileSync(join(ROOT, 'deploy/postgres-roles.sql'), 'utf8'));

  /** The settings of one machine. */
  const machine = (role: PostgresRole) => ({
    ...machineSettings(asRole(postgres.url, role)),
    ...(role === 'worker' ? { TUMA_REDIS_URL: redis } : {}),
  });

  /** A process of this machine that serves one role. */
  async function serve(role: string, env: Record<string, string>): Promise<TestProcess> {
    const child = place().start(['serve', '--role', role], { env });
    await child.printed(/serving/);
    return child;
  }

  test('the tables are made by their owner, and nobody else', async () => {
    const early = await place().tuma(['migrate', '--json'], { env: machine('worker') });
    expect([early.code, errorOf(early).code]).toEqual([1, 'database_refused']);
    expect(errorOf(early).hint).toContain('tuma migrate');
    const made = await place().json(['migrate'], { env: machine('owner') });
    expect(made).toMatchObject({ schema: 1, engine: expect.stringMatching(/^PostgreSQL \d/) });
    await roles();
    expect(await place().json(['migrate'], { env: machine('worker') })).toEqual({
      ...made,
      ledger: expect.stringContaining('tuma_worker@'),
    });
  });

  /** Postgres crashes, and later restarts in order, while a campaign is sent. */
  async function restartedInMidCampaign(
    here: Record<string, string>,
    workers: readonly TestProcess[],
  ): Promise<void> {
    const before = place().sandbox.stats().accepted;
    place().write('contacts.csv', contacts(PEOPLE, PEOPLE));
    place().write('second.yaml', jobFile({ name: 'second' }));
    await place().tuma(['launch', 'second.yaml', '--yes'], { env: here });
    for (const [signal, share] of [
      ['SIGKILL', 0.2],
      ['SIGINT', 0.6],
    ] as const) {
      const accepted = () => place().sandbox.stats().accepted - before;
      await waitFor(() => accepted() > share * PEOPLE, { what: `${share} of the campaign` });
      await postgres.signal(signal);
      // Longer than a claim waits; the verdicts of what is on the wire wait in memory.
      if (signal === 'SIGKILL')
        await waitFor(() => workers.some((worker) => worker.stderr().includes('Sending waits')), {
          what: 'a worker to wait',
        });
      await postgres.start();
    }
    const states = 'SELECT state, count(*)::int AS count FROM tuma.message WHERE campaign = 2 GROUP BY state';
    const sent = [{ state: 'sent', count: PEOPLE }];
    await waitFor(async () => isDeepStrictEqual(await asAdmin(states), sent), { what: 'all to be sent' });
    expect(place().sandbox.stats().accepted - before).toBe(PEOPLE);
  }

  test('two workers and a collector without keys send a campaign once, and join its reports', async () => {
    const [here, one, other] = [machine('worker'), machine('worker'), machine('worker')];
    const noKeys = { TUMA_API_KEY: '', TUMA_API_SECRET: '', TUMA_MESSAGING_URL: '' };
    const serving = [
      await serve('collector', { ...machine('collector'), ...noKeys }),
      await serve('worker', one),
      await serve('worker', other),
    ];
    place().write('contacts.csv', contacts(PEOPLE));
    const report = await place().json(['launch', 'job.yaml', '--yes', '--wait'], { env: here });
    expect(report.messages).toMatchObject({ sent: PEOPLE, uncertain: 0 });
    const { delivered = 0, undelivered = 0 } = report.delivery;
    expect(delivered + undelivered).toBe(PEOPLE);
    expect(place().sandbox.stats().accepted).toBe(PEOPLE);
    await restartedInMidCampaign(here, serving.slice(1));
    for (const child of serving) {
      await child.stop();
      expect(child.stdout() + child.stderr()).not.toContain('CANARY');
    }
    expect(await place().json(['status'], { env: here })).toMatchObject({ workers: 0 });
    expect(await place().tuma(['verify'], { env: machine('owner') })).toMatchObject({ code: 0, stderr: '' });
  });
});
