import { noNote } from '../../support/no-note.ts';
import { expect, test } from 'vitest';
import {
  isExpired,
  LeaseQueue,
  placesWithoutSlot,
  type Sending,
  type Waiting,
} from '../../../src/campaign/sending/lease-queue.ts';
import { CLAIM_TTL_MS } from '../../../src/domain/protocol-times.ts';

const CLAIMED = { wall: 1_790_000_000_000, monotonic: 50_000 };
const TEN_YEARS_MS = 10 * 365 * 86_400_000;
const MESSAGE = { seq: 1, attempt: 1, segments: 1, tries: 0, mobile: '254700000001', fields: [], slotAt: 0 };

/** A message that was claimed so long ago by each of the clocks. */
function expires(wallMs: number, monotonicMs: number): boolean {
  const waiting: Waiting = {
    message: MESSAGE,
    slotAt: null,
    claimedAt: { now: CLAIMED.wall, monotonic: CLAIMED.monotonic },
  };
  const clock = {
    now: () => CLAIMED.wall + wallMs,
    monotonic: () => CLAIMED.monotonic + monotonicMs,
    sleep: () => Promise.resolve(),
  };
  return isExpired(waiting, { clock });
}

test.each([
  ['just claimed', 0, 0, false],
  ['of 5 s', CLAIM_TTL_MS, CLAIM_TTL_MS, false],
  ['of more than 5 s by both clocks', CLAIM_TTL_MS + 1, CLAIM_TTL_MS + 1, true],
  ['of more than 5 s by the wall clock alone', CLAIM_TTL_MS + 1, CLAIM_TTL_MS - 1_000, true],
  ['of more than 5 s by the monotonic clock alone', CLAIM_TTL_MS - 1_000, CLAIM_TTL_MS + 1, true],
  ['over which the clocks went 2 s apart', 2_100, 100, false],
  ['over which the wall clock was set forward', 2_101, 100, true],
  ['over which it was set back', -1_901, 100, true],
  ['over which it was set on an hour', 3_600_100, 100, true],
  ['over which it was set back an hour', -3_599_900, 100, true],
  ['over which it was set on ten years', TEN_YEARS_MS, 100, true],
  ['over which the machine slept, and the monotonic clock went on', 100, 2_101, true],
])('whether a claim %s has expired [S6]', (_, wallMs, monotonicMs, is) => {
  expect(expires(wallMs, monotonicMs)).toBe(is);
});

test('whether a claim has expired where the time is that of a database, and the machine slept', () => {
  const waiting: Waiting = {
    message: MESSAGE,
    slotAt: null,
    claimedAt: { now: 7, monotonic: 0, wall: CLAIMED.wall },
  };
  const expiresAt = (wall: number) => {
    const clock = { now: () => 107, monotonic: () => 100, wall: () => wall, sleep: () => Promise.resolve() };
    return isExpired(waiting, { clock });
  };
  expect([100, 2_100, 90_000, -3_600_000].map((ms) => expiresAt(CLAIMED.wall + ms))).toEqual([
    false,
    false,
    true,
    true,
  ]);
});

const CLAIMED_AT = { now: 0, monotonic: 0 };

/** A queue of messages that wait for these slots. */
function queueOf(...slots: (number | null)[]): LeaseQueue {
  const queue = new LeaseQueue({ note: noNote(), bySegment: false } as Sending);
  for (const slotAt of slots) queue.push({ message: MESSAGE, slotAt, claimedAt: CLAIMED_AT });
  return queue;
}

test('of those that missed their slots one that has left is none, nor one that needs no slot', () => {
  const queue = queueOf(10, 20, null, 60, 61);
  queue.shift();
  expect(queue.laterThan(40, 100).map(({ slotAt }) => slotAt)).toEqual([20]);
  expect(queue.laterThan(40, 1_000).map(({ slotAt }) => slotAt)).toEqual([20, 60, 61]);
});

test('requests are kept for slots only where somebody waits for one, and others beside', () => {
  expect(placesWithoutSlot([queueOf(null), queueOf(10)], 32)).toBe(28);
  for (const queues of [
    [queueOf(null)],
    [queueOf(10)],
    [queueOf(null), queueOf(null)],
    [queueOf(null), queueOf()],
  ])
    expect(placesWithoutSlot(queues, 32)).toBe(32);
});
