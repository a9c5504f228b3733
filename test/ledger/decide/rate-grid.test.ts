import fc from 'fast-check';
import { expect, it } from 'vitest';
import { campaignSpacing, jointRate, spacingMs } from '../../../src/domain/pace/rate.ts';
import {
  type Calendar,
  calendarAt,
  freeSlots,
  noSlot,
  takeFrom,
} from '../../../src/ledger/decide/rate-grid.ts';

const EMPTY: Calendar = { origin: 0, spacing: 0, taken: new Uint8Array() };
const NOW = 1_790_000_000_000;

it('without any rate every slot is now', () => {
  const { at } = freeSlots({ now: NOW, count: 3, until: NOW + 1_000, account: null, campaign: null });
  expect(at).toEqual([NOW, NOW, NOW]);
});

it('taken slots are never given again, and those between them are', () => {
  const spacing = spacingMs(10);
  const calendar = calendarAt(EMPTY, { spacing, now: NOW });
  const slow = freeSlots({
    now: NOW,
    count: 3,
    until: NOW + 1_000,
    account: calendar,
    campaign: { next: NOW, spacingMs: 250, slackMs: 0 },
  });
  const taken = takeFrom(calendar, slow.at);
  expect([...taken.taken]).toEqual([1, 0, 0, 1, 0, 0, 1]);
  const rest = freeSlots({ now: NOW, count: 99, until: NOW + 1_000, account: taken, campaign: null });
  expect(rest.at.map((slot) => Math.round((slot - NOW) / spacing))).toEqual([1, 2, 4, 5, 7, 8, 9]);
});

it('a campaign may go nearly as fast as its own rate beside any rate of the account', () => {
  // Slots of the account alone, each one or each second one, would be 25/s and 3/s.
  expect(jointRate(50, 40)).toBeCloseTo(39.2, 1);
  expect(jointRate(6, 5)).toBeCloseTo(4.3, 1);
  for (const share of [1, 2, 3, 7]) expect(jointRate(42, 42 / share)).toBe(42 / share);
  const rate = fc.double({ min: 2, max: 999, noNaN: true });
  fc.assert(
    fc.property(rate, rate, (account, campaign) => {
      const slower = Math.min(account, campaign);
      // Of a second's messages one spacing of the account is lost.
      const most = slower / (1 + slower / Math.floor(slower) / account);
      expect(jointRate(account, campaign)).toBeGreaterThan(most - 1e-9);
    }),
  );
});

it('whatever is taken already, no span of a second holds more of a campaign than its rate [I11]', () => {
  const rate = fc.oneof(fc.integer({ min: 2, max: 400 }), fc.double({ min: 1, max: 99, noNaN: true }));
  fc.assert(
    fc.property(rate, rate, fc.array(fc.boolean(), { maxLength: 300 }), (accountRate, campaign, others) => {
      const grid = calendarAt(EMPTY, { spacing: spacingMs(accountRate), now: NOW });
      const account = { ...grid, taken: Uint8Array.from(others, Number) };
      const schedule = { next: NOW, ...campaignSpacing(accountRate, campaign) };
      const { at } = freeSlots({ now: NOW, count: 300, until: Infinity, account, campaign: schedule });
      const most = Math.floor(campaign);
      for (let index = most; index < at.length; index += 1) {
        const span = (at[index] ?? 0) - (at[index - most] ?? 0);
        expect(span).toBeGreaterThan(most * spacingMs(campaign) - 0.01);
      }
      // A slot off its grid, by what rounding allows, is nearer to the next one of another campaign.
      const places = at.map((slot) => (slot - account.origin) / account.spacing);
      if (schedule.slackMs > 0) for (const place of places) expect(place).toBeCloseTo(Math.round(place), 3);
    }),
  );
});

it('the grid stays where it is as time passes', () => {
  fc.assert(
    fc.property(
      fc.double({ min: 0.5, max: 500, noNaN: true }),
      fc.array(fc.tuple(fc.integer({ min: 0, max: 900 }), fc.integer({ min: 0, max: 60 })), {
        maxLength: 40,
      }),
      (rate, moves) => {
        const spacing = spacingMs(rate);
        let now = NOW;
        let calendar = EMPTY;
        const given: number[] = [];
        for (const [wait, count] of moves) {
          now += wait;
          calendar = calendarAt(calendar, { spacing, now });
          const { at } = freeSlots({ now, count, until: now + 1_000, account: calendar, campaign: null });
          calendar = takeFrom(calendar, at);
          given.push(...at);
        }
        given.sort((a, b) => a - b);
        for (let index = 1; index < given.length; index += 1) {
          const gap = (given[index] ?? 0) - (given[index - 1] ?? 0);
          expect(gap).toBeGreaterThan(spacing * 0.999);
        }
      },
    ),
  );
});

it('without a slot the claim is asked again at the end of the window when it closes first, else in time, never in the past', () => {
  expect(noSlot({ nextAt: NOW + 50, now: NOW, windowClosesAt: NOW + 50 })).toEqual({
    stop: 'rate',
    retryAt: NOW + 50,
  });
  expect(noSlot({ nextAt: NOW + 1_020, now: NOW, windowClosesAt: NOW + 5_000 })).toEqual({
    stop: 'rate',
    retryAt: NOW + 520,
  });
  expect(noSlot({ nextAt: NOW + 100, now: NOW, windowClosesAt: null })).toEqual({
    stop: 'rate',
    retryAt: NOW + 1,
  });
});
