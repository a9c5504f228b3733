import { describe, expect, it } from 'vitest';
import { FIRST_BROKEN, runRandom } from './random-campaigns.ts';
import { told, wantedRun } from './replay.ts';
import { eachBrokenCommit, eachClockSet, eachDamaged, eachPair, eachSeed } from './runs.ts';
import { SQLITE } from './sim-sqlite.ts';
import { postgresForWorlds } from './sim-postgres.ts';
import { runSmall } from './small-campaign.ts';

/* The quick half of the simulation; all pairs and 1,000 seeds are in simulation.slow.test.ts. */

const SEED = 1;
/** Of all pairs one in so many. */
const SAMPLE = 90;
const SEEDS = 28;
const DAMAGED = 60;
/** Of all ways in which one commit can break one in so many. */
const BROKEN_SAMPLE = 6;
const BROKEN_SEEDS = 8;
const TEN_YEARS_MS = 10 * 365 * 86_400_000;

const wanted = wantedRun();

describe.runIf(wanted === null)('the engine in a simulated world', () => {
  it('one crash after any effect, or two, lose nothing and send nothing twice [A1 A2 A3 A7 A8 A9 A11 A12 A14 B2 W1 W2 W3]', async () => {
    expect(told(await eachPair(SEED, { step: SAMPLE }))).toEqual([]);
  });

  it.each([
    ['on', TEN_YEARS_MS],
    ['back', -TEN_YEARS_MS],
  ])(
    'a wall clock that is set ten years %s in the middle costs nothing and sends nothing twice [S6]',
    async (_, ms) => {
      expect(await eachClockSet(SEED, { ms, step: 4 })).toEqual([]);
    },
  );

  it('a process that dies when one of two batches is in the queue: both are sent, each once [B2]', async () => {
    const { effects } = await runSmall(SEED, []);
    const first = effects.indexOf('queue.add');
    expect(effects[first + 1]).toBe('queue.add');
    const { effects: afterwards, problems } = await runSmall(SEED, [first + 1]);
    expect(problems).toEqual([]);
    expect(afterwards.filter((name) => name === 'queue.add')).not.toEqual([]);
  });

  it('a commit that is undone, that kills, or of which nobody knows whether it was made, loses nothing and sends nothing twice [D11 A3]', async () => {
    expect(told(await eachBrokenCommit(SEED, BROKEN_SAMPLE))).toEqual([]);
  });

  it('worlds in which commits break, too, keep every invariant and settle [D11]', async () => {
    expect(told(await eachSeed(FIRST_BROKEN, FIRST_BROKEN + BROKEN_SEEDS - 1))).toEqual([]);
  });

  it.each([1, 520, FIRST_BROKEN])('the same seed is the same run: %i', async (seed) => {
    const [story, again]: [string[], string[]] = [[], []];
    await runRandom(seed, { story });
    await runRandom(seed, { story: again });
    expect(story.length).toBeGreaterThan(100);
    expect(again).toEqual(story);
  });

  it('worlds of random faults keep every invariant and settle [A13 A15 R3 R4 S1 S6 W4 W5 W6 M2]', async () => {
    expect(told(await eachSeed(1, SEEDS))).toEqual([]);
  });
});

describe.runIf(wanted === null)('the wire note in a simulated world', () => {
  it('whatever happens to it or to its lock, nobody gets anything twice [A20]', async () => {
    const { damages, failures } = await eachDamaged(1, DAMAGED);
    expect(failures).toEqual([]);
    expect(damages).toBeGreaterThan(DAMAGED);
  });
});

describe.runIf(wanted !== null)('one run of the simulation', () => {
  it('keeps every invariant', async () => {
    if (wanted === null) return;
    const { seed, crashes, commit } = wanted;
    const on = wanted.on === 'postgres' ? await postgresForWorlds() : SQLITE;
    if (on === null) throw new Error('there is no Postgres to replay it on');
    const small = { on, ...(commit === undefined ? {} : { commit }) };
    const problems =
      crashes === null ? await runRandom(seed, { on }) : (await runSmall(seed, crashes, small)).problems;
    expect(problems).toEqual([]);
  });
});
