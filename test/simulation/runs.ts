import { runDamaged } from './damaged-worlds.ts';
import { runRandom } from './random-campaigns.ts';
import type { Failure } from './replay.ts';
import { runRestored } from './restored-worlds.ts';
import { runSmall } from './small-campaign.ts';

/* Many runs, and what failed among them. */

/** A crash after each effect of the small campaign, those included that change nothing. */
export async function eachCrash(seed: number): Promise<Failure[]> {
  const whole = await runSmall(seed, [], { every: true });
  const failures = failureOf(seed, [], whole.problems);
  for (let crash = 1; crash <= whole.effects.length; crash += 1) {
    const { problems } = await runSmall(seed, [crash], { every: true });
    failures.push(...failureOf(seed, [crash], problems));
  }
  return failures;
}

/** A crash after each effect that changes something, and every `step`th pair: that one, and one of the second life. */
export async function eachPair(seed: number, step: number): Promise<Failure[]> {
  const { effects, problems: unharmed } = await runSmall(seed, []);
  const failures = failureOf(seed, [], unharmed);
  let pair = 0;
  for (let first = 1; first <= effects.length; first += 1) {
    const once = await runSmall(seed, [first]);
    failures.push(...failureOf(seed, [first], once.problems));
    for (let second = 1; second <= once.effects.length; second += 1) {
      pair += 1;
      if (pair % step !== 0) continue;
      const { problems } = await runSmall(seed, [first, second]);
      failures.push(...failureOf(seed, [first, second], problems));
    }
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
export async function eachSeed(from: number, to: number): Promise<Failure[]> {
  const failures: Failure[] = [];
  for (let seed = from; seed <= to; seed += 1) failures.push(...failureOf(seed, null, await runRandom(seed)));
  return failures;
}

/** Worlds in which a copy of the ledger is put back, one a seed. Answers also in how many one was. */
export async function eachRestored(from: number, to: number) {
  const failures: { seed: number; problems: string[] }[] = [];
  let restored = 0;
  for (let seed = from; seed <= to; seed += 1) {
    const problems = await runRestored(seed);
    if (problems !== null) restored += 1;
    if (problems !== null && problems.length > 0) failures.push({ seed, problems });
  }
  return { restored, failures };
}

/** Worlds with damaged notes and locks, one a seed. Answers also how much was damaged. */
export async function eachDamaged(from: number, to: number) {
  const failures: { seed: number; problems: string[] }[] = [];
  let damages = 0;
  for (let seed = from; seed <= to; seed += 1) {
    const run = await runDamaged(seed);
    damages += run.damages;
    if (run.problems.length > 0) failures.push({ seed, problems: run.problems });
  }
  return { damages, failures };
}

function failureOf(seed: number, crashes: readonly number[] | null, problems: string[]): Failure[] {
  return problems.length === 0 ? [] : [{ seed, crashes, problems }];
}
