import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { postgresForTests } from '../support/postgres.ts';
import { findPrograms, type PostgresPrograms } from '../support/postgres/programs.ts';
import { startPostgres } from '../support/postgres/server.ts';
import { ROOT, startNode } from '../support/processes.ts';
import { waitFor } from '../support/wait-for.ts';

/* What other tests rely on: that a server of theirs is as durable as they think, and leaves nothing behind. */

const programs = findPrograms() as PostgresPrograms;
const none = typeof programs === 'string';

test.skipIf(none)('a server ends with the process that started it, and so does its folder', async () => {
  const child = startNode(join(ROOT, 'test/faults/postgres-server-process.ts'), []);
  await child.printed(/\n/);
  const { data } = JSON.parse(child.stdout()) as { data: string };
  expect(existsSync(join(data, 'postmaster.pid'))).toBe(true);
  await child.stop('SIGKILL');
  await waitFor(() => !existsSync(join(data, '..')), { what: 'the folder to be gone' });
});

test.skipIf(none)(
  'a durable server wants its password, and keeps what was committed when it is killed',
  async () => {
    const server = await startPostgres(programs, { durable: true });
    onTestFinished(() => server.end());
    const ask = async (url: string, sql: string) => {
      const client = new Client({ connectionString: url });
      await client.connect();
      const { rows } = await client.query<Record<string, unknown>>(sql);
      await client.end();
      return rows;
    };
    const wrong = new URL(server.url);
    wrong.password = 'another';
    await expect(ask(wrong.href, 'SELECT 1')).rejects.toThrow('password authentication failed');
    await ask(server.url, 'CREATE TABLE kept AS SELECT 7 AS n');
    await server.signal('SIGKILL');
    await server.start();
    expect(await ask(server.url, 'SELECT n FROM kept')).toEqual([{ n: 7 }]);
  },
);

test('each test has a schema of its own, which its address leads to', async () => {
  const [one, other] = [await postgresForTests(), await postgresForTests()];
  if (one === null || other === null) return;
  await one.sql('CREATE TABLE mine AS SELECT 1::bigint AS n');
  expect(await one.sql('SELECT 0; SELECT n FROM mine')).toEqual([{ n: 1 }]);
  await expect(other.sql('SELECT n FROM mine')).rejects.toThrow('does not exist');
  expect(new URL(one.url).searchParams.get('schema')).toBe(one.schema);
  await one.drop();
  expect(await other.sql(`SELECT 1 FROM pg_namespace WHERE nspname = '${one.schema}'`)).toEqual([]);
});
