import { expect, it } from 'vitest';
import type { Context } from '../../../src/cli/context.ts';
import { watchCampaign } from '../../../src/cli/terminal/watch-campaign.ts';
import type { Campaign } from '../../../src/domain/campaign.ts';
import { TumaError } from '../../../src/domain/errors.ts';
import type { CampaignOverview } from '../../../src/ledger/contracts/reader.ts';

/* What ends a launch that waits, and so its exit code: time is that of the test. */

const MINUTE = 60_000;
const campaign = { n: 1 } as Campaign;

interface Told {
  /** What the ledger shows after so many milliseconds. */
  at: (ms: number) => Partial<Omit<CampaignOverview, 'messages'>> & { sending?: number };
  waitPausedMs?: number | null;
  /** Sent messages without a report, after so many milliseconds. */
  pending?: (ms: number) => number;
  stopAt?: number;
}

async function watched({ at, waitPausedMs = 10 * MINUTE, pending = () => 0, stopAt = Infinity }: Told) {
  let now = 0;
  const stop = new AbortController();
  const tended: number[] = [];
  const sleep = (ms: number) => {
    now += ms;
    if (now >= stopAt) stop.abort('SIGINT');
    return Promise.resolve();
  };
  const reader = {
    overview: async () => {
      const { sending = 0, ...overview } = { state: 'running', reason: null, ...at(now) };
      return { ...overview, messages: { sending } };
    },
    tallies: () => Promise.resolve({ delivery: { pending: pending(now) } }),
  };
  const clock = { monotonic: () => now, sleep };
  const notes: string[] = [];
  const output = { note: (text: string) => void notes.push(text) };
  const context = { clock, output, signal: stop.signal, reader: () => Promise.resolve(reader) };
  const end = await watchCampaign(context as unknown as Context, {
    campaign,
    waitReportsMs: MINUTE,
    waitPausedMs,
    show: () => undefined,
    showWaiting: () => undefined,
    tend: () => Promise.resolve(void tended.push(now)),
  });
  return { ...end, ms: now, tended, notes };
}

const paused = (reason: CampaignOverview['reason']) => ({ state: 'paused', reason }) as const;

it('a pause is waited for as long as was asked, and not a look less', async () => {
  const end = await watched({ at: () => paused('balance') });
  expect(end).toMatchObject({ end: 'paused', reason: 'balance', ms: 10 * MINUTE });
});

it('pauses that each end in time do not add up', async () => {
  const end = await watched({
    at: (ms) => (ms >= 60 * MINUTE ? { state: 'finished' } : ms % (6 * MINUTE) === 0 ? {} : paused('window')),
  });
  expect(end).toMatchObject({ end: 'settled', ms: 60 * MINUTE });
});

it('a canary that waits for its reports is no pause that somebody must end, and one that failed is', async () => {
  const canary = (verdict: 'waiting' | 'failed') =>
    ({ ...paused('canary'), canary: { verdict } }) as unknown as ReturnType<Told['at']>;
  const end = await watched({ at: (ms) => canary(ms < 60 * MINUTE ? 'waiting' : 'failed') });
  expect(end).toMatchObject({ end: 'paused', reason: 'canary', ms: 70 * MINUTE });
});

it('where there is a person at the terminal no pause is too long', async () => {
  const end = await watched({ at: () => paused('operator'), waitPausedMs: null, stopAt: 60 * MINUTE });
  expect(end).toMatchObject({ end: 'interrupted', ms: 60 * MINUTE });
});

it('a canceled campaign has not ended while something of it is on its way', async () => {
  const end = await watched({ at: (ms) => ({ state: 'canceled', sending: ms < MINUTE ? 3 : 0 }) });
  expect(end).toMatchObject({ end: 'settled', ms: MINUTE });
});

it('reports are waited for until all are in, for a bounded time, and not by one who was stopped', async () => {
  const finished = () => ({ state: 'finished' }) as const;
  expect(await watched({ at: finished })).toMatchObject({ end: 'settled', ms: 0 });
  const late = { at: finished, pending: (ms: number) => (ms < 20_000 ? 5 : 0) };
  expect(await watched(late)).toMatchObject({ end: 'settled', ms: 20_000 });
  const never = { at: finished, pending: () => 1 };
  expect(await watched(never)).toMatchObject({ end: 'settled', ms: MINUTE });
  expect(await watched({ ...never, stopAt: 1_000 })).toMatchObject({ end: 'interrupted', ms: 1_000 });
});

it('a database that does not answer for a while ends no waiting, and is told of once; what is wrong in the ledger does', async () => {
  const outage = { code: 'database_unreachable', message: 'Postgres does not answer.' } as const;
  const down = (from: number, to: number) => (ms: number) => {
    if (ms >= from && ms < to) throw new TumaError(outage.code, outage);
    return ms < 3 * MINUTE ? ({} as const) : ({ state: 'finished' } as const);
  };
  expect(await watched({ at: down(MINUTE, 2 * MINUTE) })).toMatchObject({
    end: 'settled',
    notes: ['Postgres does not answer. It is looked at again.'],
  });
  await expect(watched({ at: down(0, Infinity), stopAt: MINUTE })).rejects.toMatchObject(outage);
  const damaged = () => {
    throw new TumaError('ledger_invalid', { message: 'damaged' });
  };
  await expect(watched({ at: damaged })).rejects.toMatchObject({ code: 'ledger_invalid' });
});

it('somebody who sends is seen to from the start and every few seconds', async () => {
  const { tended } = await watched({ at: (ms) => (ms < 12_000 ? {} : { state: 'finished' }) });
  expect(tended).toEqual([0, 5_000, 10_000]);
});
