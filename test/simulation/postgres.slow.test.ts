import { describe, expect, it } from 'vitest';
import { FIRST_BROKEN } from './random-campaigns.ts';
import { told } from './replay.ts';
import { eachBrokenCommit, eachCrash, eachDamaged, eachPair, eachRestored, eachSeed } from './runs.ts';
import type { SimEngine } from './sim-database.ts';
import { postgresForWorlds } from './sim-postgres.ts';

/* The full half of the simulation on Postgres, where a world takes several times as long. */

const SEEDS = 100;
const WIDE = 501;
const RESTORED = 40;
const DAMAGED = 100;
/** Of all pairs one in so many. */
const PAIRS = 40;

const on = await postgresForWorlds();

describe.runIf(on !== null)('the engine in a simulated world on Postgres, in full', () => {
  const postgres = on as SimEngine;

  it('survives a crash after every effect, those included that change nothing [A1 A3 A7]', async () => {
    expect(told(await eachCrash(1, { on: postgres }))).toEqual([]);
  });

  it('survives a crash after each effect that changes something, and a second one in the next life [A14]', async () => {
    expect(told(await eachPair(1, { step: PAIRS, on: postgres }))).toEqual([]);
  });

  it('survives every way in which one commit can break [D11 A3]', async () => {
    expect(told(await eachBrokenCommit(1, 1, postgres))).toEqual([]);
  });

  it.each([1, WIDE, FIRST_BROKEN])(
    'keeps every invariant in the 100 worlds from %i on [D11 A13 A15 R3 S6]',
    async (from) => {
      expect(told(await eachSeed(from, from + SEEDS - 1, postgres))).toEqual([]);
    },
  );

  it('sends nothing again in 40 worlds in which a copy of the ledger is put back and the loss accepted [D9]', async () => {
    const { restored, failures } = await eachRestored(1, RESTORED, postgres);
    expect(failures).toEqual([]);
    expect(restored).toBeGreaterThan(RESTORED / 2);
  });

  it('sends nothing twice, whatever happens to wire notes and their locks [A20]', async () => {
    const { damages, failures } = await eachDamaged(1, DAMAGED, postgres);
    expect(failures).toEqual([]);
    expect(damages).toBeGreaterThan(DAMAGED);
  });
});
