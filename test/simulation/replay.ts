/*
 * A run of the simulation is decided by its seed and its crashes. One that fails prints both, and the tests replay it:
 * `TUMA_SIM_SEED=7 TUMA_SIM_CRASH=12,30 npx vitest run test/simulation/simulation.test.ts`. Crashes of `every` effect count otherwise.
 */

/** The run that the environment asks for; null: all of them. */
export function wantedRun(): { seed: number; crashes: number[] | null } | null {
  const { TUMA_SIM_SEED: seed, TUMA_SIM_CRASH: crashes } = process.env;
  if (seed === undefined || seed === '') return null;
  return {
    seed: Number(seed),
    crashes: crashes === undefined || crashes === '' ? null : crashes.split(',').map(Number),
  };
}

/** One run that found something. */
export interface Failure {
  seed: number;
  /** Null: a world of random faults. */
  crashes: readonly number[] | null;
  problems: string[];
}

const MOST_TOLD = 5;

/** The command that replays each failure, and what it found: empty is what must be. */
export function told(failures: Failure[]): string[] {
  const lines = failures.slice(0, MOST_TOLD).flatMap(({ seed, crashes, problems }) => {
    const where = crashes === null ? '' : `TUMA_SIM_CRASH=${crashes.join(',')} `;
    return [`TUMA_SIM_SEED=${seed} ${where}npx vitest run test/simulation/simulation.test.ts`, ...problems];
  });
  const more = failures.length - MOST_TOLD;
  return more > 0 ? [...lines, `and ${more} more runs`] : lines;
}
