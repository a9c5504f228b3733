import { noNote } from '../../support/no-note.ts';
import { expect, it, vi } from 'vitest';
import { OutcomeBuffer } from '../../../src/campaign/sending/outcome-buffer.ts';
import type { PauseReason } from '../../../src/domain/campaign.ts';
import type { OutcomeRecord, OutcomeResult } from '../../../src/ledger/contracts/sending.ts';
import { systemClock } from '../../../src/system/clock.ts';
import { PATIENCE_MS } from '../../support/wait-for.ts';

/** A busy machine needs some, and each look is soon. */
const PATIENCE = { timeout: PATIENCE_MS, interval: 5 };

/** A ledger that answers each question when it is told to. */
function slowLedger() {
  const asked: (Omit<OutcomeRecord, 'now'> & { take: () => void; refuse: () => void })[] = [];
  const recordOutcomes = ({ outcomes, pauses, worker }: OutcomeRecord) =>
    new Promise<OutcomeResult[]>((resolve, reject) => {
      asked.push({
        outcomes,
        pauses,
        worker,
        take: () => resolve(outcomes.map(() => 'recorded')),
        refuse: () => reject(new Error('CHECK constraint failed')),
      });
    });
  const next = async () => {
    await vi.waitFor(() => expect(asked.length).toBeGreaterThan(0), PATIENCE);
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
  const add = (seq: number, pause: PauseReason | null = null, worker = 1) =>
    buffer.add(
      { campaign: 1, seq, attempt: 1, sendMs: 1, evidence: null, to: 'uncertain', reason: 'answer lost' },
      { source: { note: noNote(worker) }, pause },
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
  await vi.waitFor(() => expect(committed()).toBe(3), PATIENCE);
  expect([buffer.pending, buffer.refused]).toEqual([0, 0]);
});

it('what comes soon after others goes with the next claim, or after some milliseconds, and never while others are under way', async () => {
  const { clock, sleeping, still } = stillClock();
  const { ledger, buffer, add } = openBuffer(clock);
  const wakeOne = async () => {
    await vi.waitFor(() => expect(sleeping).toHaveLength(1), PATIENCE);
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
  await vi.waitFor(() => expect(buffer.pending).toBe(0), PATIENCE);

  still.at = 19;
  add(4);
  buffer.handOver();
  const withClaim = await ledger.next();
  expect(withClaim.outcomes.map(({ seq }) => seq)).toEqual([4]);
  withClaim.take();
  await vi.waitFor(() => expect(buffer.pending).toBe(0), PATIENCE);
  await wakeOne();
  expect(ledger.asked).toEqual([]);

  still.at = 19 + 20;
  add(5);
  const late = await ledger.next();
  expect(late.outcomes.map(({ seq }) => seq)).toEqual([5]);
  expect(sleeping).toEqual([]);
  late.take();
  await vi.waitFor(() => expect(buffer.pending).toBe(0), PATIENCE);

  // The last of a campaign: no claim comes behind them.
  add(6);
  await wakeOne();
  expect((await ledger.next()).outcomes.map(({ seq }) => seq)).toEqual([6]);
});

it('a pause goes into the commit of its verdict, and into no later one', async () => {
  const { ledger, buffer, add } = openBuffer();
  add(1);
  add(2, 'credentials');
  buffer.handOver();
  add(3);
  buffer.handOver();
  expect(ledger.asked.map(({ pauses }) => pauses)).toEqual([[{ campaign: 1, reason: 'credentials' }], []]);
});

it('verdicts of what another worker had claimed, as this process was before it began anew, are recorded as its own', () => {
  const { ledger, buffer, add } = openBuffer();
  for (const [seq, worker] of [7, 8, 7].entries()) add(seq, null, worker);
  buffer.handOver();
  const recorded = ledger.asked.map(({ worker, outcomes }) => [worker, outcomes.map(({ seq }) => seq)]);
  expect(recorded).toEqual([
    [7, [0, 2]],
    [8, [1]],
  ]);
});

it('a ledger that takes nothing at all is asked again for the whole group, which is pending until it takes it', async () => {
  const { clock, sleeping } = stillClock();
  const { ledger, buffer, add, committed } = openBuffer(clock);
  add(1);
  add(2);
  for (const time of [1, 2]) {
    (await ledger.next()).refuse();
    (await ledger.next()).refuse();
    await vi.waitFor(() => expect(sleeping).toHaveLength(1), PATIENCE);
    expect([time, buffer.pending, buffer.refused, ledger.asked]).toEqual([time, 2, 2, []]);
    sleeping.shift()?.();
  }
  const last = await ledger.next();
  expect(last.outcomes.map(({ seq }) => seq)).toEqual([1, 2]);
  last.take();
  await vi.waitFor(() => expect([committed(), buffer.pending, buffer.refused]).toEqual([2, 0, 0]), PATIENCE);
});

it('counts a refused group at once, before it is known which verdict it is about, and for ever what nobody records [I5]', async () => {
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
  await vi.waitFor(() => expect(committed()).toBe(2), PATIENCE);
  expect([buffer.pending, buffer.refused]).toEqual([0, 1]);
});
