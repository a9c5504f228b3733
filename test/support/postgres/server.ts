import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  appendFileSync,
  chmodSync,
  cpSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  statfsSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { Client } from 'pg';
import { freePort } from '../free-port.ts';
import { waitFor } from '../wait-for.ts';
import { type PostgresPrograms, programsIn } from './programs.ts';

/** A Postgres server in a temporary folder. It ends with this process, also when that is killed. */
export interface PostgresServer {
  /** With the password, where it has one: postgres://tuma@localhost/postgres?host=/tmp/… */
  url: string;
  /** Where its data is, for tests that look at its files or copy them. */
  data: string;
  /** The folder of its programs, for those that a test wants besides (pg_basebackup). */
  bin: string;
  /** Starts it again after `signal` ended it. */
  start(): Promise<void>;
  /** SIGKILL: as if it crashed. SIGINT: a quick, orderly stop. Both wait for its end. SIGSTOP and SIGCONT do not. */
  signal(name: 'SIGKILL' | 'SIGINT' | 'SIGSTOP' | 'SIGCONT'): Promise<void>;
  /** Gives its user what the test has put into `data`, which may run as another one. */
  own(): void;
  /** Ends it and removes its folder. */
  end(): Promise<void>;
}

export interface PostgresServerOptions {
  /** Its data is on the disk, and it listens on a TCP port of 127.0.0.1 with a password. */
  durable?: boolean;
  /** More settings: { log_statement: 'all' }. */
  settings?: Record<string, string>;
  /** It is a replica, which streams from a durable server. `pg_promote()` makes it a primary. */
  follows?: Replicated;
}

/** A server, and the address by which its replica reaches it. */
interface Replicated {
  server: PostgresServer;
  url: string;
}

type User = { uid: number; gid: number } | null;
type Place = Pick<PostgresServer, 'url' | 'data' | 'bin'> & { user: User; flags: string[] };

/** Ends the server of this folder when its standard input does: that is, when who started it is gone. */
const WATCHER = `
cat > /dev/null
pid=$(head -n 1 "$1/data/postmaster.pid" 2>/dev/null) && kill -CONT "$pid" && kill -QUIT "$pid"
while kill -0 "$pid" 2>/dev/null; do sleep 0.1; done
rm -rf "$1"`;
const PASSWORD = 'tuma-test-password';
const DISK = '/tmp';
const MEMORY = '/dev/shm';
const ROOM_BYTES = 200 * 2 ** 20;

/**
 * Starts one from these programs. Without `durable` it has no network, and its data is in memory where there is room: a
 * ledger refuses a server that does not force commits to the disk, and there that costs nothing.
 */
export async function startPostgres(
  programs: PostgresPrograms,
  options: PostgresServerOptions = {},
): Promise<PostgresServer> {
  const folder = mkdtempSync(`${options.durable === true ? DISK : quickest()}/tuma-postgres-`);
  const user = userOf();
  const place = await makePlace(folder, user, { programs, options });
  const own = () => {
    if (existsSync(place.data)) chmodSync(place.data, 0o700);
    if (user !== null) spawnSync('chown', ['-R', `${user.uid}:${user.gid}`, folder]);
  };
  // All of it, so that the watcher can remove it.
  own();
  // In a group of its own: Ctrl-C in a terminal must not reach it before what it watches.
  const watcher = spawn('/bin/sh', ['-c', WATCHER, 'watcher', folder], {
    stdio: ['pipe', 'ignore', 'ignore'],
    cwd: '/',
    detached: true,
    ...user,
  });
  if (options.follows === undefined) createCluster(place, options.durable === true ? folder : null);
  else {
    await copyCluster(place, options.follows);
    own();
  }
  let running = await run(place);
  return {
    ...place,
    own,
    async start() {
      running = await run(place);
    },
    async signal(name) {
      const exited = once(running, 'exit');
      running.kill(name);
      if (name === 'SIGKILL' || name === 'SIGINT') await exited;
    },
    async end() {
      const ended = once(watcher, 'exit');
      watcher.stdin.end();
      await ended;
    },
  };
}

function quickest(): string {
  const space = existsSync(MEMORY) ? statfsSync(MEMORY) : null;
  return space !== null && space.bavail * space.bsize > ROOM_BYTES ? MEMORY : DISK;
}

/** Postgres refuses to run as root, so there it runs as one who may do little. */
function userOf(): User {
  if (process.getuid?.() !== 0) return null;
  const users = readFileSync('/etc/passwd', 'utf8').split('\n');
  const line = ['postgres:', 'nobody:'].flatMap((name) => users.filter((each) => each.startsWith(name)))[0];
  const [, , uid, gid] = line?.split(':') ?? [];
  if (uid === undefined || gid === undefined) throw new Error('there is no user postgres, and no nobody');
  return { uid: Number(uid), gid: Number(gid) };
}

async function makePlace(
  folder: string,
  user: User,
  { programs, options }: { programs: PostgresPrograms; options: PostgresServerOptions },
): Promise<Place> {
  const { durable = false, settings = {} } = options;
  const port = durable ? await freePort() : 5432;
  const given = {
    port: String(port),
    listen_addresses: durable ? '127.0.0.1' : '',
    unix_socket_directories: folder,
    ...settings,
  };
  return {
    url: durable
      ? `postgres://tuma:${PASSWORD}@127.0.0.1:${port}/postgres`
      : `postgres://tuma@localhost/postgres?host=${folder}`,
    data: join(folder, 'data'),
    bin: programsIn(folder, programs),
    user,
    flags: Object.entries(given).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
  };
}

function createCluster({ bin, data, user }: Place, passwordFolder: string | null): void {
  const flags = ['--no-sync', '--locale=C', '-E', 'UTF8', '-U', 'tuma', '-D', data];
  const file = passwordFolder === null ? null : join(passwordFolder, 'password');
  if (file !== null) writeFileSync(file, PASSWORD, { mode: 0o644 });
  const access = file === null ? ['-A', 'trust'] : ['-A', 'scram-sha-256', `--pwfile=${file}`];
  const made = spawnSync(join(bin, 'initdb'), [...flags, ...access], {
    encoding: 'utf8',
    cwd: '/',
    ...user,
  });
  if (made.status !== 0) throw new Error(`initdb ended with ${made.status}: ${made.error ?? made.stderr}`);
}

/** A copy of a server that is stopped for it, because the packages of npm have no pg_basebackup. */
async function copyCluster({ data }: Place, { server, url }: Replicated): Promise<void> {
  await server.signal('SIGINT');
  cpSync(server.data, data, { recursive: true, preserveTimestamps: true });
  await server.start();
  const { hostname, port, username, password } = new URL(url);
  const stream = `host=${hostname} port=${port} user=${username} password=${password}`;
  appendFileSync(join(data, 'postgresql.auto.conf'), `primary_conninfo = '${stream}'\n`);
  writeFileSync(join(data, 'standby.signal'), '');
}

/** Starts it. Again and again, because the processes of one that was killed hold its memory a moment longer. */
async function run(place: Place): Promise<ChildProcess> {
  return waitFor(
    async () => {
      const { server, errors } = spawnServer(place);
      await waitFor(() => server.exitCode !== null || letsIn(place.url), { what: 'Postgres to let one in' });
      if (server.exitCode !== null) throw new Error(`postgres ended with ${server.exitCode}: ${errors()}`);
      return server;
    },
    { what: 'Postgres to start' },
  );
}

function spawnServer({ bin, data, user, flags }: Place): { server: ChildProcess; errors: () => string } {
  const server = spawn(join(bin, 'postgres'), ['-D', data, ...flags], {
    stdio: ['ignore', 'ignore', 'pipe'],
    cwd: '/',
    detached: true,
    ...user,
  });
  let errors = '';
  server.stderr.setEncoding('utf8').on('data', (text: string) => {
    errors = `${errors}${text}`.slice(-2_000);
  });
  return { server, errors: () => errors };
}

async function letsIn(url: string): Promise<true> {
  const client = new Client({ connectionString: url });
  client.on('error', () => undefined);
  await client.connect();
  await client.end();
  return true;
}
