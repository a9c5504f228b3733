import type { SendRequest } from '../../src/provider/provider.ts';
import type { Answer } from './answers.ts';
import { problemsOf } from './check.ts';
import { type Life, type LifeOptions, startLife } from './life.ts';
import type { SimEngine } from './sim-database.ts';
import type { Fate } from './sim-commits.ts';
import type { SimProcess } from './sim-process.ts';
import { SQLITE } from './sim-sqlite.ts';
import { World } from './world.ts';

/*
 * Three messages: one that is taken at once and whose report comes before the answer, one that is throttled first, one
 * whose first try finds no connection. A report each.
 */

const MOBILES = ['254700000001', '254700000002', '254700000003'];
const CLAIM_LIMIT = 4;
const SETTLES_WITHIN_MS = 600_000;
/** Time for what is waiting to be joined, and for the balance that closes the totals. */
const QUIET_MS = 2_500;
const RESTART_MS = 30;

const SETUP: LifeOptions = {
  plans: [
    { name: 'small', kind: 'promotional', mobiles: MOBILES, settings: { batchSize: 2 }, budgetMicro: null },
  ],
  sending: { concurrency: 2, claimLimit: CLAIM_LIMIT, accountRate: null },
};

function script({ mobile }: SendRequest, nth: number): Answer {
  const refused = { accepts: false, ms: 15 } as const;
  if (nth === 1 && mobile === MOBILES[1]) return { ...refused, says: 'throttled' };
  if (nth === 1 && mobile === MOBILES[2]) return { ...refused, says: 'not_sent' };
  const early = mobile === MOBILES[0];
  return {
    accepts: true,
    says: 'accepted',
    ms: 40,
    reports: [{ word: 'delivered', afterMs: early ? 25 : 300 }],
  };
}

/** One commit of the small campaign that does not end well. */
export interface BrokenCommit {
  nth: number;
  fate: Fate;
}

/** Where a run of the small campaign crashes, and what was found. */
export interface SmallRun {
  /** How many commits changed something. */
  commits: number;
  /** The effects of the last life, in their order. */
  effects: string[];
  problems: string[];
}

/** What else a run of the small campaign does. */
interface SmallRunOptions {
  /** Counts the effects that change nothing too: a crash after one of them leaves the world as the one before it. */
  every?: boolean;
  /** The wall clock is set on by `ms` after so many effects of a life; the monotonic one is not. */
  clockSet?: { after: number; ms: number };
  /** What becomes of that commit: its number counts those of all lives that change something. */
  commit?: BrokenCommit;
  on?: SimEngine;
  story?: string[];
}

/**
 * Runs the small campaign. `crashes`: the first life ends after so many effects, the second after so many of its own …
 */
export async function runSmall(
  seed: number,
  crashes: readonly number[],
  { every = false, clockSet, commit, on = SQLITE, story }: SmallRunOptions = {},
): Promise<SmallRun> {
  const world = new World({ seed, script, database: await on.database(), story });
  try {
    let effects: string[] = [];
    let crashed = false;
    let commits = 0;
    const left = [...crashes];
    world.fateOfCommit = (_process, _name, changed) => {
      if (!changed) return 'made';
      commits += 1;
      return commits === commit?.nth ? commit.fate : 'made';
    };
    const kill = (process: SimProcess) => {
      crashed = true;
      world.kill(process);
    };
    world.onFatalCommit = kill;
    world.onEffect = (process, name, changed) => {
      if (!changed && !every) return;
      effects.push(name);
      if (effects.length === clockSet?.after) world.wallOffset += clockSet.ms;
      if (effects.length !== left[0]) return;
      left.shift();
      kill(process);
    };
    const settled = async () => crashed || (await world.settled(SETUP.plans.length));
    for (;;) {
      effects = [];
      crashed = false;
      const life = startLife(world, SETUP);
      const ended = await liveOn(world, life, { settled, crashed: () => crashed });
      if (ended !== 'crashed')
        return { effects, commits, problems: [...ended, ...(await problemsOf(world, limits(world)))] };
      await world.time.run(() => false, RESTART_MS);
    }
  } finally {
    await world.close();
  }
}

function limits(world: World) {
  const { kills } = world;
  const { concurrency } = SETUP.sending;
  return { plans: SETUP.plans, claimLimit: CLAIM_LIMIT, interruptions: kills, kills, concurrency };
}

async function liveOn(
  world: World,
  life: Life,
  { settled, crashed }: { settled: () => Promise<boolean>; crashed: () => boolean },
): Promise<'crashed' | string[]> {
  const done = await world.time.run(settled, SETTLES_WITHIN_MS);
  if (!done) return ['I13 the campaign did not settle in ten minutes'];
  await world.time.run(crashed, QUIET_MS);
  if (crashed()) return 'crashed';
  let stopped = false;
  const stop = () => {
    stopped = true;
  };
  // A ledger that does not take its farewell makes it end as a kill does.
  void life.stop().then(stop, () => {
    life.process.kill();
    stop();
  });
  const ended = await world.time.run(() => stopped || crashed(), SETTLES_WITHIN_MS);
  if (crashed()) return 'crashed';
  return ended ? [] : ['I13 the process did not stop in ten minutes'];
}
