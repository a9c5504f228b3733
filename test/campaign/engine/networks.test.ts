import { describe, expect, it } from 'vitest';
import type { Clock } from '../../../src/campaign/env.ts';
import { waitFor } from '../../support/wait-for.ts';
import { type Engine, fastClock, JumpClock, openEngine } from './engine.ts';
import { ANSWERS, ScriptedProvider } from './scripted-provider.ts';

/** An ill network is tried again after half a minute at the earliest. */
const NEXT_TRY_MS = 30_000;
const SECOND_LETTERS = /[02468]$/;
/** Every second number is at the network B. */
const networkOf = (mobile: string) => (SECOND_LETTERS.test(mobile) ? 'B' : 'A');

/** A service whose network B can be down, and what was tried while it was. */
class TwoNetworks {
  down: 'no' | 'deadline' | 'network' = 'no';
  tried = 0;
  readonly provider = new ScriptedProvider({
    network: networkOf,
    script: ({ mobile }) => {
      if (this.down === 'no' || networkOf(mobile) === 'A') return 'accept';
      this.tried += 1;
      return ANSWERS[this.down];
    },
  });
}

/** Everybody had a message before: so it is known where each number is. */
async function withHistory(count: number, clock: Clock): Promise<{ engine: Engine; service: TwoNetworks }> {
  const engine = await openEngine(clock);
  const service = new TwoNetworks();
  const before = await engine.launch(count, { kind: 'transactional' });
  await engine.start(service.provider, { concurrency: 4, claimLimit: 16 });
  await engine.until(before, 'finished');
  return { engine, service };
}

async function heldOf(engine: Engine, campaign: number) {
  const rows = await engine.reader.messages({ campaign, afterSeq: 0, limit: 10_000, states: ['queued'] });
  return rows.filter(({ reason }) => reason === 'network held');
}

describe('a network that is ill', () => {
  it.each(['deadline', 'network'] as const)(
    'holds its own messages and no others (%s), and they go when it is well again',
    async (how) => {
      // Nobody tries the ill network again before the test lets time pass.
      const clock = new JumpClock(Date.now());
      const { engine, service } = await withHistory(300, clock);
      service.down = how;
      const campaign = await engine.launch(300, { kind: 'transactional' });
      await waitFor(() => service.provider.acceptedCount === 450, { what: 'everything to network A' });
      await waitFor(async () => (await heldOf(engine, campaign.n)).length > 100, { what: 'B to be held' });
      const told = async () => {
        const { networks, state } = await engine.reader.overview(campaign.n);
        expect(state).toBe('running');
        return networks;
      };
      await waitFor(async () => (await told()) !== undefined, { what: 'status to tell of it' });
      expect(await told()).toMatchObject([{ network: 'B', cause: 'sending', why: null }]);
      // Five in a row, and what was claimed by then.
      expect(service.tried).toBeLessThanOrEqual(5 + 16);
      service.down = 'no';
      const isFinished = async () => {
        clock.jumpTo(clock.now() + NEXT_TRY_MS);
        return (await engine.reader.overview(campaign.n)).state === 'finished';
      };
      await waitFor(isFinished, { what: 'the campaign to finish' });
      const { messages } = await engine.reader.overview(campaign.n);
      expect(messages.sent + messages.uncertain + messages.rejected).toBe(300);
      expect(messages.sent).toBeGreaterThanOrEqual(300 - (5 + 16));
      expect(service.provider.accepted.size).toBe(300);
      expect(Math.max(...service.provider.accepted.values())).toBe(2);
      expect(await engine.reader.violations(null)).toEqual([]);
    },
  );

  it('pauses the campaign when nothing else of it is left, at the third try in a row, and resume tries again', async () => {
    const { engine, service } = await withHistory(60, fastClock(100));
    service.down = 'deadline';
    const campaign = await engine.launch(60, { kind: 'transactional' });
    const { reason } = await engine.until(campaign, 'paused');
    expect(reason).toBe('errors');
    expect(service.provider.acceptedCount).toBe(90);
    service.down = 'no';
    await engine.ledger.resume(campaign.n, { now: engine.clock.now(), by: 'operator' });
    const { messages } = await engine.until(campaign, 'finished');
    expect(messages.sent + messages.uncertain).toBe(60);
    expect(messages.uncertain).toBeLessThanOrEqual(5 + 16 + 3);
  });

  it('is not known of numbers that had no message yet: for them there is the breaker of the service', async () => {
    const engine = await openEngine(fastClock(100));
    const service = new TwoNetworks();
    service.down = 'deadline';
    const campaign = await engine.launch(60, { kind: 'transactional' });
    await engine.start(service.provider, { concurrency: 1, claimLimit: 2 });
    await waitFor(async () => (await engine.reader.overview(campaign.n)).messages.uncertain >= 5, {
      what: 'five uncertain',
    });
    expect((await engine.reader.overview(campaign.n)).networks).toBeUndefined();
    expect(await heldOf(engine, campaign.n)).toEqual([]);
  });
});
