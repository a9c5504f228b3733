import { expect, test } from 'vitest';
import { NetworkHealth } from '../../src/campaign/network-health.ts';
import { createLog } from '../../src/log.ts';

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

test('a network that is held already and found ill again holds back nothing that was claimed', () => {
  const world = new World();
  world.ill('A');
  world.now += 31_000;
  expect(world.health.holds()).toMatchObject([{ network: 'A', probe: true }]);
  world.ill('A', 1);
  expect(world.health.holds()).toMatchObject([{ network: 'A', probe: false }]);
  expect(world.health.openings).toBe(1);
});
