import { breakCommits } from './broken-commits.ts';
import { Chance } from './chance.ts';
import { problemsOf } from './check.ts';
import { Crew } from './crew.ts';
import { planFaults } from './faults.ts';
import { drawAnswer, drawSetup, widen } from './random-setup.ts';
import { PRICE } from './sim-provider.ts';
import type { SimEngine } from './sim-database.ts';
import { SQLITE } from './sim-sqlite.ts';
import { World } from './world.ts';

/** From this seed on the worlds are wide. */
const WIDE_FROM = 501;
/** From this one on commits break, too. */
export const FIRST_BROKEN = 1_001;
const FAULTS_FOR_MS = 25_000;
const LOOKS_AFTER_MS = 10_000;
const SETTLES_WITHIN_MS = 45 * 60_000;
const QUIET_MS = 2_500;

/**
 * One world with random faults: campaigns, processes, the provider's answers, and what happens from outside all come
 * from the seed. After the faults everything is well again, a person looks after what is paused, and everything must
 * settle. Answers what was found wrong.
 */
export async function runRandom(
  seed: number,
  { on = SQLITE, story }: { on?: SimEngine; story?: string[] } = {},
): Promise<string[]> {
  const { chance, setup, world, weather } = await drawWorld(seed, { wide: seed >= WIDE_FROM, on, story });
  try {
    world.postman.repeats = 0.1;
    if (setup.wide) world.provider.networkOf = (mobile) => `${Number(mobile) % 3}`;
    const crew = new Crew(world, chance, setup);
    world.tell(JSON.stringify(setup));
    planFaults({ world, chance, crew, setup }, FAULTS_FOR_MS);
    const mend = seed >= FIRST_BROKEN ? breakCommits(world, crew, new Chance(seed ^ 0xc0)) : () => undefined;
    const settled = () => world.settled(setup.plans.length);
    await world.time.run(() => false, FAULTS_FOR_MS);
    mend();
    weather.well = 1;
    crew.heal();
    world.queue.away = false;
    world.provider.creditMicro += 1_000 * PRICE;
    const problems = await seeThrough(world, crew, settled);
    const limits = {
      plans: setup.plans,
      claimLimit: setup.claimLimit,
      interruptions: crew.interruptions,
      ...(setup.keepsNotes ? { kills: crew.kills, concurrency: setup.sending.concurrency } : {}),
      rate: crew.clockJumps > 0 ? null : setup.rate,
      othersSpend: setup.mayBeRefusedCredit,
    };
    return [...problems, ...(await problemsOf(world, limits))];
  } finally {
    await world.close();
  }
}

/** What its caller says of a world, beside the seed. */
interface WorldDraw {
  wide: boolean;
  keepsNotes?: boolean;
  on: SimEngine;
  story?: string[] | undefined;
}

/** A world from its seed, before anything happens. `weather.well`: the share of the provider's answers that are well. */
export async function drawWorld(seed: number, { wide, keepsNotes, on, story }: WorldDraw) {
  const chance = new Chance(seed ^ 0x5eed);
  const narrow = drawSetup(chance);
  const wider = wide ? widen(narrow, new Chance(seed ^ 0x51de)) : narrow;
  const setup = { ...wider, keepsNotes: keepsNotes ?? new Chance(seed ^ 0x77e).of(0.8) };
  const weather = { well: setup.well };
  const world = new World({
    seed,
    database: await on.database(),
    script: (request) => drawAnswer(world.chance, request, weather.well),
    deathIsProven: setup.deathIsProven,
    keepsNotes: setup.keepsNotes,
    story,
  });
  world.provider.creditMicro = setup.creditMicro;
  return { chance, setup, world, weather };
}

/** A person looks after what is paused until everything has settled, and then ends the processes. */
export async function seeThrough(
  world: World,
  crew: Crew,
  settled: () => Promise<boolean>,
): Promise<string[]> {
  const until = world.time.now + SETTLES_WITHIN_MS;
  while (!(await world.time.run(settled, LOOKS_AFTER_MS))) {
    if (world.time.now > until) return ['I13 the campaigns did not settle in 45 minutes'];
    void crew.seeThrough();
  }
  await world.time.run(() => false, QUIET_MS);
  let stopped = false;
  void crew.stop().then(() => {
    stopped = true;
  });
  const ended = await world.time.run(() => stopped, SETTLES_WITHIN_MS);
  return ended ? [] : ['I13 the processes did not stop'];
}
