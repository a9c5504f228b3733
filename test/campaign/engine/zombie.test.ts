import { describe, expect, it } from 'vitest';
import type { Clock, Env, Processes } from '../../../src/campaign/env.ts';
import { reapDead } from '../../../src/campaign/maintenance/reap.ts';
import { systemClock } from '../../../src/system/clock.ts';
import { waitFor } from '../../support/wait-for.ts';
import { type Engine, NO_NOTES, openEngine } from './engine.ts';
import { ScriptedProvider } from './scripted-provider.ts';

/** A clock that can jump, as it does for a process that was stopped and goes on. */
function jumpingClock(): Clock & { jump: (ms: number) => void } {
  let ahead = 0;
  return {
    now: () => systemClock.now() + ahead,
    monotonic: () => systemClock.monotonic() + ahead,
    sleep: (ms, signal) => systemClock.sleep(ms, signal),
    jump: (ms) => {
      ahead += ms;
    },
  };
}

const deadProcesses: Processes = {
  self: () => ({ bootId: 'boot', pidNamespace: 'ns', pid: 1, startTicks: '9', roles: 'worker' }),
  fate: () => 'dead',
};

/** It takes for dead whoever there is, and finds no notes. */
function reaperIn(engine: Engine): Env {
  return { ...engine.env(new ScriptedProvider(), deadProcesses), wire: NO_NOTES };
}

describe('a worker that was taken for dead', () => {
  it('sends nothing that it had claimed before, records late answers, and goes on under a new number [A15]', async () => {
    const clock = jumpingClock();
    const engine = await openEngine(clock);
    const campaign = await engine.launch(100);
    const asleep = Promise.withResolvers<void>();
    const provider = new ScriptedProvider({
      script: async () => {
        await asleep.promise;
        return 'accept' as const;
      },
    });
    const worker = await engine.start(provider, { concurrency: 4, claimLimit: 20 });
    await waitFor(() => provider.inFlight === 4, { what: 'four requests on the wire' });
    const before = worker.sending.registration.id;
    expect(await reapDead(reaperIn(engine), -1)).toBeGreaterThanOrEqual(4);
    clock.jump(90_000);
    asleep.resolve();
    await engine.until(campaign, 'finished');
    const { messages } = await engine.reader.overview(campaign.n);
    expect(worker.sending.registration.id).not.toBe(before);
    // The four answers came late and count; what was claimed and never left stays uncertain, for nobody can prove it.
    expect(messages.sent + messages.uncertain).toBe(100);
    expect(messages.uncertain).toBeLessThanOrEqual(16);
    expect([provider.acceptedCount, provider.doubles]).toEqual([messages.sent, 0]);
    expect(await engine.reader.violations(null)).toEqual([]);
  });

  it('sends nothing of a claim whose answer reached it only after it was suspended [A15]', async () => {
    const clock = jumpingClock();
    const engine = await openEngine(clock);
    const campaign = await engine.launch(100);
    const ledger = { ...engine.ledger };
    const suspended: number[] = [];
    engine.ledger.claim = async (request) => {
      const claimed = await ledger.claim(request);
      if (suspended.length > 0) return claimed;
      suspended.push(...claimed.messages.map(({ seq }) => seq));
      await reapDead(reaperIn(engine), -1);
      clock.jump(90_000);
      return claimed;
    };
    const provider = new ScriptedProvider();
    await engine.start(provider, { claimLimit: 20 });
    await engine.until(campaign, 'finished');
    const { messages } = await engine.reader.overview(campaign.n);
    // Meanwhile a person may have had them sent again: on the wire they would be a second time.
    expect([messages.uncertain, messages.sent]).toEqual([suspended.length, 100 - suspended.length]);
    expect(provider.acceptedCount).toBe(messages.sent);
    expect(await engine.reader.violations(null)).toEqual([]);
  });

  it('without a note the reaper never puts a message back, whoever is dead', async () => {
    const engine = await openEngine();
    const campaign = await engine.launch(50);
    const hanging = Promise.withResolvers<'accept'>();
    const provider = new ScriptedProvider({ script: () => hanging.promise });
    const worker = await engine.start(provider, { concurrency: 4, claimLimit: 12 });
    await waitFor(() => provider.inFlight === 4, { what: 'four requests on the wire' });
    const held = worker.sending.dispatcher.sendingCount;
    const count = await reapDead(reaperIn(engine), -1);
    expect(count).toBe(held);
    const { messages } = await engine.reader.overview(campaign.n);
    expect([messages.uncertain, messages.sent]).toEqual([held, 0]);
    hanging.resolve('accept');
  });
});
