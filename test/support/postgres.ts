import { createConnection } from 'node:net';
import { text } from 'node:stream/consumers';
import { Client, types } from 'pg';
import { atFileEnd } from './file-end.ts';
import { type ServerOfRun, SERVER_OF_RUN, serverOfRun } from './postgres/run.ts';

/** An empty schema of a real Postgres, for one test. It is dropped at the end of the test file. */
export interface PostgresForTests {
  /** As TUMA_DATABASE_URL takes it: …/postgres?schema=test_…; other clients have to name the schema. */
  url: string;
  /** The version of the server: 15.18 */
  version: string;
  schema: string;
  /** Runs one statement or several, in the schema, and gives the rows of the last. bigint is a number. */
  sql(text: string): Promise<Record<string, unknown>[]>;
  /** Drops the schema before the end of the file, which keeps a file with hundreds of ledgers small. */
  drop(): Promise<void>;
}

const made = new Set<PostgresForTests>();
let schemas = 0;
let server: Promise<ServerOfRun> | undefined;

atFileEnd(async () => {
  for (const each of made) await each.drop();
});

/**
 * A schema on the server of this run (CONTRIBUTING.md says which that is). Null where there can be none, and one line has
 * said why: the tests of SQLite go on.
 */
export async function postgresForTests(): Promise<PostgresForTests | null> {
  server ??= askedServer();
  const { url, reason } = await server;
  return url === null ? none(reason) : makeSchema(url);
}

let saidWhy = false;

function none(reason: string): null {
  if (!saidWhy) console.log(`Nothing is tried on Postgres: ${reason}`);
  saidWhy = true;
  return null;
}

/** The process that runs all tests has one, and starts it when it is first asked. Without such a process it is our own. */
async function askedServer(): Promise<ServerOfRun> {
  const path = process.env[SERVER_OF_RUN];
  if (path === undefined) return serverOfRun();
  return JSON.parse(await text(createConnection(path))) as ServerOfRun;
}

async function makeSchema(server: string): Promise<PostgresForTests> {
  const schema = `test_${process.pid}_${Date.now().toString(36)}_${++schemas}`;
  const client = await connect(withParameter(server, 'options', `-c search_path=${schema}`));
  const sql = async (words: string) => {
    const answer = (await client.query(words)) as unknown as Answer | Answer[];
    return (Array.isArray(answer) ? answer.at(-1) : answer)?.rows ?? [];
  };
  await sql(`CREATE SCHEMA ${schema}`);
  const [first] = await sql('SHOW server_version');
  const test: PostgresForTests = {
    url: withParameter(server, 'schema', schema),
    version: String(first?.['server_version']),
    schema,
    sql,
    async drop() {
      if (!made.delete(test)) return;
      await sql(`SET client_min_messages = warning; DROP SCHEMA ${schema} CASCADE`);
      await client.end();
    },
  };
  made.add(test);
  return test;
}

interface Answer {
  rows: Record<string, unknown>[];
}

function withParameter(address: string, name: string, value: string): string {
  const url = new URL(address);
  url.searchParams.set(name, value);
  // `+` for a blank is a form of web pages only.
  return url.href.replaceAll('+', '%20');
}

async function connect(url: string): Promise<Client> {
  const client = new Client({ connectionString: url });
  // A server that a test ends takes this connection with it.
  client.on('error', () => undefined);
  client.setTypeParser(types.builtins.INT8, Number);
  await client.connect();
  return client;
}
