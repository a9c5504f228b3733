import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { soakMachines } from './machines/soak-machines.ts';
import { type SoakRound, soakStand, withSoakRow } from './soak.ts';

/*
 * `npm run soak -- --kills N`: kills N more workers at random moments, beginning with the seed at which the last soak
 * ended, and adds what it came to to the table of docs/reliability.md. `npm run soak -- --move MESSAGES` moves a ledger of
 * so many messages to Postgres, with ten kills on the way, and prints what it came to. `npm run soak -- --machines N`:
 * machines/soak-machines.ts.
 */

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const PAGE = join(ROOT, 'docs/reliability.md');
const EXIT_USAGE = 2;
/** TUMA_CLAIM_LIMIT of these runs (harness.ts). */
const CLAIM_LIMIT = 256;

if (process.argv.includes('--machines')) {
  await soakMachines(process.argv.slice(2), PAGE);
  process.exit();
}
const { values } = parseArgs({ options: { kills: { type: 'string' }, move: { type: 'string' } } });
const [kills, move] = [Number(values.kills ?? 0), Number(values.move ?? 0)];
if (![kills, move].every(Number.isSafeInteger) || kills > 0 === move > 0) {
  process.stderr.write('usage: npm run soak -- --kills N | --move MESSAGES | --machines N\n');
  process.exit(EXIT_USAGE);
}
if (move > 0) process.exit(run('soak-move-run.ts', { TUMA_SOAK_MOVE: String(move), TMPDIR: tmpdir() }));

const { nextSeed } = soakStand(readFileSync(PAGE, 'utf8'));
const directory = mkdtempSync(join(tmpdir(), 'tuma-soak-'));
const file = join(directory, 'rounds.ndjson');
writeFileSync(file, '');
const status = run('soak-run.ts', { TUMA_SOAK: JSON.stringify({ kills, seed: nextSeed, file }) });
const lines = readFileSync(file, 'utf8').split('\n').slice(0, -1);
const rounds = lines.map((line) => JSON.parse(line) as SoakRound);
rmSync(directory, { recursive: true });
if (status !== 0) {
  const done = rounds.map(({ seed }) => seed);
  const failed = done.length === 0 ? nextSeed : Math.max(...done) + 1;
  process.stderr.write(`A round failed, and the table is left as it is: the seed is ${failed}.\n`);
  process.exit(1);
}
const git = (...args: string[]) => execFileSync('git', args, { cwd: ROOT, encoding: 'utf8' }).trim();
// The page itself may have grown by an earlier soak.
const changed = git('status', '--porcelain', '--untracked-files=no', '--', '.', ':!docs/reliability.md');
const row = {
  date: new Date().toISOString().slice(0, 'yyyy-mm-dd'.length),
  commit: `${git('rev-parse', '--short', 'HEAD')}${changed === '' ? '' : '-dirty'}`,
  claimLimit: CLAIM_LIMIT,
  rounds,
};
writeFileSync(PAGE, withSoakRow(readFileSync(PAGE, 'utf8'), row));
process.stdout.write(`${kills} kills; the table of docs/reliability.md has a row more.\n`);

/** Runs one file of test/faults to its end. */
function run(name: string, env: Record<string, string>): number {
  const words = ['node_modules/vitest/vitest.mjs', 'run', '--config', 'vitest.soak.config.ts', name];
  const { status } = spawnSync(process.execPath, words, {
    cwd: ROOT,
    stdio: 'inherit',
    env: { ...process.env, ...env },
  });
  return status ?? 1;
}
