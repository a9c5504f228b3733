import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { postgresSchema } from '../../src/ledger/postgres/dialect.ts';
import { postgresTriggers } from '../../src/ledger/postgres/triggers.ts';
import { shippedMigrations } from '../../src/ledger/sqlite/migrate.ts';
import { tuma } from '../cli/command-line.ts';
import { findPrograms, type PostgresPrograms } from '../support/postgres/programs.ts';
import { type PostgresServer, startPostgres } from '../support/postgres/server.ts';
import { ROOT } from '../support/processes.ts';
import { makeTempDir } from '../support/temp-home.ts';

/* deploy/postgres-roles.sql on a real server: each user may do its work, and nothing else. */

const ROLES = readFileSync(join(ROOT, 'deploy/postgres-roles.sql'), 'utf8');
const programs = findPrograms() as PostgresPrograms;

/** A session of this user in the ledger's schema. */
async function sessionOf(server: PostgresServer, user: string): Promise<Client> {
  const url = new URL(server.url);
  url.username = user;
  url.searchParams.set('options', '-csearch_path=tuma');
  const client = new Client({ connectionString: url.href });
  await client.connect();
  return client;
}

async function tables(server: PostgresServer): Promise<void> {
  const owner = await sessionOf(server, 'tuma_owner');
  await owner.query(readFileSync(join(ROOT, 'src/ledger/postgres/functions.sql'), 'utf8'));
  for (const { sql } of shippedMigrations())
    await owner.query([...postgresSchema(sql), ...postgresTriggers(sql)].join('\n'));
  await owner.end();
}

/** The statements that this user may not run, of these. */
async function refused(client: Client, statements: readonly string[]): Promise<string[]> {
  const found: string[] = [];
  for (const statement of statements)
    await client.query(statement).catch((error: Error & { code?: string }) => {
      if (error.code !== '42501') throw error;
      found.push(statement);
    });
  return found;
}

test.skipIf(typeof programs === 'string')(
  'each user of Postgres may do its own work and nothing else',
  async () => {
    const server = await startPostgres(programs);
    onTestFinished(() => server.end());
    const admin = new Client({ connectionString: server.url });
    const notices: string[] = [];
    admin.on('notice', ({ message = '' }) => notices.push(message));
    await admin.connect();
    await admin.query(ROLES);
    expect(notices).toEqual([expect.stringContaining('There are no tables yet')]);
    await tables(server);
    for (const _ of [1, 2]) await admin.query(ROLES);
    // A right that was given by hand goes.
    await admin.query('GRANT SELECT ON tuma.message TO tuma_collector');
    await admin.query(ROLES);
    await admin.end();

    const [owner, worker, collector] = [
      await sessionOf(server, 'tuma_owner'),
      await sessionOf(server, 'tuma_worker'),
      await sessionOf(server, 'tuma_collector'),
    ];
    const changes = [
      'CREATE TABLE mine (n int)',
      'DROP TABLE audit',
      'TRUNCATE message',
      'ALTER TABLE message DISABLE TRIGGER ALL',
    ];
    expect(await refused(worker, changes)).toEqual(changes);
    const { rows } = await owner.query<{ name: string }>(
      "SELECT tablename AS name FROM pg_tables WHERE schemaname = 'tuma'",
    );
    expect(rows.length).toBeGreaterThan(40);
    const reads = rows.map(({ name }) => `SELECT * FROM ${name} LIMIT 1`);
    expect(await refused(worker, reads)).toEqual([]);
    const open = ['SELECT * FROM fact LIMIT 1', 'SELECT * FROM inbox_trial LIMIT 1'];
    expect(await refused(collector, reads)).toEqual(reads.filter((read) => !open.includes(read)));
    const writes = [
      ...changes,
      "INSERT INTO fact (name, value) VALUES ('approval', 'off')",
      "UPDATE fact SET value = '0'",
      'DELETE FROM fact',
      'DELETE FROM webhook',
      'SELECT body FROM webhook',
      'SELECT ip FROM webhook',
      'UPDATE webhook SET times = 1 RETURNING body',
      "UPDATE webhook SET ip = ''",
      'UPDATE account SET claims = 0',
    ];
    expect(await refused(collector, writes)).toEqual(writes);
    expect(await refused(collector, ['SELECT claims FROM account'])).toEqual([]);
    for (const client of [owner, worker, collector]) await client.end();
  },
);

function settingsOf(server: PostgresServer, user: string): Record<string, string> {
  const url = new URL(server.url);
  url.username = user;
  return {
    TUMA_HOME: makeTempDir(),
    XDG_STATE_HOME: makeTempDir(),
    TUMA_DATABASE_URL: url.href,
    TUMA_WEBHOOK_TOKEN: 'abcdefghijklmnopqrstuvwx',
    TUMA_REDIS_URL: 'redis://127.0.0.1:1',
  };
}

/** What doctor says of each check, and how it ends. */
async function doctor(server: PostgresServer, user: string, flags: string[] = []) {
  const env = settingsOf(server, user);
  const { code, stdout } = await tuma(['doctor', '--json', ...flags], { env });
  const { checks } = JSON.parse(stdout) as { checks: { name: string; state: string; hint: string | null }[] };
  const of = (name: string) => checks.find((check) => check.name === name);
  return { code, names: checks.map(({ name }) => name), of };
}

test.skipIf(typeof programs === 'string')(
  'doctor says what the user of each role can do, and tries a write',
  async () => {
    const server = await startPostgres(programs);
    onTestFinished(() => server.end());
    const admin = new Client({ connectionString: server.url });
    await admin.connect();
    onTestFinished(() => admin.end());
    await admin.query(ROLES);
    const early = await doctor(server, 'tuma_collector', ['--collector']);
    expect(early.code).toBe(1);
    expect(early.of('ledger')).toMatchObject({
      state: 'fail',
      hint: expect.stringContaining('tuma migrate'),
    });
    expect(await tuma(['migrate'], { env: settingsOf(server, 'tuma_owner') })).toMatchObject({ code: 0 });
    await admin.query(ROLES);

    const collector = await doctor(server, 'tuma_collector', ['--collector']);
    expect(collector.names).toEqual(['node', 'sqlite', 'ledger', 'secrets', 'webhook', 'clock']);
    expect([collector.code, collector.of('ledger')?.state]).toEqual([0, 'ok']);
    const whole = await tuma(['doctor'], { env: settingsOf(server, 'tuma_collector') });
    expect([whole.code, whole.stdout]).toEqual([1, expect.stringContaining('may not do that')]);
    expect(whole.stderr).toContain('tuma doctor --collector');
    expect((await doctor(server, 'tuma_worker')).of('ledger')?.state).toBe('ok');

    await admin.query('REVOKE INSERT, UPDATE ON tuma.inbox_trial FROM tuma_worker, tuma_collector');
    expect((await doctor(server, 'tuma_worker')).of('ledger')?.state).toBe('fail');
    expect((await doctor(server, 'tuma_collector', ['--collector'])).of('ledger')?.state).toBe('fail');
  },
);
