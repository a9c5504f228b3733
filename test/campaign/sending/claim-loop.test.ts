import { expect, it } from 'vitest';
import { LEASE_MS } from '../../../src/domain/protocol-times.ts';
import type { ClaimRequest } from '../../../src/ledger/contracts/sending.ts';
import { BatchWorld, KNOWN, SETTINGS } from './batch-world.ts';

const message = (seq: number) => ({
  seq,
  attempt: 1,
  segments: 1,
  tries: 0,
  mobile: `25471234567${seq}`,
  fields: ['', 'Ann'],
  slotAt: null,
});

/** A world whose claims end as the script says, and then with nothing left; and what each was asked for. */
function scripted(...claims: object[]): { world: BatchWorld; asked: ClaimRequest[] } {
  const world = new BatchWorld();
  const asked: ClaimRequest[] = [];
  world.claim = async (request) => {
    asked.push(request);
    return { messages: [], stop: 'empty', retryAt: null, ...claims.shift() };
  };
  return { world, asked };
}

/** Takes the batch; answers the claims and pauses between lease and release. */
async function taken(world: BatchWorld): Promise<string[]> {
  return (await world.take()).slice(1);
}

it('a claim goes on behind the last message of the one before, with the money and the hours of its lease', async () => {
  const { world, asked } = scripted({ messages: [message(1), message(4)], stop: null });
  world.settings = { ...SETTINGS, window: { fromMinute: 0, toMinute: 1439, days: [1, 2, 3, 4, 5, 6, 7] } };
  world.now = Date.parse('2026-11-27T12:00+03:00');
  await taken(world);
  expect(asked.map(({ fromSeq }) => fromSeq)).toEqual([1, 5]);
  expect(asked[1]).toMatchObject({
    batch: 3,
    epoch: 7,
    worker: 5,
    now: world.now,
    windowClosesAt: Date.parse('2026-11-27T23:59+03:00'),
    ceilingMicro: 1_000_000,
    accountRate: null,
  });
  await world.worker.dispatcher.stop();
  expect(world.sent).toHaveLength(2);
});

it.each([
  ['lost', []],
  ['empty', []],
  ['window', ['pause window']],
  ['budget', ['pause budget']],
])('a claim that stops for %s is the last of its batch', async (stop, then) => {
  const { world } = scripted({ stop });
  expect(await taken(world)).toEqual(['claim', ...then]);
  expect(world.worker.dispatcher.room()).toBe(8);
});

it('a rate and a budget that frees itself are waited for, a rate at least until some slots have gathered', async () => {
  const { world } = scripted();
  const retryIn = (ms: number, stop: string) => ({ stop, retryAt: world.now + ms });
  const stops = [retryIn(90, 'rate'), retryIn(900, 'rate'), { stop: 'rate' }, retryIn(70, 'budget')];
  const from: number[] = [];
  world.claim = async ({ fromSeq }) => {
    from.push(fromSeq);
    return { messages: [], stop: 'empty', ...stops.shift() };
  };
  await taken(world);
  expect(from).toEqual([1, 1, 1, 1, 1]);
  expect(world.slept).toEqual([200, 900, 200, 70]);
});

it('a price that is learned is waited for until a verdict came', async () => {
  const { world, asked } = scripted({ messages: [message(1)], stop: 'learning' });
  expect(await taken(world)).toEqual(['claim', 'claim']);
  expect(asked.map(({ priceMicro }) => priceMicro)).toEqual([null, 1]);
});

it('a price that another process learns is asked for again soon', async () => {
  const { world } = scripted({ stop: 'learning' }, { messages: [message(1)], stop: 'learning' });
  expect(await taken(world)).toEqual(['claim', 'claim', 'claim']);
  expect(world.slept).toEqual([200]);
});

it('credit that is used up is read again with nothing under way, tried with one message, and only then pauses', async () => {
  const { world, asked } = scripted({ messages: [message(1)], stop: 'balance' }, { stop: 'balance' });
  const answeredAtCall: number[] = [];
  world.balance = async () => {
    const calls = answeredAtCall.push(world.answered);
    return { ...KNOWN, creditMicro: calls } as never;
  };
  expect(await taken(world)).toEqual(['claim', 'claim', 'pause balance']);
  expect(answeredAtCall).toEqual([0, 1]);
  // From the beginning of the batch: a message that was put back stands before those that were claimed.
  expect(asked.map(({ limit, fromSeq, ceilingMicro }) => [limit, fromSeq, ceilingMicro])).toEqual([
    [8, 1, 1],
    [1, 1, 2],
  ]);
  expect([await world.goesOnWith(2), await world.goesOnWith(3)]).toEqual([false, true]);
  expect(world.worker.dispatcher.room()).toBe(8);
});

it.each([
  ['it pays for one more', { messages: [message(2)], stop: 'balance' }, 4],
  ['something else stops it', { stop: 'rate' }, 3],
])('credit that was used up pauses nothing where %s', async (_, again, claims) => {
  const { world } = scripted({ stop: 'balance' }, again);
  const more = world.claim;
  let count = 0;
  world.claim = async (request) => ((count += 1) > 2 ? { messages: [], stop: 'empty' } : more(request));
  expect(await taken(world)).toEqual(Array(Math.min(claims, 3)).fill('claim'));
  expect(await world.goesOnWith(1)).toBe(true);
});

it('credit that another process may free is waited for, and one that cannot be read is nobody’s pause', async () => {
  const { world } = scripted({ stop: 'balance' });
  world.elsewhere = 1;
  expect(await taken(world)).toEqual(['claim']);
  expect(world.slept).toEqual([1_000]);
  const other = scripted({ stop: 'balance' }).world;
  let calls = 0;
  other.balance = async () => ((calls += 1) > 1 ? ({ outcome: 'unknown', words: '' } as never) : KNOWN);
  expect([await taken(other), calls, other.slept]).toEqual([['claim'], 2, []]);
});

it.each([
  ['it is told to stop', ({ stopping }: BatchWorld) => stopping.abort()],
  ['another batch takes every place', ({ worker: { dispatcher } }: BatchWorld) => dispatcher.reserve(8)],
])('a worker claims nothing more where %s while the credit is read', async (_, meanwhile) => {
  const { world } = scripted({ stop: 'balance' });
  let calls = 0;
  world.balance = async () => {
    if ((calls += 1) === 2) meanwhile(world);
    return KNOWN;
  };
  expect(await taken(world)).toEqual(['claim']);
});

it('a slice of time is the last of its batch', async () => {
  const { world } = scripted();
  world.claim = async () => {
    world.now += 2_500;
    return { messages: [], stop: null };
  };
  expect(await taken(world)).toEqual(['claim', 'claim']);
});

it('a service that rests meanwhile is claimed nothing more for', async () => {
  const { world } = scripted();
  world.claim = async () => {
    world.now += 1_000;
    world.worker.health.rest(9_000);
    return { messages: [], stop: null };
  };
  expect(await taken(world)).toEqual(['claim']);
});

it('a campaign that an answer pauses is claimed no more of', async () => {
  const { world } = scripted({ messages: [message(1)], stop: 'learning' });
  world.answer = { outcome: 'refused', refusal: 'credentials', retryHelps: true };
  expect(await taken(world)).toEqual(['claim']);
});

/** A batch that finds every place taken; answers what it has done, before and after `then` lets it go on. */
async function whileFull(then: (world: BatchWorld) => void): Promise<string[][]> {
  const { world } = scripted();
  world.worker.dispatcher.reserve(8);
  const taking = world.take();
  await new Promise((resolve) => void setImmediate(resolve));
  const before = [...world.did];
  then(world);
  return [before, await taking];
}

it.each([
  ['a place is free', ({ worker }: BatchWorld) => worker.dispatcher.unreserve(8), ['claim']],
  ['its worker stops', ({ stopping }: BatchWorld) => stopping.abort(), []],
  ['its slice of time is over', ({ sliceEnds }: BatchWorld) => sliceEnds.at(-1)?.(), []],
  [
    'the service rests',
    ({ worker }: BatchWorld) => {
      worker.health.rest(9_000);
      worker.dispatcher.unreserve(0);
    },
    [],
  ],
])('where every place is taken nothing is claimed until %s', async (_, then, claims) => {
  const lease = `lease ${LEASE_MS}`;
  expect(await whileFull(then)).toEqual([[lease], [lease, ...claims]]);
});

it('a claim is not asked for a place or two while others wait to be sent', async () => {
  const { world, asked } = scripted();
  const { dispatcher } = world.worker;
  dispatcher.reserve(7);
  const taking = world.take();
  await new Promise((resolve) => void setImmediate(resolve));
  dispatcher.unreserve(1);
  await taking;
  expect(asked.map(({ limit }) => limit)).toEqual([2]);
});

it('a claim is asked for one place where there may be no more, as when a service is tried again', async () => {
  const { world, asked } = scripted();
  world.worker.health.limit = () => 1;
  await taken(world);
  expect(asked.map(({ limit }) => limit)).toEqual([1]);
});

it('only a claim that found something shows that the worker gets on', async () => {
  const { world } = scripted({}, { messages: [message(1)], stop: 'empty' });
  world.worker.lastClaimAt = 0;
  await taken(world);
  expect(world.worker.lastClaimAt).toBe(0);
  await taken(world);
  expect(world.worker.lastClaimAt).toBe(world.now);
});

it('places that a claim could not use, or that the ledger refused, are free again', async () => {
  const { world } = scripted();
  world.claim = () => Promise.reject(new Error('busy'));
  expect(await taken(world)).toEqual(['claim']);
  expect(world.worker.dispatcher.room()).toBe(8);
});
