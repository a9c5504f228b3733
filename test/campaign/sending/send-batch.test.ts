import { describe, expect, it } from 'vitest';
import type { LeaseQueue } from '../../../src/campaign/sending/lease-queue.ts';
import { TumaError } from '../../../src/domain/errors.ts';
import { LEASE_MS } from '../../../src/domain/protocol-times.ts';
import type { BalanceResult } from '../../../src/provider/provider.ts';
import { BatchWorld, KNOWN, SETTINGS, UNKNOWN } from './batch-world.ts';

const NONE = undefined;

describe('one batch', () => {
  it('is sent by the settings that it was planned with', async () => {
    const world = new BatchWorld();
    world.messages = [
      {
        seq: 1,
        attempt: 1,
        segments: 1,
        tries: 0,
        mobile: '254712345678',
        fields: ['', 'Ann’s'],
        slotAt: null,
      },
    ];
    expect(await world.take()).toEqual([`lease ${LEASE_MS}`, 'claim']);
    await world.worker.dispatcher.stop();
    expect([world.sent, await world.charged()]).toEqual([["Hi Ann's"], ['A']]);
  });

  it('is not leased by a worker that stops, and claims nothing when its lock was lost', async () => {
    const world = new BatchWorld();
    expect(await world.take(AbortSignal.abort())).toEqual([`lease ${LEASE_MS}`]);
    world.balance = async () => {
      world.stopping.abort();
      return KNOWN;
    };
    expect(await world.take()).toEqual([`lease ${LEASE_MS}`]);
    expect(await world.take()).toEqual([]);
    expect([world.rests, world.jobs.length]).toEqual([[0, 0], 1]);
  });

  it('leaves no queue behind, whether it is sent or fails', async () => {
    const world = new BatchWorld();
    const { dispatcher } = world.worker;
    const queues: LeaseQueue[] = [];
    const open = dispatcher.openQueue.bind(dispatcher);
    dispatcher.openQueue = (sending) => queues[queues.push(open(sending)) - 1] as LeaseQueue;
    await world.take();
    world.claim = () => Promise.reject(new Error('busy'));
    await world.take();
    expect(queues.map(({ closed }) => closed)).toEqual([true, true]);
  });

  it('tells the breaker whether its balance call was well, for that is the probe of a service that was ill', async () => {
    const world = new BatchWorld();
    const { health } = world.worker;
    const probes: boolean[] = [];
    health.probed = (well) => probes.push(well) < 0;
    await world.take();
    world.balance = async () => UNKNOWN;
    await world.take();
    expect(probes).toEqual([true, false]);
  });

  it('outside its hours pauses the campaign, and asks for no balance', async () => {
    const world = new BatchWorld();
    world.settings = { ...SETTINGS, window: { fromMinute: 0, toMinute: 1, days: [1] } };
    world.balance = () => Promise.reject(new Error('asked'));
    expect(await world.take()).toEqual([`lease ${LEASE_MS}`, 'pause window']);
  });
});

describe('a batch that fails', () => {
  it('rests, for longer each time, and the fifth in a row pauses its campaign; one that is sent begins the row anew', async () => {
    const world = new BatchWorld();
    const { claim } = world;
    world.claim = () => Promise.reject(new Error('CHECK constraint failed'));
    expect(await world.fails(4)).toEqual([Array(4).fill(NONE), [5_000, 10_000, 20_000, 40_000]]);
    world.claim = claim;
    expect(await world.fails(1)).toEqual([[NONE], [0]]);
    world.claim = () => Promise.reject(new TumaError('internal', { message: 'No.' }));
    expect(await world.fails(5)).toEqual([
      [NONE, NONE, NONE, NONE, 'pause errors'],
      [5_000, 10_000, 20_000, 40_000, 5_000],
    ]);
    expect(await world.fails(1)).toEqual([[NONE], [5_000]]);
  });

  it.each(['ledger_full', 'claims_unnoted', 'ledger_newer'] as const)(
    'for %s says nothing of its campaign: everything rests',
    async (code) => {
      const world = new BatchWorld();
      world.claim = () => Promise.reject(new TumaError(code, { message: 'Full.' }));
      expect(await world.fails(6)).toEqual([Array(6).fill(NONE), Array(6).fill(5_000)]);
      expect(world.worker.health.waitMs()).toBe(5_000);
      expect(await world.take()).toEqual([`lease ${LEASE_MS}`]);
    },
  );

  it('for a ledger that is busy does not count', async () => {
    const world = new BatchWorld();
    world.claim = () => Promise.reject(new TumaError('ledger_busy', { message: 'Busy.' }));
    expect(await world.fails(6)).toEqual([Array(6).fill(NONE), Array(6).fill(5_000)]);
    expect(world.worker.health.waitMs()).toBe(0);
  });
});

describe('a balance that cannot be read', () => {
  it('makes everything wait, for longer each time, and the fifth in a row pauses; one that can be read begins the row anew', async () => {
    const world = new BatchWorld();
    const waits: number[] = [];
    const fails = async (times: number) => {
      const [pauses, rests] = await world.fails(times);
      // It is no fault of the batch.
      const { inARow } = world.worker.failures.batchFailed(1, { isTransient: true });
      expect([rests, inARow]).toEqual([Array(times).fill(0), 0]);
      waits.push(world.worker.health.waitMs());
      return pauses;
    };
    world.balance = async () => UNKNOWN;
    for (let time = 0; time < 4; time++) expect(await fails(1)).toEqual([NONE]);
    world.balance = async () => KNOWN;
    expect(await fails(1)).toEqual([NONE]);
    world.balance = async () => UNKNOWN;
    expect(await fails(5)).toEqual([NONE, NONE, NONE, NONE, 'pause errors']);
    expect(await fails(1)).toEqual([NONE]);
    expect(waits).toEqual([5_000, 10_000, 20_000, 40_000, 0, 80_000, 5_000]);
  });

  it.each([
    ['credit', 'pause balance', true],
    ['credentials', 'pause credentials', false],
  ] as const)('for it was refused for its %s pauses at once: %s', async (refusal, pause, goesOn) => {
    const world = new BatchWorld();
    const { worker } = world;
    worker.credit.tooLittle('A', 7);
    world.balance = async () => ({ outcome: 'refused', refusal, words: 'no' }) as BalanceResult;
    expect(await world.take()).toEqual([`lease ${LEASE_MS}`, pause]);
    expect([await world.goesOnWith(7), worker.failures.balanceUnreadable().inARow]).toEqual([goesOn, 1]);
  });

  it('counts once for the batches that asked at the same time', async () => {
    const world = new BatchWorld();
    world.balance = async () => UNKNOWN;
    expect(await Promise.all(Array.from({ length: 6 }, () => world.take()))).not.toContain('pause errors');
    expect(world.worker.health.waitMs()).toBe(5_000);
    expect(world.worker.failures.balanceUnreadable().inARow).toBe(2);
  });
});

describe('a batch that is given back', () => {
  const job = { batch: 3, epoch: 8, kind: 'promotional' };

  it('goes back into the queue for when it is due, unless that is the sweep’s', async () => {
    const world = new BatchWorld();
    let woken = 0;
    world.worker.wakeSweep = () => (woken += 1);
    const dueIn = (ms: number) =>
      (world.release = async () => ({ settled: false, epoch: 8, dueAt: world.now + ms }));
    for (const ms of [-5, 300, 1_000, 1_001]) {
      dueIn(ms);
      await world.take();
    }
    world.release = async () => ({ settled: true });
    await world.take();
    expect(world.jobs).toEqual([0, 300, 1_000].map((delayMs) => ({ ...job, delayMs })));
    expect(woken).toBe(5);
  });

  it('waits for a service that rests, and nobody else has to', async () => {
    const world = new BatchWorld();
    world.balance = () => Promise.reject(new Error('asked'));
    world.worker.health.rest(700);
    expect(await world.take()).toEqual([`lease ${LEASE_MS}`]);
    expect([world.jobs, world.rests]).toEqual([[{ ...job, delayMs: 700 }], [0]]);
  });

  it('is given back however long the ledger refuses, until the worker stops', async () => {
    const world = new BatchWorld();
    let refusals = 0;
    world.release = async () => {
      if ((refusals += 1) < 4) throw new Error('busy');
      return { settled: true };
    };
    await world.take();
    expect(refusals).toBe(4);
    world.release = async () => {
      if ((refusals += 1) === 7) world.stopping.abort();
      throw new Error('busy');
    };
    await world.take();
    expect([refusals, world.jobs]).toEqual([7, []]);
  });
});
