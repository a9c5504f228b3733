import { expect, it } from 'vitest';
import { PriceBook } from '../../src/campaign/price-book.ts';

const ACCOUNT = 'client-1';

it('a first message that costs nothing is no price yet', () => {
  const book = new PriceBook(null);
  book.saw(ACCOUNT, 0, 1);
  expect(book.highest(ACCOUNT)).toBeNull();
  book.saw(ACCOUNT, 1_600_000, 2);
  book.saw(ACCOUNT, 0, 1);
  expect(book.highest(ACCOUNT)).toBe(800_000);
});

it('an account that pays nothing for ten messages pays nothing, until one costs something', () => {
  const book = new PriceBook(null);
  for (let count = 0; count < 10; count++) {
    expect(book.highest(ACCOUNT)).toBeNull();
    book.saw(ACCOUNT, 0, 1);
  }
  expect(book.highest(ACCOUNT)).toBe(0);
  book.saw(ACCOUNT, 800_000, 1);
  expect(book.highest(ACCOUNT)).toBe(800_000);
});

it('a configured price stands', () => {
  const configured = new PriceBook([500_000]);
  configured.saw(ACCOUNT, 0, 1);
  expect(configured.highest(ACCOUNT)).toBe(500_000);
});

it('holds back what the dearest network costs, whichever answered last, and each whole micro of a segment', () => {
  const book = new PriceBook([300, 400, 100]);
  expect(book.highest(ACCOUNT)).toBe(400);
  for (const costMicro of [500_000, 800_000, 600_000]) book.saw(ACCOUNT, costMicro, 1);
  expect(book.highest(ACCOUNT)).toBe(800_000);
  book.saw(ACCOUNT, 1_600_001, 2);
  expect([book.highest(ACCOUNT), book.highest('client-2')]).toEqual([800_001, 400]);
});
