import { expect, it } from 'vitest';
import { type MoveEnv, moveLedger } from '../../../src/campaign/operator/move-ledger.ts';
import { TumaError } from '../../../src/domain/errors.ts';
import type { LedgerMove } from '../../../src/ledger/contracts/ledger-move.ts';

const MOVED = { to: 'db/sms, schema tuma', rows: 9, campaigns: 1, messages: 4 };

/** A move whose wire is empty after so many looks; it writes down what it is told to do. */
function moveOf({
  looks = 0,
  begins = 'begun',
  fails = false,
}: {
  looks?: number;
  begins?: 'begun' | 'moved';
  fails?: boolean;
}) {
  const did: string[] = [];
  let left = looks;
  const move: LedgerMove = {
    to: MOVED.to,
    begin: async () => (did.push('begin'), begins),
    sending: () => Math.max(0, left--),
    carryOver: async () => {
      did.push('carry over');
      if (fails) throw new TumaError('database_unreachable', { message: 'gone' });
      return MOVED;
    },
    open: async () => void did.push('open'),
    takeBack: async () => void did.push('take back'),
    close: async () => undefined,
  };
  return { move, did };
}

function env(): { env: MoveEnv; waited: number[]; reaped: () => number } {
  const waited: number[] = [];
  let reaped = 0;
  const otherWorkers = async () => {
    reaped += 1;
    return [];
  };
  const parts = {
    clock: { now: () => 0, monotonic: () => 0, sleep: async () => undefined },
    ledger: async () => ({ otherWorkers }),
    signal: new AbortController().signal,
    waiting: (sending: number) => void waited.push(sending),
    progress: () => undefined,
  };
  return { env: parts as unknown as MoveEnv, waited, reaped: () => reaped };
}

it('waits for the wire, and looks for dead workers meanwhile', async () => {
  const { move, did } = moveOf({ looks: 4 });
  const given = env();
  expect(await moveLedger(given.env, move)).toEqual(MOVED);
  expect(given.waited).toEqual([4, 2]);
  expect(given.reaped()).toBe(2);
  expect(did).toEqual(['begin', 'carry over', 'open']);
});

it('only opens what an earlier run has carried over', async () => {
  const { move, did } = moveOf({ begins: 'moved' });
  expect(await moveLedger(env().env, move)).toBeNull();
  expect(did).toEqual(['begin', 'open']);
});

it('takes the move back when it fails, and opens nothing', async () => {
  const { move, did } = moveOf({ fails: true });
  await expect(moveLedger(env().env, move)).rejects.toMatchObject({ code: 'database_unreachable' });
  expect(did).toEqual(['begin', 'carry over', 'take back']);
});
