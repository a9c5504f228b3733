import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';

/** What a person can do when no server could be found. */
export const REDIS_CHOICES = [
  'Choose one, and run the command again:',
  '  sudo apt-get install redis-server        (Debian, Ubuntu)',
  '  brew install valkey                      (macOS)',
  '  docker compose --profile sandbox up      (all of Tuma in containers)',
].join('\n');

/** What redis-server needs on Debian 12, where apt cannot tell. */
const DEBIAN_12 = ['redis-server', 'redis-tools', 'libjemalloc2', 'liblzf1', 'libatomic1'];
const APT_TIMEOUT_MS = 180_000;

/**
 * Makes sure that src/queue/redis-server.ts will find a server: on PATH, or unpacked in `.runtime/redis`, where it is
 * put from Debian's packages without root. Answers { found } or { found: false, reason }.
 */
export function findOrFetchRedis(root, say) {
  if (['valkey-server', 'redis-server'].some((name) => runs(name))) return { found: true };
  const unpacked = join(root, '.runtime/redis');
  if (runsUnpacked(unpacked)) return { found: true };
  const missing = ['apt-get', 'dpkg'].find((tool) => !runs(tool));
  if (missing !== undefined)
    return refuse(`No Redis or Valkey server was found, and ${missing} is not here to fetch one.`);
  say('fetching Redis from the Debian packages, without root (once) ...');
  return fetchRedis(root, unpacked);
}

/** Unpacks beside the final place and renames, so that a run that is killed leaves nothing that looks complete. */
function fetchRedis(root, unpacked) {
  const work = join(root, `.runtime/fetch-${process.pid}`);
  const [debs, files] = [join(work, 'debs'), join(work, 'files')];
  for (const path of [debs, files, join(work, 'lists/partial'), join(work, 'cache/archives/partial')]) {
    mkdirSync(path, { recursive: true });
  }
  try {
    const reason = download(work, debs) ?? unpack(debs, files);
    if (reason !== null) return refuse(reason);
    if (!runsUnpacked(files)) return refuse('The Redis of the Debian packages does not run here.');
    rmSync(unpacked, { recursive: true, force: true });
    renameSync(files, unpacked);
    return { found: true };
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/** Downloads with package lists of our own: those of the machine may be purged or old, and are root's. */
function download(work, debs) {
  const settings = [
    `Dir::State::Lists=${join(work, 'lists')}`,
    `Dir::Cache=${join(work, 'cache')}`,
    'APT::Sandbox::User=root',
    'Debug::NoLocking=true',
    'Acquire::Retries=2',
    'Acquire::http::Timeout=20',
    'Acquire::https::Timeout=20',
  ].flatMap((setting) => ['-o', setting]);
  const apt = (...args) => run('apt-get', [...settings, '-q', ...args], debs);
  const update = apt('update');
  if (update.status !== 0) return `apt-get update failed: ${lastLine(update.stderr)}`;
  const got = apt('download', ...packages(apt));
  return got.status === 0 ? null : `apt-get download failed: ${lastLine(got.stderr)}`;
}

/** What an installation would add to this machine, by a simulation of it. */
function packages(apt) {
  const { stdout } = apt('install', '--simulate', '--no-install-recommends', 'redis-server');
  const names = [...stdout.matchAll(/^Inst (\S+)/gm)].map(([, name]) => name);
  return names.includes('redis-server') ? names : DEBIAN_12;
}

function unpack(debs, files) {
  for (const name of readdirSync(debs).filter((each) => each.endsWith('.deb'))) {
    const { status, stderr } = run('dpkg', ['-x', join(debs, name), files]);
    if (status !== 0) return `dpkg -x ${name} failed: ${lastLine(stderr)}`;
  }
  return null;
}

function runsUnpacked(directory) {
  const libraries = ['usr/lib', 'lib'].flatMap((parent) => {
    const path = join(directory, parent);
    if (!existsSync(path)) return [];
    return readdirSync(path)
      .filter((name) => name.endsWith('-linux-gnu'))
      .map((name) => join(path, name));
  });
  return runs(join(directory, 'usr/bin/redis-server'), { LD_LIBRARY_PATH: libraries.join(':') });
}

function runs(command, env = {}) {
  return spawnSync(command, ['--version'], { stdio: 'ignore', env: { ...process.env, ...env } }).status === 0;
}

function run(command, args, cwd) {
  const result = spawnSync(command, args, { encoding: 'utf8', cwd, timeout: APT_TIMEOUT_MS });
  return { status: result.status, stdout: result.stdout ?? '', stderr: result.stderr ?? '' };
}

function lastLine(text) {
  return text.trim().split('\n').at(-1) || 'no reason given';
}

function refuse(reason) {
  return { found: false, reason: `Tuma needs a Redis or Valkey server. ${reason}` };
}
