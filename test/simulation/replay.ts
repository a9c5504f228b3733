import { FATES } from './sim-commits.ts';
import type { SimEngine } from './sim-database.ts';
import type { BrokenCommit } from './small-campaign.ts';

/*
 * A run of the simulation is decided by its seed, its crashes and its broken commit. One that fails prints them, and the
 * tests replay it: `TUMA_SIM_SEED=7 TUMA_SIM_CRASH=12,30 npx vitest run test/simulation/simulation.test.ts`. Crashes of `every`
 * effect count otherwise.
 */

/** One run. */
export interface Run {
  seed: number;
  /** Of the small campaign, where 0 is none; null: a world of random faults. */
  crashes: readonly number[] | null;
  /** Of the small campaign. */
  commit?: BrokenCommit;
  on: SimEngine['name'];
}

/** The run that the environment asks for; null: all of them. */
export function wantedRun(): Run | null {
  const env = process.env;
  const seed = env['TUMA_SIM_SEED'] ?? '';
  if (seed === '') return null;
  const crashes = env['TUMA_SIM_CRASH'] ?? '';
  const [nth = '', asked] = (env['TUMA_SIM_COMMIT'] ?? '').split(',');
  const fate = FATES.find((each) => each === asked);
  return {
    seed: Number(seed),
    crashes: crashes === '' ? null : crashes.split(',').map(Number),
    ...(fate === undefined ? {} : { commit: { nth: Number(nth), fate } }),
    on: env['TUMA_SIM_LEDGER'] === 'postgres' ? 'postgres' : 'sqlite',
  };
}

/** One run that found something. */
export interface Failure extends Run {
  problems: string[];
}

const MOST_TOLD = 5;

/** The command that replays each failure, and what it found: empty is what must be. */
export function told(failures: Failure[]): string[] {
  const lines = failures.slice(0, MOST_TOLD).flatMap((failure) => [replayOf(failure), ...failure.problems]);
  const more = failures.length - MOST_TOLD;
  return more > 0 ? [...lines, `and ${more} more runs`] : lines;
}

function replayOf({ seed, crashes, commit, on }: Run): string {
  return [
    `TUMA_SIM_SEED=${seed}`,
    ...(crashes === null ? [] : [`TUMA_SIM_CRASH=${crashes.join(',') || 0}`]),
    ...(commit === undefined ? [] : [`TUMA_SIM_COMMIT=${commit.nth},${commit.fate}`]),
    ...(on === 'sqlite' ? [] : [`TUMA_SIM_LEDGER=${on}`]),
    'npx vitest run test/simulation/simulation.test.ts',
  ].join(' ');
}
