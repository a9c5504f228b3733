import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from 'pg';
import { expect, onTestFinished, test, vi } from 'vitest';
import { findPrograms } from '../support/postgres/programs.ts';
import { type PostgresServer, startPostgres } from '../support/postgres/server.ts';
import { makeTempDir } from '../support/temp-home.ts';
import { openStage } from './harness.ts';
import { moveRun, type Target } from './move-run.ts';
import { seeded } from './seeds.ts';

/* `npm run soak -- --move MESSAGES`: a large ledger on the disk moves to a Postgres on the disk. */

const KILLS = 10;
const LONGEST_WAIT_MS = 3_600_000;
vi.setConfig({ testTimeout: 4 * LONGEST_WAIT_MS });

const messages = Number(process.env['TUMA_SOAK_MOVE']);

test(`a ledger of ${messages} messages moves to Postgres`, async () => {
  const programs = findPrograms();
  if (typeof programs === 'string') throw new Error(programs);
  const server = await startPostgres(programs, { durable: true });
  onTestFinished(() => server.end());
  const folder = makeTempDir('disk');
  const password = join(folder, 'password');
  writeFileSync(password, new URL(server.url).password, { mode: 0o600 });
  const stage = await openStage({
    contacts: 0,
    env: { XDG_STATE_HOME: join(folder, 'state'), TUMA_DATABASE_PASSWORD_FILE: password },
    // Reports are posted again for as long as a move takes.
    sandbox: { latencyMs: 10, reportTries: 100 },
  });
  const job = join(stage.directory, 'job.yaml');
  writeFileSync(job, readFileSync(job, 'utf8').replace('batch: 50', 'batch: 500'));
  const [first, target] = [await schemaOf(server, 'first'), await schemaOf(server, 'target')];
  const random = seeded('a large move');
  const outcome = await moveRun(stage, {
    messages,
    kills: KILLS,
    random,
    first,
    target,
    timeoutMs: LONGEST_WAIT_MS,
  });
  console.table([outcome]);
  expect(outcome.killed).toBeGreaterThan(KILLS / 2);
});

async function schemaOf({ url }: PostgresServer, schema: string): Promise<Target> {
  const client = new Client({ connectionString: url });
  client.on('error', () => undefined);
  await client.connect();
  await client.query(`SET search_path = ${schema}`);
  onTestFinished(() => client.end().catch(() => undefined));
  const address = new URL(url);
  address.password = '';
  address.searchParams.set('schema', schema);
  return {
    url: address.href,
    sql: async (text) => (await client.query<Record<string, unknown>>(text)).rows,
  };
}
