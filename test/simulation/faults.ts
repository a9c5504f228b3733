import { RATED_JUMP_MS } from './check.ts';
import type { Chance } from './chance.ts';
import type { Crew } from './crew.ts';
import { MOBILES, type RandomSetup } from './random-setup.ts';
import { PRICE } from './sim-provider.ts';
import type { World } from './world.ts';

/** What a fault may touch. */
export interface Stage {
  world: World;
  chance: Chance;
  crew: Crew;
  setup: RandomSetup;
}

type Fault = (stage: Stage) => void;

/* Each ends by itself, or is mended when the world is healed. */

const FAULTS: Record<string, Fault> = {
  kill: ({ crew }) => crew.killOne(),
  killAll: ({ crew }) => crew.killAll(),
  suspend: ({ crew, chance }) => crew.suspendOne(chance.pick([700, 4_000, 12_000, 70_000, 150_000])),
  stop: ({ crew }) => crew.stopOne(),
  flush: ({ world }) => world.queue.flush(),
  oldSnapshot: ({ world }) => world.queue.restoreOld(),
  redisAway: ({ world, chance }) => {
    world.queue.away = true;
    world.time.in(chance.between(500, 20_000), () => {
      world.queue.away = false;
    });
  },
  deaf: ({ world }) => world.queue.deafen(),
  clock: ({ world, chance, crew }) => {
    const ms = chance.pick([-RATED_JUMP_MS, -3_000, 3_000, 120_000, RATED_JUMP_MS]);
    world.wallOffset += ms;
    crew.clockJumped();
  },
  ledger: ({ world, chance }) => {
    world.trouble = chance.pick(['ledger_busy', 'ledger_full']);
    world.time.in(chance.between(200, 6_000), () => {
      world.trouble = null;
    });
  },
  balance: ({ world, chance }) => {
    const seen = { httpStatus: 500, code: null, words: 'ill', raw: null };
    world.provider.balanceTrouble = chance.of(0.7)
      ? { outcome: 'unknown', ...seen }
      : { outcome: 'refused', refusal: 'credentials', ...seen };
    world.time.in(chance.between(200, 15_000), () => {
      world.provider.balanceTrouble = null;
    });
  },
  spent: ({ world, setup, chance }) => {
    if (setup.mayBeRefusedCredit)
      world.provider.creditMicro = Math.floor(world.provider.creditMicro * chance.next());
  },
  topUp: ({ world, chance }) => {
    world.provider.creditMicro += PRICE * chance.whole(1, 10);
  },
  pause: ({ crew }) => void crew.person('pause'),
  resume: ({ crew }) => void crew.person('resume'),
  cancel: ({ crew, chance }) => (chance.of(0.3) ? void crew.person('cancel') : undefined),
  retry: ({ crew }) => void crew.person('retry'),
  resolve: ({ crew }) => void crew.resolve(),
  optOut: ({ world, chance }) => world.postman.stopWish(chance.pick(MOBILES)),
  garbage: ({ world, chance }) => world.postman.post(`{"status": "\u0000${chance.next()}`, 0),
  forged: ({ world, chance }) => {
    const messageid = `forged${chance.next()}`;
    world.postman.post(JSON.stringify({ messageid, status: 'DeliveredToTerminal' }), 0);
  },
};

/* Also in wide worlds. */

const WIDE_FAULTS: Record<string, Fault> = {
  ...FAULTS,
  rate: ({ crew, chance }) => void crew.setRate(chance.of(0.3) ? null : chance.whole(1, 10)),
  sender: ({ crew }) => void crew.changeSender(),
};

/** Plans that many faults of all kinds for the first `ms` milliseconds. */
export function planFaults(stage: Stage, ms: number): void {
  const { world, chance, setup } = stage;
  const faults = setup.wide ? WIDE_FAULTS : FAULTS;
  for (let count = 0; count < setup.faults; count += 1) {
    const name = chance.pick(Object.keys(faults));
    // Most of what matters happens while messages are under way, which is soon over.
    const at = chance.of(0.6) ? chance.between(0, 2_500) : chance.between(0, ms);
    world.time.in(at, () => {
      world.tell(`fault: ${name}`);
      faults[name]?.(stage);
    });
  }
}
