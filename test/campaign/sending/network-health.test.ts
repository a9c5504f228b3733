import { expect, test } from 'vitest';
import {
  blamedNetwork,
  mayBlameNetwork,
  networksOf,
} from '../../../src/campaign/sending/attribute-network.ts';
import type { Env } from '../../../src/campaign/env.ts';
import { decide } from '../../../src/campaign/sending/verdict.ts';
import type { SendResult } from '../../../src/provider/provider.ts';
import { NetworkHealth } from '../../../src/campaign/sending/network-health.ts';
import { createLog } from '../../../src/system/log.ts';

/** What one process knows of the networks, on a clock of its own. */
class World {
  now = 0;
  readonly health: NetworkHealth;

  constructor() {
    const clock = { now: () => this.now, monotonic: () => this.now, sleep: () => Promise.resolve() };
    this.health = new NetworkHealth({ clock, log: createLog({ level: 'error' }) });
  }

  ill(network: string, times = 5): void {
    for (let time = 0; time < times; time += 1) {
      this.now += 1;
      const departure = { campaign: 1, dispatchedAt: this.now, networks: [network] };
      this.health.note({ health: 'neutral', networkIll: true }, departure);
    }
  }
}

test('what was claimed before a network was found ill is held back, unless it is known to go elsewhere', () => {
  const world = new World();
  world.ill('A');
  world.ill('B');
  const { health } = world;
  expect(health.heldCount).toBe(2);
  const claimed = { before: 0, between: 1, behind: 2 };
  expect(health.holdsBack({}, claimed.before)).toBe(true);
  expect(health.holdsBack({}, claimed.behind)).toBe(false);
  expect(health.holdsBack({ network: 'B' }, claimed.between)).toBe(true);
  expect(health.holdsBack({ network: 'C' }, claimed.between)).toBe(false);
  expect(health.holdsBack({ network: null }, claimed.between)).toBe(false);
});

test('a probe of one network is not held back when another is found ill', () => {
  const world = new World();
  world.ill('B');
  world.now += 31_000;
  const { openings } = world.health;
  expect(world.health.holds()).toMatchObject([{ network: 'B', probe: true }]);
  world.ill('A');
  expect(world.health.holdsBack({ network: 'B' }, openings)).toBe(false);
});

test('a probe whose verdict never comes is given up after a minute, however often is claimed meanwhile', () => {
  const world = new World();
  world.ill('A');
  world.now += 31_000;
  const probes = [0, 30_000, 29_999, 1].map((laterMs) => {
    world.now += laterMs;
    const holds = world.health.holds();
    world.health.returned(holds, ['A']);
    return holds[0]?.probe;
  });
  expect(probes).toEqual([true, false, false, true]);
});

test('a network that is held already and found ill again holds back nothing that was claimed', () => {
  const world = new World();
  world.ill('A');
  world.now += 31_000;
  expect(world.health.holds()).toMatchObject([{ network: 'A', probe: true }]);
  world.ill('A', 1);
  expect(world.health.holds()).toMatchObject([{ network: 'A', probe: false }]);
  expect(world.health.openings).toBe(1);
});

test('what left before the last message that a network took says nothing of it now', () => {
  const world = new World();
  const networks = ['A'];
  world.health.note({ health: 'well' }, { campaign: 1, dispatchedAt: 100, networks });
  world.health.note({ health: 'well' }, { campaign: 1, dispatchedAt: 50, networks });
  for (let time = 0; time < 9; time += 1) {
    const late = { campaign: 1, dispatchedAt: 99, networks };
    expect(world.health.note({ health: 'ill', networkIll: true }, late)).toBe(false);
  }
  expect(world.health.holds()).toEqual([]);
});

test('whoever looks is told since when a network is held, and until when it is tried again', () => {
  const world = new World();
  world.ill('A');
  expect(world.health.held()).toEqual([{ network: 'A', since: 5, until: 30_005 }]);
  world.now += 31_000;
  world.health.holds();
  world.ill('A', 1);
  expect(world.health.held()).toEqual([{ network: 'A', since: 5, until: world.now + 60_000 }]);
});

const MESSAGE = { seq: 1, attempt: 1, segments: 1, tries: 0, mobile: '254700000001', fields: [], slotAt: 0 };
const seen = { httpStatus: 200, code: '1', words: '', raw: null };

test.each<[SendResult, boolean]>([
  ...(['deadline', 'lost', 'server_error'] as const).map((kind) =>
    answer({ outcome: 'unknown', kind }, true),
  ),
  ...(['unreadable', 'unlisted_code'] as const).map((kind) => answer({ outcome: 'unknown', kind }, false)),
  answer({ outcome: 'refused', refusal: 'network', retryHelps: false }, true),
  answer({ outcome: 'refused', refusal: 'contact', retryHelps: false }, false),
  answer({ outcome: 'throttled', retryAfterMs: null }, false),
  answer({ outcome: 'not_sent', fatal: false }, false),
])('%o may be the fault of a network: %s', (result, is) => {
  expect(mayBlameNetwork(result)).toBe(is);
  // The same that the verdict says of it.
  const context = { retry: { attempts: 3, firstMs: 1, mostMs: 1 }, now: 0, random: 0 };
  const asked = { campaign: 1, seq: 1, attempt: 1, segments: 1, tries: 0, sendMs: 1 };
  expect(decide(result, asked, context).networkIll ?? false).toBe(is);
  expect(networksOf({ ...MESSAGE, network: 'A' }, result)).toEqual([]);
});

function answer(result: object, is: boolean): [SendResult, boolean] {
  return [{ ...seen, ...result } as SendResult, is];
}

test('a failure is blamed on the network that the claim found, else on the one that the ledger knows, if any', async () => {
  const blamed = (network: string | null | undefined, known: () => Promise<string | null>) =>
    blamedNetwork(
      { ledger: { networkOf: known } as unknown as Env['ledger'] },
      network === undefined ? MESSAGE : { ...MESSAGE, network },
    );
  expect(await blamed('A', async () => 'B')).toEqual(['A']);
  expect(await blamed(null, async () => 'B')).toEqual([]);
  expect(await blamed(undefined, async () => 'B')).toEqual(['B']);
  expect(await blamed(undefined, async () => null)).toEqual([]);
  expect(await blamed(undefined, () => Promise.reject(new Error('locked')))).toEqual([]);
});

test.each([
  [undefined, null, []],
  [undefined, 'A', ['A']],
  [null, 'A', ['A']],
  ['A', 'A', ['A']],
  ['A', null, ['A']],
  ['A', 'B', ['A', 'B']],
])('an acceptance of a message to the network %s that names %s is well of %j', (tried, network, well) => {
  const message = tried === undefined ? MESSAGE : { ...MESSAGE, network: tried };
  const accepted = {
    outcome: 'accepted',
    messageId: '1',
    network,
    costMicro: 1,
    flags: [],
    ...seen,
  } as const;
  expect(networksOf(message, { ...accepted, flags: [] })).toEqual(well);
});
