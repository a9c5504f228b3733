import { expect, it } from 'vitest';
import { awaitInFlight } from '../../../src/campaign/operator/await-in-flight.ts';
import { TumaError } from '../../../src/domain/errors.ts';
import type { CampaignOverview } from '../../../src/ledger/contracts/reader.ts';

/** A campaign with so many messages in flight at each look. */
function watched(sending: number[], isWorkerAlive: () => Promise<boolean>) {
  const overviewOf = (count: number) =>
    ({ campaign: { n: 1 }, messages: { sending: count } }) as unknown as CampaignOverview;
  let now = 0;
  const clock = {
    now: () => now,
    monotonic: () => now,
    sleep: async (ms: number) => void (now += ms),
  };
  const left = [...sending];
  const reader = { overview: async () => overviewOf(left.shift() ?? sending.at(-1) ?? 0) };
  const { signal } = new AbortController();
  const waited = awaitInFlight({ clock, reader, isWorkerAlive, signal, mostMs: 10_000 }, overviewOf(9));
  return waited.then(({ messages }) => ({ sending: messages.sending, waitedMs: now }));
}

it('waits until nothing is in flight', async () => {
  expect(await watched([5, 2, 0], async () => true)).toEqual({ sending: 0, waitedMs: 600 });
});

it('waits no longer than it may, and says what is in flight then', async () => {
  expect(await watched([3], async () => true)).toEqual({ sending: 3, waitedMs: 10_000 });
});

it('does not wait where no worker lives', async () => {
  expect(await watched([3], async () => false)).toEqual({ sending: 3, waitedMs: 0 });
});

it('goes on when the ledger is too busy to say whether a worker lives', async () => {
  const busy = async () => {
    throw new TumaError('ledger_busy', { message: 'busy' });
  };
  expect(await watched([5, 0], busy)).toMatchObject({ sending: 0 });
});
