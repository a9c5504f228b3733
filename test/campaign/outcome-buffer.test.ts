import { expect, it, vi } from 'vitest';
import { OutcomeBuffer } from '../../src/campaign/outcome-buffer.ts';
import type { Outcome, OutcomeRecord, OutcomeResult } from '../../src/ledger/sending.ts';
import { systemClock } from '../../src/system-clock.ts';

/** A ledger that answers each question when it is told to. */
function slowLedger() {
  const asked: { outcomes: Outcome[]; take: () => void; refuse: () => void }[] = [];
  const recordOutcomes = ({ outcomes }: OutcomeRecord) =>
    new Promise<OutcomeResult[]>((resolve, reject) => {
      asked.push({
        outcomes,
        take: () => resolve(outcomes.map(() => 'recorded')),
        refuse: () => reject(new Error('CHECK constraint failed')),
      });
    });
  const next = async () => {
    await vi.waitFor(() => expect(asked.length).toBeGreaterThan(0));
    return asked.shift() as (typeof asked)[number];
  };
  return { recordOutcomes, asked, next };
}

/** A clock that stands still, and sleeps until it is told to go on. */
function stillClock() {
  const sleeping: (() => void)[] = [];
  const still = { at: 0 };
  const sleep = () => new Promise<void>((wake) => void sleeping.push(wake));
  const clock = { ...systemClock, monotonic: () => still.at, sleep };
  return { clock, sleeping, still };
}

function openBuffer(clock = systemClock) {
  const ledger = slowLedger();
  const silent = { info: () => undefined, warn: () => undefined, error: () => undefined };
  const env = { clock, ledger: ledger as never, log: silent as never };
  let committed = 0;
  const buffer = new OutcomeBuffer({ env, committed: (count) => (committed += count) });
  const add = (seq: number) =>
    buffer.add(
      { campaign: 1, seq, attempt: 1, sendMs: 1, evidence: null, to: 'uncertain', reason: 'lost' },
      { lane: { worker: 1 }, pause: null },
    );
  return { ledger, buffer, add, committed: () => committed };
}

it('hands over together what was decided in one turn, and at once when somebody claims', async () => {
  const { ledger, buffer, add, committed } = openBuffer();
  add(1);
  add(2);
  const first = await ledger.next();
  expect(first.outcomes.map(({ seq }) => seq)).toEqual([1, 2]);
  add(3);
  expect(ledger.asked).toEqual([]);
  buffer.handOver();
  expect(ledger.asked.map(({ outcomes }) => outcomes.map(({ seq }) => seq))).toEqual([[3]]);
  first.take();
  (await ledger.next()).take();
  await vi.waitFor(() => expect(committed()).toBe(3));
  expect([buffer.pending, buffer.refused]).toEqual([0, 0]);
});

it('what comes soon after others goes with the next claim, or after some milliseconds, and never while others are under way', async () => {
  const { clock, sleeping, still } = stillClock();
  const { ledger, buffer, add } = openBuffer(clock);
  const wakeOne = async () => {
    await vi.waitFor(() => expect(sleeping).toHaveLength(1));
    sleeping.shift()?.();
  };
  add(1);
  const first = await ledger.next();
  add(2);
  add(3);
  await wakeOne();
  expect(ledger.asked).toEqual([]);
  first.take();
  const second = await ledger.next();
  expect(second.outcomes.map(({ seq }) => seq)).toEqual([2, 3]);
  second.take();
  await vi.waitFor(() => expect(buffer.pending).toBe(0));

  still.at = 19;
  add(4);
  buffer.handOver();
  const withClaim = await ledger.next();
  expect(withClaim.outcomes.map(({ seq }) => seq)).toEqual([4]);
  withClaim.take();
  await vi.waitFor(() => expect(buffer.pending).toBe(0));
  await wakeOne();
  expect(ledger.asked).toEqual([]);

  still.at = 19 + 20;
  add(5);
  expect((await ledger.next()).outcomes.map(({ seq }) => seq)).toEqual([5]);
  expect(sleeping).toEqual([]);
});

it('I5 counts a refused group at once, before it is known which verdict it is about, and for ever what nobody records', async () => {
  const { ledger, buffer, add, committed } = openBuffer();
  add(1);
  add(2);
  (await ledger.next()).refuse();
  // Asked whether the ledger takes anything at all: it does.
  const probe = await ledger.next();
  expect(probe.outcomes).toEqual([]);
  expect(buffer.refused).toBe(2);
  probe.take();
  (await ledger.next()).take();
  // The second one, its probe, and even as `uncertain`.
  (await ledger.next()).refuse();
  (await ledger.next()).take();
  (await ledger.next()).refuse();
  await vi.waitFor(() => expect(committed()).toBe(2));
  expect([buffer.pending, buffer.refused]).toEqual([0, 1]);
});
