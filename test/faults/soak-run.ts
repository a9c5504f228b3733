import { appendFileSync } from 'node:fs';
import { expect, test, vi } from 'vitest';
import { checkRun } from './check.ts';
import { CLAIM_LIMIT, openStage } from './harness.ts';
import { endWorkers, killing, settle } from './killing.ts';
import { seeded } from './seeds.ts';
import { type SoakRound, soakRounds } from './soak.ts';

/* One round is a ledger of its own, with two workers alive at a time, which are killed at moments that its seed decides. */

vi.setConfig({ testTimeout: 1_200_000 });

const { kills, seed, file } = JSON.parse(process.env['TUMA_SOAK'] ?? '{"kills":0,"seed":1,"file":""}') as {
  kills: number;
  seed: number;
  file: string;
};

// Rounds share nothing, and each waits most of its time.
test.concurrent.for(soakRounds(kills, seed))(
  'round of seed $seed: $kills kills',
  async (round, { onTestFinished }) => {
    const random = seeded(`soak, ${round.kills} kills`, round.seed);
    const stage = await openStage({ contacts: 4_000, onTestFinished });
    const end = killing(stage, random);
    const { mostLeft } = await endWorkers(stage, { random, times: round.kills, lives: 2, end });
    await settle(stage);
    const { messages, double, lost, uncertain, sent } = await checkRun(stage, { kills: round.kills });
    expect(sent + uncertain).toBe(messages);
    expect(mostLeft).toBeLessThanOrEqual(CLAIM_LIMIT);
    const done: SoakRound = { ...round, messages, double, lost, uncertain, mostLeft };
    appendFileSync(file, `${JSON.stringify(done)}\n`);
  },
);
