import { expect, test } from 'vitest';
import { BatchPermits } from '../../src/queue/batch-permits.ts';

/** Asks for places in that order and notes who got one. */
function ask(slots: BatchPermits, kinds: ('promotional' | 'transactional')[]) {
  const started: string[] = [];
  const givers: (() => void)[] = [];
  const asked = kinds.map(async (kind, index) => {
    const giveBack = await slots.take(kind);
    started.push(`${kind[0]}${index}`);
    givers.push(giveBack);
  });
  const settle = () => new Promise<void>((resolve) => setImmediate(resolve));
  return { started, givers, asked, settle };
}

test('promotional jobs never take the last place, transactional ones may take all', async () => {
  const crowd = ask(new BatchPermits(3), [
    'promotional',
    'promotional',
    'promotional',
    'transactional',
    'transactional',
  ]);
  await crowd.settle();
  expect(crowd.started).toEqual(['p0', 'p1', 't3']);
  const calm = ask(new BatchPermits(3), ['transactional', 'transactional', 'transactional', 'transactional']);
  await calm.settle();
  expect(calm.started).toEqual(['t0', 't1', 't2']);
});

test('a place that is given back goes to the first who may have it, so that nobody waits for ever', async () => {
  const crowd = ask(new BatchPermits(2), [
    'promotional',
    'promotional',
    'transactional',
    'transactional',
    'promotional',
  ]);
  await crowd.settle();
  expect(crowd.started).toEqual(['p0', 't2']);
  crowd.givers[1]?.();
  await crowd.settle();
  expect(crowd.started).toEqual(['p0', 't2', 't3']);
  crowd.givers[0]?.();
  await crowd.settle();
  expect(crowd.started).toEqual(['p0', 't2', 't3', 'p1']);
  crowd.givers[2]?.();
  crowd.givers[3]?.();
  await Promise.all(crowd.asked);
  expect(crowd.started.at(-1)).toBe('p4');
});

test('a place that is given back to nobody who may have it stays free, and one that is handed on is taken', async () => {
  const slots = new BatchPermits(2);
  const crowd = ask(slots, ['promotional', 'promotional', 'transactional']);
  await crowd.settle();
  crowd.givers[1]?.();
  await crowd.settle();
  expect(crowd.started).toEqual(['p0', 't2']);
  crowd.givers[0]?.();
  await crowd.settle();
  expect(crowd.started).toEqual(['p0', 't2', 'p1']);
  const later = ask(slots, ['promotional', 'transactional', 'transactional']);
  await later.settle();
  expect(later.started).toEqual(['t1']);
});

test('there are never fewer than two places', () => {
  expect(new BatchPermits(1).total).toBe(2);
  expect(new BatchPermits(1).forPromotional).toBe(1);
});
