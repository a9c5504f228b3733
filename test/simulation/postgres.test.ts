import { describe, expect, it } from 'vitest';
import { FIRST_BROKEN, runRandom } from './random-campaigns.ts';
import { told, wantedRun } from './replay.ts';
import { eachBrokenCommit, eachCrash, eachDamaged, eachPair, eachRestored, eachSeed } from './runs.ts';
import type { SimEngine } from './sim-database.ts';
import { postgresForWorlds } from './sim-postgres.ts';
import { SQLITE } from './sim-sqlite.ts';

/* The same worlds as in simulation.test.ts, with their ledgers on Postgres; more of them are in postgres.slow.test.ts. */

const SEED = 1;
/** Of all effects, and of all ways in which one commit can break, one in so many. */
const CRASHES = 45;
const BROKEN_SAMPLE = 43;
/** Of the first crashes one in so many, and of the pairs with those. */
const PAIRS = { firsts: 20, step: 30 };
/** The first two are the longest. */
const FIRST = 3;
const SEEDS = 6;
const BROKEN_SEEDS = 4;
const RESTORED = 2;
const DAMAGED = 10;

const on = wantedRun() === null ? await postgresForWorlds() : null;

describe.runIf(on !== null)('the engine in a simulated world on Postgres', () => {
  const postgres = on as SimEngine;

  it('a crash loses nothing and sends nothing twice [A1 A3 A7]', async () => {
    expect(told(await eachCrash(SEED, { step: CRASHES, on: postgres }))).toEqual([]);
  });

  it('a second crash, in the life after the first, loses nothing and sends nothing twice [A14]', async () => {
    expect(told(await eachPair(SEED, { ...PAIRS, on: postgres }))).toEqual([]);
  });

  it('a commit that breaks loses nothing and sends nothing twice [D11 A3]', async () => {
    expect(told(await eachBrokenCommit(SEED, BROKEN_SAMPLE, postgres))).toEqual([]);
  });

  it('worlds of random faults keep every invariant and settle [A13 R3 S6 W4]', async () => {
    expect(told(await eachSeed(FIRST, FIRST + SEEDS - 1, postgres))).toEqual([]);
  });

  it('worlds in which commits break, too, keep every invariant and settle [D11]', async () => {
    expect(told(await eachSeed(FIRST_BROKEN, FIRST_BROKEN + BROKEN_SEEDS - 1, postgres))).toEqual([]);
  });

  it('a copy of the ledger that is put back and whose loss is accepted sends nothing again [D9]', async () => {
    expect(await eachRestored(1, RESTORED, postgres)).toEqual({ restored: RESTORED, failures: [] });
  });

  it('whatever happens to a wire note or to its lock, nobody gets anything twice [A20]', async () => {
    const { damages, failures } = await eachDamaged(FIRST, FIRST + DAMAGED - 1, postgres);
    expect(failures).toEqual([]);
    expect(damages).toBeGreaterThan(DAMAGED);
  });

  // In these no draft is discarded, whose number SQLite alone gives again.
  it.each([9, FIRST_BROKEN + 8])('the same seed is the same run on both engines: %i', async (seed) => {
    const [story, there]: [string[], string[]] = [[], []];
    await runRandom(seed, { story, on: SQLITE });
    await runRandom(seed, { story: there, on: postgres });
    expect(story.length).toBeGreaterThan(100);
    expect(there).toEqual(story);
  });
});
