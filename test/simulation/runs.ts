import { runDamaged } from './damaged-worlds.ts';
import { runRandom } from './random-campaigns.ts';
import type { Failure, Run } from './replay.ts';
import { runRestored } from './restored-worlds.ts';
import { FATES } from './sim-commits.ts';
import type { SimEngine } from './sim-database.ts';
import { SQLITE } from './sim-sqlite.ts';
import { runSmall } from './small-campaign.ts';

/* Many runs, and what failed among them. */

/** A crash after every `step`th effect of the small campaign, those included that change nothing. */
export async function eachCrash(seed: number, { step = 1, on = SQLITE } = {}): Promise<Failure[]> {
  const { effects, problems: unharmed } = await runSmall(seed, [], { every: true, on });
  const failures = failureOf({ seed, crashes: [], on: on.name }, unharmed);
  for (let crash = step; crash <= effects.length; crash += step) {
    const { problems } = await runSmall(seed, [crash], { every: true, on });
    failures.push(...failureOf({ seed, crashes: [crash], on: on.name }, problems));
  }
  return failures;
}

/**
 * A crash after every `firsts`th effect that changes something, and of the pairs of it and one of the second life every
 * `step`th.
 */
export async function eachPair(
  seed: number,
  { firsts = 1, step = 1, on = SQLITE }: { firsts?: number; step?: number; on?: SimEngine } = {},
): Promise<Failure[]> {
  const { effects, problems: unharmed } = await runSmall(seed, [], { on });
  const failures = failureOf({ seed, crashes: [], on: on.name }, unharmed);
  let pair = 0;
  for (let first = firsts; first <= effects.length; first += firsts) {
    const once = await runSmall(seed, [first], { on });
    failures.push(...failureOf({ seed, crashes: [first], on: on.name }, once.problems));
    for (let second = 1; second <= once.effects.length; second += 1) {
      pair += 1;
      if (pair % step !== 0) continue;
      const { problems } = await runSmall(seed, [first, second], { on });
      failures.push(...failureOf({ seed, crashes: [first, second], on: on.name }, problems));
    }
  }
  return failures;
}

/** Every `step`th way in which one commit of the small campaign can break. */
export async function eachBrokenCommit(
  seed: number,
  step: number,
  on: SimEngine = SQLITE,
): Promise<Failure[]> {
  const { commits } = await runSmall(seed, [], { on });
  const ways = Array.from({ length: commits }, (_, index) => FATES.map((fate) => ({ nth: index + 1, fate })));
  const failures: Failure[] = [];
  for (const commit of ways.flat().filter((_, index) => index % step === 0)) {
    const { problems } = await runSmall(seed, [], { commit, on });
    failures.push(...failureOf({ seed, crashes: [], commit, on: on.name }, problems));
  }
  return failures;
}

/** The wall clock set on by `ms` after each `step`th effect of the small campaign. */
export async function eachClockSet(seed: number, { ms, step }: { ms: number; step: number }) {
  const { effects } = await runSmall(seed, []);
  const found: { after: number; problems: string[] }[] = [];
  for (let after = 1; after <= effects.length; after += step) {
    const { problems } = await runSmall(seed, [], { clockSet: { after, ms } });
    if (problems.length > 0) found.push({ after, problems });
  }
  return found;
}

/** Worlds of random faults, one a seed. */
export async function eachSeed(from: number, to: number, on: SimEngine = SQLITE): Promise<Failure[]> {
  const failures: Failure[] = [];
  for (let seed = from; seed <= to; seed += 1)
    failures.push(...failureOf({ seed, crashes: null, on: on.name }, await runRandom(seed, { on })));
  return failures;
}

/** Worlds in which a copy of the ledger is put back, one a seed. Answers also in how many one was. */
export async function eachRestored(from: number, to: number, on: SimEngine = SQLITE) {
  const failures: { seed: number; problems: string[] }[] = [];
  let restored = 0;
  for (let seed = from; seed <= to; seed += 1) {
    const problems = await runRestored(seed, on);
    if (problems !== null) restored += 1;
    if (problems !== null && problems.length > 0) failures.push({ seed, problems });
  }
  return { restored, failures };
}

/** Worlds with damaged notes and locks, one a seed. Answers also how much was damaged. */
export async function eachDamaged(from: number, to: number, on: SimEngine = SQLITE) {
  const failures: { seed: number; problems: string[] }[] = [];
  let damages = 0;
  for (let seed = from; seed <= to; seed += 1) {
    const run = await runDamaged(seed, on);
    damages += run.damages;
    if (run.problems.length > 0) failures.push({ seed, problems: run.problems });
  }
  return { damages, failures };
}

function failureOf(run: Run, problems: string[]): Failure[] {
  return problems.length === 0 ? [] : [{ ...run, problems }];
}
