import type { Chance } from './chance.ts';
import { problemsOf } from './check.ts';
import { Crew } from './crew.ts';
import { planFaults } from './faults.ts';
import { drawWorld, seeThrough } from './random-campaigns.ts';
import type { SimEngine } from './sim-database.ts';
import { PRICE } from './sim-provider.ts';
import { SQLITE } from './sim-sqlite.ts';
import type { World } from './world.ts';

const DAMAGED_FOR_MS = 6_000;
/** Most of what matters happens while messages are under way. */
const EARLY_MS = 1_500;
const LONGEST_AFTER_KILL_MS = 45;

/** What one damaged world came to. */
export interface DamagedRun {
  damages: number;
  problems: string[];
}

/**
 * A world in which notes and locks are damaged: while their workers live, in the moment of their death, and soon
 * after it. Whatever is left of a note, nobody gets anything twice, and everything settles.
 */
export async function runDamaged(seed: number, on: SimEngine = SQLITE): Promise<DamagedRun> {
  const drawn = await drawWorld(seed, { wide: false, keepsNotes: true, on });
  const { chance, world, weather } = drawn;
  const setup = { ...drawn.setup, faults: chance.whole(0, 3) };
  try {
    const crew = new Crew(world, chance, setup);
    planFaults({ world, chance, crew, setup }, DAMAGED_FOR_MS);
    for (let count = chance.whole(2, 6); count > 0; count -= 1) {
      const at = chance.of(0.85) ? chance.between(20, EARLY_MS) : chance.between(0, DAMAGED_FOR_MS);
      world.time.in(at, () => damage(world, { crew, chance }));
    }
    await world.time.run(() => false, DAMAGED_FOR_MS);
    weather.well = 1;
    crew.heal();
    world.queue.away = false;
    world.provider.creditMicro += 1_000 * PRICE;
    const problems = await seeThrough(world, crew, () => world.settled(setup.plans.length));
    const { plans, claimLimit, mayBeRefusedCredit: othersSpend } = setup;
    const found = await problemsOf(world, {
      plans,
      claimLimit,
      interruptions: crew.interruptions,
      othersSpend,
    });
    return { damages: world.wire.damages, problems: [...problems, ...found] };
  } finally {
    await world.close();
  }
}

function damage(world: World, { crew, chance }: { crew: Crew; chance: Chance }): void {
  const hit = () => world.tell(`damage: ${world.wire.damage(chance) ?? 'none'}`);
  switch (chance.pick(['alive', 'and killed', 'killed before', 'killed before'] as const)) {
    case 'alive':
      return hit();
    case 'and killed':
      hit();
      return crew.killOne();
    case 'killed before':
      crew.killOne();
      return world.time.in(chance.between(0, LONGEST_AFTER_KILL_MS), hit);
  }
}
