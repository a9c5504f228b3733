// Runs the project on a machine that has nothing but an old Node and npm: installs the packages, finds a Node that
// can run TypeScript, finds or fetches a Redis, and then becomes the program asked for. Plain JavaScript for Node 18,
// with nothing imported from node_modules, for there may be none yet.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, lstatSync, openSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findNode } from './find-node.mjs';
import { findOrFetchRedis, REDIS_CHOICES } from './find-redis.mjs';

/** The exit code of a service that is not available, as in sysexits.h. */
const EXIT_UNAVAILABLE = 69;
const EXIT_USAGE = 2;
const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));

const PROGRAMS = {
  // The flags are those of bin/tuma, which says why.
  start: [
    '--max-semi-space-size=4',
    '--max-old-space-size=224',
    '--no-allocation-site-pretenuring',
    '--wasm-wrapper-tiering-budget=2147483647',
    'src/sample/main.ts',
  ],
  test: ['node_modules/vitest/vitest.mjs', 'run'],
  bench: ['bench/run.ts'],
  soak: ['test/faults/soak-process.ts'],
  size: ['scripts/size.ts'],
};

async function main([name, ...args]) {
  const program = PROGRAMS[name];
  if (program === undefined)
    fail(EXIT_USAGE, `usage: node scripts/run.mjs ${Object.keys(PROGRAMS).join('|')} [ARGS]`);
  process.chdir(ROOT);
  // Code that is compiled once and kept: a ledger's thread starts in half the time, and the tests start hundreds.
  process.env.NODE_COMPILE_CACHE ??= join(ROOT, '.runtime/compile-cache');
  installPackages();
  const node = findNode(ROOT);
  if (node === null)
    fail(EXIT_UNAVAILABLE, 'Tuma needs Node 24.15 or newer, and none was found. Install it from nodejs.org.');
  const redis = findOrFetchRedis(ROOT, say);
  if (!redis.found) fail(EXIT_UNAVAILABLE, `${redis.reason}\n${REDIS_CHOICES}`);
  become(node, [...program, ...args]);
}

/** `npm ci` when the packages are missing or older than the lockfile. */
function installPackages() {
  // A linked folder is somebody else's: npm would empty it through the link.
  if (lstatSync(join(ROOT, 'node_modules'), { throwIfNoEntry: false })?.isSymbolicLink()) return;
  const installed = join(ROOT, 'node_modules/.package-lock.json');
  if (
    existsSync(installed) &&
    statSync(installed).mtimeMs >= statSync(join(ROOT, 'package-lock.json')).mtimeMs
  )
    return;
  say('installing the packages of package-lock.json (once) ...');
  const npm = process.env.npm_execpath;
  const [command, ...before] = npm?.endsWith('.js') ? [process.execPath, npm] : ['npm'];
  // Standard output belongs to the program that comes after.
  const { status } = spawnSync(command, [...before, 'ci', '--no-audit', '--no-fund'], {
    stdio: ['ignore', 2, 2],
  });
  if (status !== 0) fail(EXIT_UNAVAILABLE, 'npm ci failed; see above. Is the registry reachable?');
}

/** Replaces this process where Node can do that, so that signals need no forwarding; else runs it as a child. */
function become(node, args) {
  if (typeof process.execve === 'function') {
    process.removeAllListeners('warning');
    process.on('warning', () => undefined);
    process.execve(node, [node, ...args], process.env);
  }
  const child = spawn(node, args, { stdio: 'inherit' });
  process.on('SIGTERM', () => child.kill('SIGTERM'));
  for (const signal of ['SIGINT', 'SIGHUP']) {
    // A terminal sends these to the child itself; sent twice, they would mean "quit at once".
    process.on(signal, () => hasTerminal() || child.kill(signal));
  }
  child.on('error', (error) => fail(1, `could not run ${node}: ${error.message}`));
  child.on('exit', (code, signal) => {
    if (signal === null) process.exit(code);
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  });
}

function hasTerminal() {
  try {
    openSync('/dev/tty', 'r');
    return true;
  } catch {
    return false;
  }
}

function say(text) {
  process.stderr.write(`tuma: ${text}\n`);
}

function fail(code, text) {
  process.stderr.write(`${text}\n`);
  process.exit(code);
}

await main(process.argv.slice(2));
