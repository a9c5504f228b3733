import { isDeepStrictEqual } from 'node:util';
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { contacts, jobFile, openPlace } from '../e2e/harness.ts';
import { machineSettings } from '../support/postgres/machine.ts';
import { findPrograms, type PostgresPrograms } from '../support/postgres/programs.ts';
import { type PostgresServer, startPostgres } from '../support/postgres/server.ts';
import type { TestProcess } from '../support/processes.ts';
import { startRedis } from '../support/redis.ts';
import { waitFor } from '../support/wait-for.ts';
import { startCommitProxy } from './commit-proxy.ts';

/* A worker that falls silent while answers are on their way to it: what machines.slow.test.ts shows of many, of one. */

const PEOPLE = 60;
const ANSWERED = 10;
const IN_FLIGHT = 4;
/** Lease and grace, and some more. */
const GIVEN_UP_MS = 300_000;
const programs = findPrograms() as PostgresPrograms;
const none = typeof programs === 'string';
if (none) console.log(`Silent workers are not tried on Postgres: ${String(programs)}`);

const place = openPlace({
  env: { TUMA_RATE: 'unlimited', TUMA_CONCURRENCY: String(IN_FLIGHT), TUMA_CLAIM_LIMIT: '8' },
});

describe.skipIf(none)('a worker on Postgres beside another one', () => {
  let postgres: PostgresServer;
  let redis: string;

  beforeAll(async () => {
    postgres = await startPostgres(programs, { durable: true });
    const { address } = await startRedis();
    redis = 'path' in address ? `unix:${address.path}` : `redis://${address.host}:${address.port}`;
  });
  afterAll(() => postgres.end());

  /** The settings of one machine, which reaches Postgres there. */
  const machine = (address = postgres.url) => ({ ...machineSettings(address), TUMA_REDIS_URL: redis });

  async function serve(env: Record<string, string>): Promise<TestProcess> {
    const child = place().start(['serve', '--role', 'worker'], { env });
    await child.printed(/serving/);
    return child;
  }

  /** How many messages of this campaign are in each state. */
  async function states(name: string): Promise<Record<string, number>> {
    const client = new Client({ connectionString: postgres.url });
    await client.connect();
    const { rows } = await client.query<{ state: string; count: number }>(
      `SELECT m.state, count(*)::int AS count FROM tuma.message AS m JOIN tuma.campaign AS c ON c.n = m.campaign
       WHERE c.name = $1 GROUP BY m.state`,
      [name],
    );
    await client.end();
    return Object.fromEntries(rows.map(({ state, count }) => [state, count]));
  }

  /** A campaign in whose midst the worker of this machine waits for answers, with all that it may have on the wire. */
  async function inTheMidst(name: string, silent: Record<string, string>) {
    const before = place().sandbox.stats().accepted;
    place().write('contacts.csv', contacts(PEOPLE, before));
    place().write(`${name}.yaml`, jobFile({ name, batch: '20' }));
    await place().tuma(['launch', `${name}.yaml`, '--yes'], { env: machine() });
    const answers = await place().holdAnswers(ANSWERED);
    const worker = await serve({ ...silent, ...answers.env });
    const isThere = async () => answers.held() === IN_FLIGHT && (await states(name))['sent'] === ANSWERED;
    await waitFor(isThere, { what: 'all places to be on the wire, and the answers before to be recorded' });
    return { worker, answers, accepted: () => place().sandbox.stats().accepted - before };
  }

  test('is cut off from it for less than its lease: it sends what it had claimed, and records every answer later [D10]', async () => {
    const proxy = await startCommitProxy(postgres.url);
    const { worker, answers, accepted } = await inTheMidst('cut-off', machine(proxy.url));
    proxy.silence();
    answers.release();
    const other = await serve(machine());
    const all = { sent: PEOPLE };
    await waitFor(async () => isDeepStrictEqual(await states('cut-off'), all), {
      what: 'all to be sent',
      timeoutMs: GIVEN_UP_MS,
    });
    expect(accepted()).toBe(PEOPLE);
    for (const each of [worker, other]) await each.stop();
    expect(await place().tuma(['verify'], { env: machine() })).toMatchObject({ code: 0 });
  });

  test('freezes until its lease and the grace are over: its answers settle what is uncertain, and it sends nothing of it [A13 D10]', async () => {
    const { worker, answers, accepted } = await inTheMidst('frozen', machine());
    process.kill(worker.pid, 'SIGSTOP');
    const other = await serve(machine());
    const { sent, uncertain = 0 } = await waitFor(
      async () => {
        const now = await states('frozen');
        return now['sending'] === undefined && now['queued'] === undefined ? now : null;
      },
      { what: 'the frozen worker to be given up', timeoutMs: GIVEN_UP_MS },
    );
    expect(uncertain).toBeGreaterThanOrEqual(IN_FLIGHT);
    expect(accepted()).toBe((sent ?? 0) + IN_FLIGHT);
    answers.release();
    process.kill(worker.pid, 'SIGCONT');
    const settled = { sent: (sent ?? 0) + IN_FLIGHT, uncertain: uncertain - IN_FLIGHT };
    const some = Object.fromEntries(Object.entries(settled).filter(([, count]) => count > 0));
    await waitFor(async () => isDeepStrictEqual(await states('frozen'), some), {
      what: 'its answers to count',
    });
    for (const each of [worker, other]) await each.stop();
    expect(accepted()).toBe(settled.sent);
    expect(await place().tuma(['verify'], { env: machine() })).toMatchObject({ code: 0 });
  });
});
