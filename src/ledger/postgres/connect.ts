import type { Socket } from 'node:net';
import { Client, type QueryConfig, type QueryResult, type QueryResultRow } from 'pg';
import { TumaError } from '../../domain/errors.ts';
import { placeOf, type PostgresAddress } from './address.ts';
import { codeOf, ConnectionLost, FORBIDDEN, NO_RIGHT } from './postgres-errors.ts';

/* Opens connections to Postgres with all settings that the ledger's promises need, and refuses servers that break them. */

const OLDEST = 13;
const NEWEST = 18;
const CONNECT_MS = 10_000;
/** A statement of the ledger takes milliseconds; a reader's may walk through a large campaign. */
const LONGEST_STATEMENT_MS = { write: 30_000, read: 300_000, move: 300_000 };
/** Without an answer for this much longer, the network is cut: a cut is silent. */
const CUT_MS = 5_000;

/** What a connection is opened for. A reader's statements may take longer, and cannot write; a move does both. */
export type Purpose = 'write' | 'read' | 'move';

/** Where a connection ended up: another server, or another history of it, is another ledger. */
export interface Server {
  client: Client;
  /** The connection was closed or lost; no statement reaches the server by it any more. */
  isEnded(): boolean;
  /** Of the session, as the server knows it. */
  backend: number;
  /** Of the cluster of files, and of its history since the last failover: "7301…/1". */
  history: string;
  /** For people: "PostgreSQL 16.4". */
  version: string;
  /** The server's time when it was connected to, in milliseconds. */
  now: number;
}

/**
 * The first connection of a process: throws as `connect`, and refuses a proxy that gives each transaction another session.
 * While this process is alone such a proxy always gives it the same one, so only a second connection shows it.
 */
export async function connectFirst(address: PostgresAddress, purpose: Purpose): Promise<Server> {
  const server = await connect(address, purpose);
  try {
    const second = await connect(address, purpose);
    await second.client.end();
    if (second.backend === server.backend) throw pooled();
    return server;
  } catch (error) {
    await server.client.end().catch(() => undefined);
    throw error;
  }
}

/** Opens a connection. Throws `database_unreachable` or `database_refused`, one clear sentence each. */
export async function connect(address: PostgresAddress, purpose: Purpose): Promise<Server> {
  const client = clientOf(address, purpose);
  const isEnded = watched(client);
  try {
    await client.connect();
    return { ...(await checked({ client, address, purpose })), isEnded };
  } catch (error) {
    await client.end().catch(() => undefined);
    throw refusal(error, address);
  }
}

/** It reads the files of certificates at once. */
function clientOf(address: PostgresAddress, purpose: Purpose): Client {
  try {
    return new Client({
      connectionString: withPassword(address),
      application_name: `tuma ${purpose}`,
      connectionTimeoutMillis: CONNECT_MS,
      query_timeout: LONGEST_STATEMENT_MS[purpose] + CUT_MS,
      keepAlive: true,
      keepAliveInitialDelayMillis: CONNECT_MS,
    });
  } catch (cause) {
    const path = cause instanceof Error && 'path' in cause ? String(cause.path) : null;
    throw new TumaError('database_refused', {
      message: `A file that TUMA_DATABASE_URL names cannot be read (${codeText(cause)}).`,
      hint: 'See sslrootcert, sslcert and sslkey there, and who may read these files.',
      where: path ?? 'TUMA_DATABASE_URL',
      cause,
    });
  }
}

/** `pg` takes a password in the address, and beside an address none. Nobody is shown this one. */
function withPassword({ url, password }: PostgresAddress): string {
  const whole = new URL(url);
  if (password !== null) whole.password = encodeURIComponent(password);
  return whole.href;
}

/** Whether a client has ended. An error between two statements has no caller; the next statement fails with it. */
function watched(client: Client): () => boolean {
  let ended = false;
  const end = () => {
    ended = true;
  };
  client.on('error', end);
  client.on('end', end);
  return () => ended;
}

/**
 * Asks the server. A cut of the network is silent, so a connection without an answer is given up: what `pg` itself does
 * after `query_timeout` leaves it waiting.
 */
export async function ask<Found extends QueryResultRow>(
  client: Client,
  query: string | QueryConfig,
): Promise<QueryResult<Found>> {
  try {
    return await client.query<Found>(query);
  } catch (error) {
    if (error instanceof Error && error.message === 'Query read timeout') {
      (client as unknown as { connection: { stream: Socket } }).connection.stream.destroy();
      throw new ConnectionLost('the server does not answer any more');
    }
    throw error;
  }
}

const SETTINGS: Record<Purpose, readonly string[]> = {
  write: [
    'synchronous_commit = on',
    "lock_timeout = '5s'",
    "idle_in_transaction_session_timeout = '5s'",
    `statement_timeout = ${LONGEST_STATEMENT_MS.write}`,
    'default_transaction_read_only = off',
  ],
  read: [`statement_timeout = ${LONGEST_STATEMENT_MS.read}`, 'default_transaction_read_only = on'],
  move: [
    'synchronous_commit = on',
    "lock_timeout = '60s'",
    'idle_in_transaction_session_timeout = 0',
    `statement_timeout = ${LONGEST_STATEMENT_MS.move}`,
    'default_transaction_read_only = off',
  ],
};
const FOR_ALL = [
  'plan_cache_mode = force_generic_plan',
  "tcp_user_timeout = '15s'",
  "client_encoding = 'UTF8'",
  "DateStyle = 'ISO'",
  'bytea_output = hex',
  'extra_float_digits = 1',
];

const LOOK = `
  SELECT current_setting('server_version_num')::int AS number, current_setting('server_version') AS version,
    current_setting('server_encoding') AS encoding, current_setting('fsync') AS fsync,
    current_setting('full_page_writes') AS pages, current_setting('synchronous_commit') AS synced,
    current_setting('session_replication_role') AS role, pg_is_in_recovery() AS follows, pg_backend_pid() AS backend`;
/** The timeline is the first part of the name of the log's file. A database that was made anew has another oid. */
const HISTORY = `
  SELECT (SELECT system_identifier::text FROM pg_control_system()) || '/' ||
    ('x' || substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8))::bit(32)::int || '/' ||
    (SELECT oid::text FROM pg_database WHERE datname = current_database()) AS history,
    (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS now`;

interface Opened {
  client: Client;
  address: PostgresAddress;
  purpose: Purpose;
}

async function checked({ client, address, purpose }: Opened): Promise<Omit<Server, 'isEnded'>> {
  const look = (await client.query<Record<string, unknown>>(LOOK)).rows[0] ?? {};
  refuseVersion(Number(look['number']), String(look['version']));
  // What a replica shows may be minutes old, and a report would lie. In a failover it takes over soon, so all is waited for.
  if (look['follows'] === true)
    throw new TumaError('database_unreachable', {
      message: 'This Postgres only follows another one.',
      hint: 'Name the primary server in TUMA_DATABASE_URL. During a failover, wait until this one has taken over.',
      where: placeOf(address),
    });
  // Any other role switches the triggers off, which refuse illegal changes.
  if (look['role'] !== 'origin')
    throw unfit(
      'session_replication_role is not origin for this user.',
      'Take that setting back (ALTER ROLE … RESET).',
    );
  if (look['encoding'] !== 'UTF8')
    throw unfit(`This database stores texts as ${String(look['encoding'])}.`, 'Make one with ENCODING UTF8.');
  const changes = [...FOR_ALL, ...SETTINGS[purpose], `search_path = "${address.schema}"`];
  await client.query(changes.map((each) => `SET ${each};`).join('\n'));
  const set = (await client.query<Record<string, unknown>>(LOOK)).rows[0] ?? {};
  if (purpose !== 'read') refuseUnsafe(set);
  if (set['backend'] !== look['backend']) throw pooled();
  const { rows } = await client.query<{ history: string; now: number }>(HISTORY);
  const version = `PostgreSQL ${String(look['version'])}`;
  return {
    client,
    backend: Number(set['backend']),
    history: String(rows[0]?.history),
    version,
    now: Number(rows[0]?.now),
  };
}

function refuseVersion(number: number, version: string): void {
  const major = Math.floor(number / 10_000);
  if (major >= OLDEST && major <= NEWEST) return;
  throw unfit(`This is Postgres ${version}; Tuma is tried with ${OLDEST} to ${NEWEST}.`, 'Use one of these.');
}

function refuseUnsafe(set: Record<string, unknown>): void {
  const hint = 'Set it to on in postgresql.conf, because else a power cut takes back what was answered.';
  for (const [setting, value] of [
    ['fsync', set['fsync']],
    ['full_page_writes', set['pages']],
  ] as const)
    if (value !== 'on') throw unfit(`This Postgres runs with ${setting} = off.`, hint);
  if (set['synced'] !== 'on') throw unfit(`synchronous_commit stays ${String(set['synced'])} here.`, hint);
}

/** The refusal of a proxy that gives each transaction another session. */
export function pooled(): TumaError {
  return unfit(
    'Between this machine and Postgres stands a proxy that gives each transaction another session.',
    'Name the server itself, or let the proxy pool sessions (pool_mode = session).',
  );
}

function unfit(message: string, hint: string): TumaError {
  return new TumaError('database_refused', { message, hint, where: 'TUMA_DATABASE_URL' });
}

interface Words {
  message: string;
  hint: string;
}

/** By SQLSTATE. */
const REFUSALS = new Map<string, Words>([
  [
    '28P01',
    {
      message: 'Postgres refuses the password.',
      hint: 'See the user in TUMA_DATABASE_URL. TUMA_DATABASE_PASSWORD_FILE must name a file with the password.',
    },
  ],
  [
    '28000',
    {
      message: 'Postgres refuses this user from this machine.',
      hint: 'See the user in TUMA_DATABASE_URL, and pg_hba.conf there. A server that wants TLS needs sslmode=verify-full in TUMA_DATABASE_URL.',
    },
  ],
  [
    '3D000',
    {
      message: 'There is no database of that name.',
      hint: 'See the name in TUMA_DATABASE_URL, or make it: createdb --encoding=UTF8 NAME.',
    },
  ],
  [NO_RIGHT, FORBIDDEN],
]);
/** By the words of `pg`, which has no code for them. */
const REFUSALS_BY_WORDS: readonly (readonly [words: RegExp, Words])[] = [
  [
    /^The server does not support SSL connections/,
    {
      message: 'This Postgres does not speak TLS.',
      hint: 'Switch it on there (ssl = on), or take sslmode out of TUMA_DATABASE_URL.',
    },
  ],
  [
    /client password must be a (?:non-empty )?string/,
    {
      message: 'Postgres wants a password, and none is given.',
      hint: 'Write it into a file that TUMA_DATABASE_PASSWORD_FILE names.',
    },
  ],
];
const NO_CONNECTION_LEFT = '53300';
/** Of looking a name up. It may be the network, too, so it is waited for. */
const UNKNOWN_HOST = /^(?:ENOTFOUND|EAI_)/;

function refusal(error: unknown, address: PostgresAddress): unknown {
  if (error instanceof TumaError) return error;
  const about = { where: placeOf(address), cause: error };
  const code = codeOf(error) ?? '';
  const text = codeText(error);
  const known = REFUSALS.get(code) ?? REFUSALS_BY_WORDS.find(([words]) => words.test(text))?.[1];
  if (known !== undefined)
    return new TumaError('database_refused', { message: known.message, hint: known.hint, ...about });
  if (isOfTls(error))
    return new TumaError('database_refused', {
      message: `The certificate of this Postgres is not trusted (${text}).`,
      hint: 'Name the file of its authority as sslrootcert in TUMA_DATABASE_URL, and the server by the name in its certificate.',
      ...about,
    });
  if (code === NO_CONNECTION_LEFT)
    return new TumaError('database_unreachable', {
      message: 'Postgres takes no more connections of this user.',
      hint: 'Each process of Tuma holds two. See max_connections there, and CONNECTION LIMIT of the user.',
      ...about,
    });
  if (UNKNOWN_HOST.test(text))
    return new TumaError('database_unreachable', {
      message: `The host of Postgres is not known here (${text}).`,
      hint: 'See its name in TUMA_DATABASE_URL, and the DNS of this machine.',
      ...about,
    });
  return new TumaError('database_unreachable', {
    message: `Postgres does not answer (${text}).`,
    hint: 'See that it runs, and the host and the port in TUMA_DATABASE_URL.',
    ...about,
  });
}

function isOfTls(error: unknown): boolean {
  const text = codeText(error);
  return /CERT|SELF_SIGNED|ALTNAME|UNABLE_TO|SSL|TLS/.test(text);
}

function codeText(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown';
  return 'code' in error && typeof error.code === 'string' ? error.code : error.message.slice(0, 80);
}
