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
  // Slow answers, so that there is always something under way.
  const stage = await openStage({ contacts: 400, sandbox: { latencyMs: 400 } });
  const took: number[] = [];
  const rounds = 10;
  for (let round = 0; round < rounds; round += 1) {
    await keepOpen(stage);
    const { accepted } = await stage.provider.stats();
    const worker = stage.serve('worker');
    await stage.provider.accepted(accepted + random.whole(1, 250));
    if (round % 2 === 1) stage.redis.kill();
    await worker.stop('SIGKILL');
    expect(leftSending(stage, worker.pid)).toBeGreaterThan(0);
    took.push(await settle(stage));
    expect(took.at(-1)).toBeLessThan(WITHIN_MS);
    expect(isOpen(stage)).toBe(false);
  }
  const findings = await checkRun(stage, { kills: rounds });
  addRun('killed, settled after the restart in', findings, { runs: rounds, resumeMs: took });
});
