import { expect, test } from 'vitest';
import { KnownCredit } from '../../../src/campaign/sending/known-credit.ts';
import type { SendResult } from '../../../src/provider/provider.ts';
import { watchPauses } from '../../../src/campaign/maintenance/watch.ts';
import type { Campaign } from '../../../src/domain/campaign.ts';
import { TumaError } from '../../../src/domain/errors.ts';

const ACCOUNT = 'C-100';

/** Looks at a campaign that is paused for its balance, with so much credit each; `busy` looks find the ledger locked. */
async function resumed(credits: number[], busy: number[] = []): Promise<number[]> {
  let look = -1;
  const at: number[] = [];
  const ledger = {
    beginReading: async () => ({ spentMicro: 0, inFlight: 0 }),
    recordReading: async () => ({ releasedMicro: 0, moved: false }),
    resume: async () => {
      if (busy.includes(look)) throw new TumaError('ledger_busy', { message: 'busy' });
      at.push(look);
      return true;
    },
  };
  const provider = {
    balance: async () => ({ outcome: 'balance', creditMicro: credits[look], clientId: ACCOUNT }),
  };
  const clock = { now: () => look, monotonic: () => look, sleep: () => Promise.resolve() };
  const log = { info: () => undefined };
  const credit = new KnownCredit();
  credit.tooLittle(ACCOUNT, 0);
  const worker = { env: { ledger, provider, clock, log }, credit };
  const campaign = { n: 1, id: 'a', account: ACCOUNT, reason: 'balance', settings: {} };
  for (look = 0; look < credits.length; look += 1)
    await watchPauses(worker as never, [campaign as unknown as Campaign]).catch((error: unknown) => {
      expect(error).toMatchObject({ code: 'ledger_busy' });
    });
  return at;
}

test('goes on when the credit has risen, once', async () => {
  expect(await resumed([0, 0, 5, 5, 4, 5])).toEqual([2, 5]);
});

test('goes on at the next look when the ledger was locked at the one that saw the credit rise', async () => {
  expect(await resumed([0, 5, 5, 5], [1])).toEqual([2]);
});

test('lets go on what Tuma itself paused and what may: an open window, a risen credit of its account; nothing of a person', async () => {
  const went: unknown[] = [];
  const ledger = {
    beginReading: async () => ({ spentMicro: 0, inFlight: 0 }),
    recordReading: async () => ({ releasedMicro: 0, moved: false }),
    resume: async (n: number, { by, reasons }: { by: string; reasons: string[] }) => {
      went.push([n, by, ...reasons]);
      return true;
    },
  };
  const balance = async () => ({ outcome: 'balance', creditMicro: 5, clientId: ACCOUNT });
  const clock = {
    now: () => Date.parse('2026-11-27T12:00Z'),
    monotonic: () => 7,
    sleep: async () => undefined,
  };
  const env = { ledger, provider: { balance }, clock, log: { info: () => undefined } };
  const credit = new KnownCredit();
  const worker = { env, credit };
  const hours = (fromMinute: number, toMinute: number) => ({
    window: { fromMinute, toMinute, days: [1, 2, 3, 4, 5, 6, 7] },
    zone: 'UTC',
  });
  const paused = [
    { n: 1, reason: 'operator', account: ACCOUNT, settings: hours(0, 1440) },
    { n: 2, reason: 'window', account: ACCOUNT, settings: hours(480, 1080) },
    { n: 3, reason: 'window', account: ACCOUNT, settings: hours(780, 1080) },
    { n: 4, reason: 'balance', account: ACCOUNT, settings: hours(0, 1440) },
    { n: 5, reason: 'balance', account: 'C-200', settings: hours(0, 1440) },
  ];
  await watchPauses(worker as never, paused as unknown as Campaign[]);
  expect(went).toEqual([
    [2, 'worker', 'window'],
    [4, 'worker', 'balance'],
  ]);
  // Only a refusal of what left since then says that the risen credit is too little.
  const refused = { outcome: 'refused', refusal: 'credit' } as SendResult;
  const goesOn = async (dispatchedAt: number) => {
    credit.answered(refused, { account: ACCOUNT, segments: 1, dispatchedAt });
    let went = false;
    await credit.goOnIfRisen(ACCOUNT, { creditMicro: 5, now: 7 }, async () => {
      went = true;
    });
    return went;
  };
  expect([await goesOn(7), await goesOn(6)]).toEqual([false, true]);
});
