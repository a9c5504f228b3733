import { expect, it } from 'vitest';
import { PriceBook } from '../../src/campaign/price-book.ts';

const ACCOUNT = 'client-1';

function bookOf(costMicro: number | null, configured: number[] | null = null): PriceBook {
  const known = costMicro === null ? [] : [{ network: '1', segments: 1, costMicro }];
  return new PriceBook({ knownPrices: async () => known }, configured);
}

it('a first message that costs nothing is no price yet, also where the ledger knows no other', async () => {
  const book = bookOf(0);
  await book.open(ACCOUNT);
  book.saw(ACCOUNT, 0, 1);
  expect(book.highest(ACCOUNT)).toBeNull();
  book.saw(ACCOUNT, 1_600_000, 2);
  book.saw(ACCOUNT, 0, 1);
  expect(book.highest(ACCOUNT)).toBe(800_000);
});

it('an account that pays nothing for ten messages pays nothing, until one costs something', () => {
  const book = bookOf(null);
  for (let count = 0; count < 10; count++) {
    expect(book.highest(ACCOUNT)).toBeNull();
    book.saw(ACCOUNT, 0, 1);
  }
  expect(book.highest(ACCOUNT)).toBe(0);
  book.saw(ACCOUNT, 800_000, 1);
  expect(book.highest(ACCOUNT)).toBe(800_000);
});

it('a configured price stands, and a price that was paid before is known at once', async () => {
  const configured = bookOf(null, [500_000]);
  configured.saw(ACCOUNT, 0, 1);
  expect(configured.highest(ACCOUNT)).toBe(500_000);
  const paid = bookOf(700_000);
  await paid.open(ACCOUNT);
  expect(paid.highest(ACCOUNT)).toBe(700_000);
});
