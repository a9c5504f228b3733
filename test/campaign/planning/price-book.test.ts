import { expect, it } from 'vitest';
import { PriceBook } from '../../../src/campaign/planning/price-book.ts';

const ACCOUNT = 'client-1';
const FREE = { costMicro: 0, segments: 1, network: '1' };
/** Of an answer without a network. */
const unnamed = (costMicro: number, segments = 1) => ({ costMicro, segments, network: null });

it('an account that pays nothing for ten messages pays nothing, until one costs something', () => {
  const book = new PriceBook(null);
  for (let count = 0; count < 10; count++) {
    expect(book.highest(ACCOUNT)).toBeNull();
    book.saw(ACCOUNT, FREE);
  }
  expect(book.highest(ACCOUNT)).toBe(0);
  book.saw(ACCOUNT, unnamed(800_000));
  expect(book.highest(ACCOUNT)).toBe(800_000);
});

it('a configured price stands', () => {
  expect([new PriceBook([300]).highest(ACCOUNT), new PriceBook([]).highest(ACCOUNT)]).toEqual([300, null]);
  const configured = new PriceBook([300, 500_000, 400]);
  for (let count = 0; count < 10; count++) configured.saw(ACCOUNT, FREE);
  configured.saw(ACCOUNT, unnamed(400_000));
  expect(configured.highest(ACCOUNT)).toBe(500_000);
});

it('what a named network costs is the ledger’s to know: there it falls, too', () => {
  const book = new PriceBook(null);
  book.saw(ACCOUNT, { costMicro: 1_000_000, segments: 1, network: '1' });
  expect(book.highest(ACCOUNT)).toBeNull();
});

it('where answers name no network the highest is held back, whichever came last, and each whole micro of a segment', () => {
  const book = new PriceBook([300, 400, 100]);
  expect(book.highest(ACCOUNT)).toBe(400);
  for (const costMicro of [500_000, 800_000, 600_000]) book.saw(ACCOUNT, unnamed(costMicro));
  expect(book.highest(ACCOUNT)).toBe(800_000);
  book.saw(ACCOUNT, unnamed(1_600_001, 2));
  expect([book.highest(ACCOUNT), book.highest('client-2')]).toEqual([800_001, 400]);
});
