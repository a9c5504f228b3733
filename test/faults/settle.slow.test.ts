import { expect, test } from 'vitest';
import { checkRun, isOpen, leftSending } from './check.ts';
import { openStage } from './harness.ts';
import { keepOpen, settle } from './killing.ts';
import { seeded } from './seeds.ts';
import { addRun } from './summary.ts';

/** From the start of the next worker to the last message of the campaign. */
const WITHIN_MS = 15_000;

test('the campaign of a killed worker settles within 15 s of its restart, whether its Redis died or not [A13 A14]', async () => {
  const random = seeded('settling');
  const stage = await openStage({ contacts: 400, gated: true });
  const took: number[] = [];
  const rounds = 10;
  for (let round = 0; round < rounds; round += 1) {
    await keepOpen(stage);
    stage.gate.holdAfter(random.whole(1, 250));
    const worker = stage.serve('worker');
    await stage.gate.full();
    if (round % 2 === 1) stage.redis.kill();
    await worker.stop('SIGKILL');
    expect(leftSending(stage, worker.pid)).toBeGreaterThan(0);
    stage.gate.release();
    took.push(await settle(stage));
    expect(took.at(-1)).toBeLessThan(WITHIN_MS);
    expect(isOpen(stage)).toBe(false);
  }
  const findings = await checkRun(stage, { kills: rounds });
  addRun('killed, settled after the restart in', findings, { runs: rounds, resumeMs: took });
});
