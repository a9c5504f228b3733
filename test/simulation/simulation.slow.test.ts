import { describe, expect, it, vi } from 'vitest';
import { told } from './replay.ts';
import { eachCrash, eachPair, eachRestored, eachSeed } from './runs.ts';

/* The full half of the simulation. A failure says how to replay it. */

vi.setConfig({ testTimeout: 600_000 });

const SEEDS = 1_000;
const RESTORED = 200;

describe('the engine in a simulated world, in full', () => {
  it('A1 A3 A7: survives a crash after every effect, those included that change nothing', async () => {
    expect(told(await eachCrash(1))).toEqual([]);
  });

  it('A14: survives a crash after every pair of effects', async () => {
    expect(told(await eachPair(1, 1))).toEqual([]);
  });

  it('D9: sends nothing again in 200 worlds in which a copy of the ledger is put back and the loss accepted', async () => {
    const { restored, failures } = await eachRestored(1, RESTORED);
    expect(failures).toEqual([]);
    expect(restored).toBeGreaterThan(RESTORED / 2);
  });

  it('A13 A15 R3 S6: keeps every invariant in 1,000 worlds of random faults', async () => {
    expect(told(await eachSeed(1, SEEDS))).toEqual([]);
  });
});
