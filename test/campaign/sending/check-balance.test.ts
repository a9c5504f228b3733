import { expect, test } from 'vitest';
import { checkBalance } from '../../../src/campaign/sending/check-balance.ts';
import type { BalanceResult } from '../../../src/provider/provider.ts';

const ACCOUNT = 'C-100';
const seen = { httpStatus: 200, code: '200', words: 'words', raw: null };

/** What a balance call allows, of a ledger that counted so much before and learns so much by it. */
function funds(
  answer: Partial<BalanceResult>,
  { spentMicro = 0, inFlight = 0, releasedMicro = 0, moved = false } = {},
) {
  const calls: string[] = [];
  const ledger = {
    beginReading: async () => (calls.push('begun'), { spentMicro, inFlight }),
    recordReading: async () => (calls.push('recorded'), { releasedMicro, moved }),
  };
  const balance = async () => (calls.push('asked'), { ...seen, ...answer });
  const env = { ledger, provider: { balance }, clock: { now: () => 1 } };
  return checkBalance(env as never, ACCOUNT).then((result) => ({ result, calls }));
}

const balance = { outcome: 'balance', creditMicro: 1_000, clientId: ACCOUNT } as const;

test('what may be spent is the credit, what had been spent before the call, and what uncertain messages held back', async () => {
  const { result, calls } = await funds(balance, { spentMicro: 70, releasedMicro: 5 });
  expect(result).toEqual({ state: 'known', ceilingMicro: 1_075, creditMicro: 1_000, unsettled: false });
  expect(calls).toEqual(['begun', 'asked', 'recorded']);
});

test.each([{ inFlight: 1 }, { moved: true }])('it may soon be more: %o', async (totals) => {
  expect((await funds(balance, totals)).result).toMatchObject({ unsettled: true });
});

test('the credit of another account is nobody’s here, and no reading', async () => {
  const { result, calls } = await funds({ ...balance, clientId: 'C-200' });
  expect(result).toMatchObject({ state: 'refused', pause: 'credentials' });
  expect(calls).not.toContain('recorded');
});

test.each([
  ['credentials', { state: 'refused', pause: 'credentials', words: 'words' }],
  ['credit', { state: 'refused', pause: 'balance', words: 'words' }],
  ['request', { state: 'unknown', words: 'words' }],
] as const)('a call that is refused for its %s', async (refusal, expected) => {
  expect((await funds({ outcome: 'refused', refusal })).result).toEqual(expected);
});

test('a call that says nothing is unknown', async () => {
  expect((await funds({ outcome: 'unknown' })).result).toEqual({ state: 'unknown', words: 'words' });
});
