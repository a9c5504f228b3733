import { expect, it } from 'vitest';
import { countsFrom, isNewReply, isStopAgain, timeOf } from '../../../src/ledger/decide/wishes.ts';

const STOP = { at: null, wish: 'stop' as const };
const START = { at: null, wish: 'start' as const };
const CAME = { firstAt: 100, receivedAt: 200 };

it('a known reply counts again only when it was taken back and is said anew, or when its words are read better', () => {
  const known = { webhook: 1, at: null, wish: null, voidedAt: null };
  const timed = { at: 5, wish: 'stop' as const };
  expect(isNewReply(STOP, 1, undefined)).toBe(true);
  expect(isNewReply(STOP, 1, { ...known, wish: 'stop' })).toBe(false);
  expect(isNewReply(timed, 1, { ...known, voidedAt: 9 })).toBe(false);
  expect(isNewReply(timed, 2, { ...known, voidedAt: 9 })).toBe(true);
  expect(isNewReply(STOP, 1, { ...known, voidedAt: 9 })).toBe(true);
  expect(isNewReply(STOP, 1, known)).toBe(true);
  expect(isNewReply(STOP, 1, { ...known, wish: 'maybe_stop' })).toBe(true);
  expect(isNewReply(STOP, 2, known)).toBe(false);
  expect(isNewReply(START, 1, { ...known, wish: 'stop' })).toBe(false);
});

it('a repeated STOP without a time is another STOP, unless its webhook is only read again', () => {
  const again = { isReread: false, isAsked: true };
  expect(isStopAgain(STOP, again)).toBe(true);
  expect(isStopAgain({ ...STOP, at: 5 }, again)).toBe(false);
  expect(isStopAgain(START, again)).toBe(false);
  expect(isStopAgain(STOP, { isReread: true, isAsked: true })).toBe(false);
  expect(isStopAgain(STOP, { isReread: true, isAsked: false })).toBe(true);
});

it('a repeated START lets nobody back in, and a late one counts from its own time', () => {
  expect(countsFrom(STOP, CAME, false)).toBe(200);
  expect(countsFrom({ ...STOP, at: 5 }, CAME, false)).toBe(100);
  expect(countsFrom(START, CAME, true)).toBe(100);
  expect(countsFrom({ ...START, at: 5 }, CAME, true)).toBe(5);
  expect(countsFrom({ ...START, at: 5 }, CAME, false)).toBe(100);
});

it('a person and a STOP win over clocks that were ahead', () => {
  const stop = { at: 10, change: 'added' as const, webhook: 7, now: 20 };
  expect(timeOf(stop, { latestAt: 15, returnedAt: 0 })).toBe(10);
  expect(timeOf(stop, { latestAt: 15, returnedAt: 12 })).toBe(12);
  expect(timeOf(stop, { latestAt: 99, returnedAt: 0 })).toBe(99);
  expect(timeOf({ ...stop, change: 'removed' }, { latestAt: 99, returnedAt: 0 })).toBe(10);
  expect(timeOf({ ...stop, change: 'removed', webhook: null }, { latestAt: 99, returnedAt: 0 })).toBe(99);
});
