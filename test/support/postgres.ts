import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, existsSync, globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { waitFor } from './wait-for.ts';

/** A Postgres server of a test, on a socket in a folder of its own. */
export interface PostgresHere {
  version: string;
  /** Runs a script in one session. What went wrong of each statement, behind the last `\warn` before it. */
  script(sql: string): { out: string; errors: string };
  end(): Promise<void>;
}

/** The programs of the newest Postgres of this machine; null: there is none. */
export function postgresPrograms(): string | null {
  const found = globSync('/usr/lib/postgresql/*/bin').toSorted((a, b) => versionIn(b) - versionIn(a));
  return found.find((bin) => existsSync(join(bin, 'initdb')) && existsSync(join(bin, 'psql'))) ?? null;
}

function versionIn(bin: string): number {
  return Number(/postgresql\/(\d+)\//.exec(bin)?.[1] ?? 0);
}

/** Starts one, without a sync to the disk. Postgres refuses root, so there it runs as `postgres`. */
export async function startPostgres(bin: string): Promise<PostgresHere> {
  const folder = mkdtempSync('/tmp/tuma-postgres-');
  const user = process.getuid?.() === 0 ? postgresUser() : null;
  if (user !== null) chownSync(folder, user.uid, user.gid);
  const data = join(folder, 'data');
  run(
    join(bin, 'initdb'),
    ['--no-sync', '--locale=C', '-E', 'UTF8', '-U', 'tuma', '-A', 'trust', '-D', data],
    user,
  );
  const settings = ['-D', data, '-k', folder, '-c', 'listen_addresses=', '-c', 'fsync=off'];
  const server = spawn(join(bin, 'postgres'), settings, { stdio: 'ignore', cwd: folder, ...user });
  const ended = once(server, 'exit');
  const psql = (input: string, flags: string[]) =>
    spawnSync(
      join(bin, 'psql'),
      ['-h', folder, '-U', 'tuma', '-d', 'postgres', '-X', '-q', '-A', '-t', ...flags],
      {
        input,
        encoding: 'utf8',
        cwd: folder,
      },
    );
  await waitFor(() => psql('SELECT 1', []).status === 0, { what: 'Postgres' });
  return {
    version: psql('SHOW server_version', []).stdout.trim(),
    script: (sql) => {
      const { stdout, stderr } = psql(sql, []);
      return { out: stdout, errors: stderr };
    },
    end: async () => {
      server.kill('SIGQUIT');
      await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function postgresUser(): { uid: number; gid: number } {
  const line = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .find((each) => each.startsWith('postgres:'));
  const [, , uid, gid] = line?.split(':') ?? [];
  if (uid === undefined || gid === undefined) throw new Error('there is no user postgres');
  return { uid: Number(uid), gid: Number(gid) };
}

function run(program: string, args: string[], user: { uid: number; gid: number } | null): void {
  const { status, stderr } = spawnSync(program, args, { encoding: 'utf8', cwd: '/tmp', ...user });
  if (status !== 0) throw new Error(`${program} ended with ${status}: ${stderr}`);
}
