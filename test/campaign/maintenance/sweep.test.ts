import { expect, it } from 'vitest';
import { Sweep } from '../../../src/campaign/maintenance/sweep.ts';

/** A sweep over `due` batches into a queue that keeps what it was given, unless it is away or was flushed. */
function sweeping(due: number[]) {
  const world = { now: 0, due, size: 0, away: false, offered: [] as string[], warned: 0 };
  const env = {
    clock: { now: () => 0, monotonic: () => world.now },
    ledger: {
      dueBatches: async () => world.due.map((batch) => ({ batch, epoch: 1, kind: 'promotional', dueAt: 0 })),
    },
    queue: {
      size: async () => world.size,
      add: async (jobs: { batch: number; epoch: number; delayMs: number }[]) => {
        if (world.away) throw new Error('Redis is away');
        world.offered = jobs.map(({ batch, epoch, delayMs }) => `${batch}-${epoch} ${delayMs}`);
        world.size += jobs.length;
      },
    },
    log: { debug() {}, info() {}, warn: () => (world.warned += 1), error() {} },
  };
  const sweep = new Sweep(env as never);
  const run = async (changes: Partial<typeof world> = {}) => {
    Object.assign(world, { offered: [] }, changes);
    const count = await sweep.run();
    return [count, world.offered.join(', ')];
  };
  return { world, run };
}

it('offers each batch once, all of them again when the queue holds fewer, and all each ten seconds', async () => {
  const { world, run } = sweeping([1, 2]);
  expect(await run()).toEqual([2, '1-1 0, 2-1 0']);
  expect(await run({ now: 1 })).toEqual([2, '']);
  expect(await run({ due: [1, 2, 3] })).toEqual([3, '3-1 0']);
  expect(await run({ size: 2 })).toEqual([3, '1-1 0, 2-1 0, 3-1 0']);
  expect(await run({ due: [3], size: 1 })).toEqual([1, '']);
  expect(await run({ due: [1, 3], now: 10_000 })).toEqual([2, '1-1 0']);
  expect(await run({ now: 10_001 })).toEqual([2, '1-1 0, 3-1 0']);
  expect(await run({ due: [], size: 0 })).toEqual([0, '']);
  expect(world.warned).toBe(0);
});

it('offers everything again to a Redis that did not answer, and says so once each time', async () => {
  const { world, run } = sweeping([1, 2]);
  await run({ away: true });
  expect(world.warned).toBe(1);
  await run({ away: false });
  expect(await run({ due: [1, 2, 3], away: true, now: 1 })).toEqual([3, '']);
  expect(await run()).toEqual([3, '']);
  expect(world.warned).toBe(2);
  expect(await run({ away: false, size: 9 })).toEqual([3, '1-1 0, 2-1 0, 3-1 0']);
  await run({ due: [4], away: true });
  expect(world.warned).toBe(3);
});
