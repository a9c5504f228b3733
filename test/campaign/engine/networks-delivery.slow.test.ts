import { describe, expect, it } from 'vitest';
import { waitFor } from '../../support/wait-for.ts';
import { type Engine, fastClock, openEngine } from './engine.ts';
import { ScriptedProvider } from './scripted-provider.ts';

/** Every second number is at the network B. */
const networkOf = (mobile: string) => (/[02468]$/.test(mobile) ? 'B' : 'A');

const SAID = {
  delivered: { word: 'DeliveredToTerminal', delivery: 'delivered', reason: null },
  absent: { word: 'AbsentSubscriber', delivery: 'undelivered', reason: 'AbsentSubscriber' },
} as const;

/** One webhook with a report for each message of the campaign that is sent and has none. Answers how many. */
async function reportAll(engine: Engine, campaign: number, failing: string | null): Promise<number> {
  const { ledger, clock, reader } = engine;
  const rows = await reader.messages({ campaign, afterSeq: 0, limit: 10_000, states: ['sent'] });
  const reports = rows
    .filter(({ delivery }) => delivery === 'pending')
    .map(({ messageId, network }) => ({
      ...SAID[network === failing ? 'absent' : 'delivered'],
      messageId: messageId ?? '',
      mobile: null,
      network: null,
      at: null,
    }));
  if (reports.length === 0) return 0;
  const now = clock.now();
  const body = new TextEncoder().encode(reports.map(({ messageId }) => messageId).join());
  const shape = { method: 'POST', contentType: 'application/json', query: '', ip: '127.0.0.1' };
  await ledger.storeWebhook({ receivedAt: now, body, ...shape });
  const [raw] = await ledger.newWebhooks(1);
  await ledger.recordReports([{ webhook: raw?.webhook ?? 0, kind: 'report', reports, now }]);
  return reports.length;
}

describe('a network that takes everything and delivers nothing', () => {
  it('holds its messages of that campaign and no others, and they go when a few of them arrive', async () => {
    const engine = await openEngine(fastClock(150));
    const provider = new ScriptedProvider({ network: networkOf });
    const before = await engine.launch(200, { kind: 'transactional' });
    await engine.start(provider, { concurrency: 4, claimLimit: 16 });
    await engine.until(before, 'finished');
    // Slow enough for its reports to count while it is under way: two messages a second.
    const campaign = await engine.launch(200, { kind: 'transactional', ratePerSecond: 2 });
    const sentTo = async (network: string) => {
      const rows = await engine.reader.messages({
        campaign: campaign.n,
        afterSeq: 0,
        limit: 10_000,
        states: ['sent'],
      });
      return rows.filter((row) => row.network === network).length;
    };
    const networks = async () => (await engine.reader.overview(campaign.n)).networks ?? [];
    const held = async () => {
      await reportAll(engine, campaign.n, 'B');
      return (await networks()).length > 0;
    };
    await waitFor(held, { what: 'B to be held' });
    expect(await networks()).toMatchObject([{ network: 'B', cause: 'delivery' }]);
    await waitFor(async () => (await sentTo('A')) === 100, { what: 'everything to A' });
    expect(await sentTo('B')).toBeLessThan(75);
    expect((await engine.reader.overview(campaign.n)).state).toBe('running');
    const well = async () => {
      await reportAll(engine, campaign.n, null);
      return (await networks()).length === 0;
    };
    await waitFor(well, { what: 'B to be well' });
    await engine.until(campaign, 'finished');
    expect(provider.doubles).toBe(200);
    expect(Math.max(...provider.accepted.values())).toBe(2);
    expect(await engine.reader.violations(null)).toEqual([]);
  });
});
