import { SQLITE } from './sim-sqlite.ts';
import type { SimEngine } from './sim-database.ts';
import type { Chance } from './chance.ts';
import { problemsOf } from './check.ts';
import { Crew } from './crew.ts';
import { planFaults } from './faults.ts';
import { drawWorld, seeThrough } from './random-campaigns.ts';
import type { RandomSetup } from './random-setup.ts';
import { PRICE } from './sim-provider.ts';
import type { World } from './world.ts';

const FAULTS_FOR_MS = 12_000;
const ACCEPTS_WITHIN_MS = 120_000;
const LAUNCHED = "SELECT n FROM campaign WHERE state <> 'draft'";
/**
 * What is gone with the lost time: reports, charges, slots; and each message of it may be uncertain. So is that somebody retried what
 * the copy holds as rejected (docs/operations.md); nobody gets it twice all the same (I1).
 */
const LOST_WITH_IT = /^I(?:5|6|7|10|11) |^I3 .* is rejected and was accepted$/;

/**
 * A world in which a copy of the ledger is put back and the loss accepted (D9): whatever was sent in between, nobody gets it again,
 * and everything settles. Answers what was found wrong; null: not every campaign was launched when the copy was made.
 */
export async function runRestored(seed: number, on: SimEngine = SQLITE): Promise<string[] | null> {
  const { chance, setup, world, weather } = await drawWorld(seed, { wide: true, on });
  try {
    world.provider.networkOf = (mobile) => `${Number(mobile) % 3}`;
    const crew = new Crew(world, chance, setup);
    planFaults({ world, chance, crew, setup }, FAULTS_FOR_MS);
    await world.time.run(() => false, moment(chance));
    if ((await world.look(LAUNCHED)).length < setup.plans.length) return null;
    const problems = await loseTime(world, crew, chance);
    await world.time.run(() => false, FAULTS_FOR_MS);
    weather.well = 1;
    return [...problems, ...(await settle(world, crew, setup))];
  } finally {
    await world.close();
  }
}

/** Most of what matters happens while messages are under way, which is soon over. */
function moment(chance: Chance): number {
  return chance.between(50, chance.of(0.6) ? 2_500 : FAULTS_FOR_MS);
}

async function loseTime(world: World, crew: Crew, chance: Chance): Promise<string[]> {
  const putBack = await world.database.copy();
  world.tell('the ledger is copied');
  await world.time.run(() => false, moment(chance));
  crew.powerOff();
  await world.time.run(() => true, 0);
  await putBack();
  world.tell('the copy is put back');
  crew.powerOn();
  let accepted = false;
  const accept = (): void =>
    void crew.acceptLoss().then(
      () => {
        accepted = true;
      },
      () => world.time.in(500, accept),
    );
  accept();
  await world.time.run(() => accepted, ACCEPTS_WITHIN_MS);
  return accepted ? [] : ['D9 the loss could not be accepted'];
}

async function settle(world: World, crew: Crew, { plans, claimLimit }: RandomSetup): Promise<string[]> {
  crew.heal();
  world.queue.away = false;
  world.provider.creditMicro += 1_000 * PRICE;
  const problems = await seeThrough(world, crew, () => world.settled(plans.length));
  const found = await problemsOf(world, { plans, claimLimit, interruptions: crew.interruptions });
  return [...problems, ...found.filter((problem) => !LOST_WITH_IT.test(problem))];
}
