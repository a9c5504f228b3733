import { describe, expect, it } from 'vitest';
import { told } from './replay.ts';
import { FIRST_BROKEN } from './random-campaigns.ts';
import { eachBrokenCommit, eachCrash, eachDamaged, eachPair, eachRestored, eachSeed } from './runs.ts';

/* The full half of the simulation. A failure says how to replay it. */

const SEEDS = 1_000;
const BROKEN_SEEDS = 400;
const RESTORED = 200;
const DAMAGED = 400;
/** Of notes and locks. */
const LEAST_DAMAGES = 500;

describe('the engine in a simulated world, in full', () => {
  it('survives a crash after every effect, those included that change nothing [A1 A3 A7]', async () => {
    expect(told(await eachCrash(1))).toEqual([]);
  });

  it('survives a crash after every pair of effects [A14]', async () => {
    expect(told(await eachPair(1))).toEqual([]);
  });

  it('survives every way in which one commit can break [D11 A3]', async () => {
    expect(told(await eachBrokenCommit(1, 1))).toEqual([]);
  });

  it('keeps every invariant in 400 worlds in which commits break [D11]', async () => {
    expect(told(await eachSeed(FIRST_BROKEN, FIRST_BROKEN + BROKEN_SEEDS - 1))).toEqual([]);
  });

  it('sends nothing again in 200 worlds in which a copy of the ledger is put back and the loss accepted [D9]', async () => {
    const { restored, failures } = await eachRestored(1, RESTORED);
    expect(failures).toEqual([]);
    expect(restored).toBeGreaterThan(RESTORED / 2);
  });

  it('sends nothing twice, whatever happens to wire notes and their locks: cut, put back, flipped, zeroed, swapped, replaced [A20]', async () => {
    const { damages, failures } = await eachDamaged(1, DAMAGED);
    expect(failures).toEqual([]);
    expect(damages).toBeGreaterThan(LEAST_DAMAGES);
  });

  it('keeps every invariant in 1,000 worlds of random faults [A13 A15 R3 S6]', async () => {
    expect(told(await eachSeed(1, SEEDS))).toEqual([]);
  });
});
