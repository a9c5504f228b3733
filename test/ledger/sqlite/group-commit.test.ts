import { once } from 'node:events';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Worker } from 'node:worker_threads';
import { setImmediate as turn } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { askedAddress, askedRight } from '../../../src/ledger/thread/asked.ts';
import { GroupCommit } from '../../../src/ledger/thread/group-commit.ts';
import { faultOf } from '../../../src/ledger/sqlite/sqlite-errors.ts';
import type { Fault, Transactions } from '../../../src/ledger/thread/transactions.ts';
import { SqliteTransactions } from '../../../src/ledger/sqlite/sqlite-transactions.ts';
import { Memory } from '../../../src/ledger/operations/memory.ts';
import { type Operation, operation } from '../../../src/ledger/operations/operation.ts';
import type { ThreadAnswer, ThreadRequest } from '../../../src/ledger/thread/ledger-thread.ts';
import { makeTempDir } from '../../support/temp-home.ts';
import { waitFor } from '../../support/wait-for.ts';

/** What another engine throws when it has undone a transaction. */
const UNDONE = new Error('could not serialize access');

/** A table, a few operations, and everything that was answered, in order. */
/** `longestMs`: without an end, because a busy machine must not split a group. */
function setUp({ longestMs = Infinity }: { longestMs?: number } = {}) {
  const file = join(makeTempDir(), 'test.db');
  const database = new DatabaseSync(file, { timeout: 0 });
  database.exec(
    'PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; CREATE TABLE note (n INTEGER PRIMARY KEY, text TEXT)',
  );
  const insert = database.prepare('INSERT INTO note VALUES (?, ?)');
  const add = (n: number) => {
    insert.run(n, 'x'.repeat(200));
    return n;
  };
  let broke = 0;
  const calls: number[][] = [];
  const memory = new Memory();
  const seen = memory.remember(new Set<number>());
  const times = memory.remember(0);
  const sum = memory.remember(0);
  database.exec('CREATE TABLE sums (n INTEGER)');
  const addSum = database.prepare('INSERT INTO sums VALUES (?)');
  memory.beforeCommit(() => {
    if (sum.value > 0) addSum.run(sum.value);
    sum.set(0);
  });
  const operations: Record<string, Operation> = {
    add,
    lasting: operation({ patienceMs: Infinity }, (n: number) => add(n)),
    /** Counts itself, and fails where its number is there. */
    counted: operation({ patienceMs: Infinity }, (n: number) => {
      times.set(times.value + 1);
      seen.own((set) => new Set(set)).add(n);
      return add(n);
    }),
    /** Its number is added up, and the sum is written before the commit. */
    summed: (n: number) => {
      sum.set(sum.value + n);
      return add(n);
    },
    /** Adds all that wait together, and says which. */
    together: operation({ together: true }, (...all: number[]) => {
      calls.push(all);
      for (const n of all) add(n);
    }),
    hasty: operation({ patienceMs: 60 }, (n: number) => add(n)),
    draft: operation({ durable: false, joins: true }, (n: number) => add(n)),
    fill: (count: number) => {
      for (let n = 0; n < count; n += 1) insert.run(1_000 + n, 'x'.repeat(3_000));
    },
    half: (n: number) => {
      add(n);
      throw new Error('the second half failed');
    },
    halfDraft: operation({ durable: false, joins: true }, (n: number) => {
      add(n);
      throw new Error('the second half failed');
    }),
    slow: (n: number) => {
      const until = performance.now() + 60;
      while (performance.now() < until);
      return add(n);
    },
    breaks: () => {
      broke += 1;
      throw Object.assign(new Error('disk I/O error'), { errcode: 10 });
    },
    synchronous: () => database.prepare('PRAGMA synchronous').get()?.['synchronous'],
  };
  const held = Promise.withResolvers<void>();
  const begun = Promise.withResolvers<void>();
  const hold = async () => {
    begun.resolve();
    await held.promise;
  };
  Object.assign(operations, {
    /** Waits in the middle, as a statement of another engine does. */
    held: async (n: number) => {
      await hold();
      return add(n);
    },
    heldDraft: operation({ durable: false, joins: true }, async (n: number) => {
      await hold();
      return add(n);
    }),
    heldUntilReadOnly: async () => {
      await hold();
      throw Object.assign(new Error('attempt to write a readonly database'), { errcode: 8 });
    },
    asked: async () => {
      const before = [askedAddress(), askedRight()];
      await hold();
      return [before, [askedAddress(), askedRight()]];
    },
  });
  const answers: ThreadAnswer[] = [];
  const groups: number[] = [];
  const port = {
    answer(some: ThreadAnswer[]): void | Promise<void> {
      answers.push(...some);
      groups.push(some.length);
    },
    log: { info: vi.fn(), warn: vi.fn(), error: vi.fn() },
  };
  const transactions: Transactions = Object.assign(new SqliteTransactions(database), {
    faultOf: (error: unknown): Fault => (error === UNDONE ? 'again' : faultOf(error)),
  });
  const runner = new GroupCommit({
    transactions,
    operations,
    memory,
    port,
    longestMs,
  });
  const stored = () => {
    const other = new DatabaseSync(file);
    const rows = other.prepare('SELECT n FROM note WHERE n < 1000 ORDER BY n').all();
    other.close();
    return rows.map(({ n }) => n);
  };
  const answered = (count: number) => waitFor(() => answers.length >= count, { what: `${count} answers` });
  return {
    file,
    database,
    held,
    begun: begun.promise,
    transactions,
    runner,
    answers,
    groups,
    port,
    stored,
    answered,
    timesBroken: () => broke,
    calls,
    sums: () =>
      database
        .prepare('SELECT n FROM sums')
        .all()
        .map(({ n }) => n),
    seen,
    times,
  };
}

let test: ReturnType<typeof setUp>;
beforeEach(() => {
  test = setUp();
});
afterEach(() => {
  if (test.database.isOpen) test.database.close();
});

it('what waits together is committed together and answered after the commit', async () => {
  test.runner.take([
    [1, 'add', [1]],
    [2, 'add', [2]],
  ]);
  test.runner.take([[3, 'add', [3]]]);
  expect(test.answers).toEqual([]);
  await test.runner.drain();
  expect(test.groups).toEqual([3]);
  expect(test.answers).toEqual([
    [1, null, 1],
    [2, null, 2],
    [3, null, 3],
  ]);
  expect(test.stored()).toEqual([1, 2, 3]);
});

it('neighbours of a kind that runs together are one call, except one that somebody asked for', async () => {
  const together = (id: number): ThreadRequest => [id, 'together', [id]];
  const asked: ThreadRequest = [6, 'together', [6], { from: null, right: null } as never];
  test.runner.take([together(1), together(2), [3, 'add', [3]], together(4), together(5), asked, together(7)]);
  await test.runner.drain();
  expect(test.calls).toEqual([[1, 2], [4, 5], [6], [7]]);
  expect(test.answers.map(([id, error]) => [id, error])).toEqual(
    [1, 2, 3, 4, 5, 6, 7].map((id) => [id, null]),
  );
  expect(test.stored()).toEqual([1, 2, 3, 4, 5, 6, 7]);
});

it('where a call of many fails each is called alone, and only what fails alone is refused [I14]', async () => {
  test.runner.take([1, 2, 2, 3].map((n, index): ThreadRequest => [index, 'together', [n]]));
  await test.runner.drain();
  expect(test.calls).toEqual([[1, 2, 2, 3], [1], [2], [2], [3]]);
  expect(test.answers.map(([, error]) => error === null)).toEqual([true, true, false, true]);
  expect(test.stored()).toEqual([1, 2, 3]);
});

it('an operation that fails is undone alone [I14]', async () => {
  test.runner.take([
    [1, 'add', [1]],
    [2, 'add', [1]],
    [3, 'nonsense', [1]],
    [4, 'add', [4]],
  ]);
  await test.runner.drain();
  expect(test.answers.map(([id, error]) => [id, error === null])).toEqual([
    [1, true],
    [2, false],
    [3, false],
    [4, true],
  ]);
  expect(test.stored()).toEqual([1, 4]);
});

it('of an operation that fails half way nothing is left [I14]', async () => {
  test.runner.take([
    [1, 'add', [1]],
    [2, 'half', [2]],
    [3, 'add', [3]],
  ]);
  await test.runner.drain();
  expect(test.answers.map(([id, error]) => [id, error === null])).toEqual([
    [1, true],
    [2, false],
    [3, true],
  ]);
  expect(test.stored()).toEqual([1, 3]);
});

it('what operations remember is as if a group that ran again had run once, and a failed operation never', async () => {
  test.runner.take([
    [1, 'counted', [1]],
    [2, 'counted', [1]],
    [3, 'counted', [3]],
    [4, 'half', [4]],
    [5, 'counted', [5]],
  ]);
  await test.runner.drain();
  expect(test.stored()).toEqual([1, 3, 5]);
  expect([test.times.value, [...test.seen.value]]).toEqual([3, [1, 3, 5]]);
  test.runner.take([[6, 'counted', [6]]]);
  await test.runner.drain();
  expect([test.times.value, [...test.seen.value]]).toEqual([4, [1, 3, 5, 6]]);
});

it('what operations put off to the end of their transaction is written once, and never of one that failed', async () => {
  test.runner.take([
    [1, 'summed', [1]],
    [2, 'summed', [2]],
  ]);
  await test.runner.drain();
  expect(test.sums()).toEqual([3]);
  test.runner.take([
    [3, 'summed', [4]],
    [4, 'half', [4]],
    [5, 'summed', [8]],
    [6, 'summed', [4]],
  ]);
  await test.runner.drain();
  // One failed, so each of the others ran alone.
  expect(test.sums()).toEqual([3, 4, 8]);
});

it('a transaction that a full disk undoes leaves nothing remembered, however often it is tried again [D2]', async () => {
  const { page_count: pages } = test.database.prepare('PRAGMA page_count').get() as { page_count: number };
  test.database.exec(`PRAGMA max_page_count = ${pages + 1}`);
  const many = Array.from({ length: 60 }, (_, n) => [n, 'counted', [n]] as ThreadRequest);
  test.runner.take(many);
  await waitFor(() => test.port.log.error.mock.calls.length > 0, { what: 'the disk to be full' });
  expect([test.times.value, test.seen.value.size]).toEqual([0, 0]);
  test.database.exec('PRAGMA max_page_count = 100000');
  await test.runner.drain();
  expect([test.times.value, test.seen.value.size]).toEqual([60, 60]);
});

it('what takes long is committed before what waits behind it, which is not forgotten', async () => {
  test.database.close();
  test = setUp({ longestMs: 50 });
  test.runner.take([
    [1, 'slow', [1]],
    [2, 'add', [2]],
  ]);
  await test.runner.drain();
  expect(test.groups).toEqual([1, 1]);
  expect(test.stored()).toEqual([1, 2]);
});

it('while another connection holds the lock nothing blocks; what is hasty gives up, the rest is done afterwards [D1]', async () => {
  const other = new DatabaseSync(test.file);
  other.exec('BEGIN IMMEDIATE');
  const started = performance.now();
  test.runner.take([
    [1, 'hasty', [1]],
    [2, 'lasting', [2]],
    [3, 'add', [3]],
  ]);
  let turns = 0;
  let ticking = setImmediate(function tick() {
    turns += 1;
    ticking = setImmediate(tick);
  });
  await test.answered(1);
  clearImmediate(ticking);
  expect(performance.now() - started).toBeGreaterThanOrEqual(60);
  // A wait that blocks leaves one turn: that of the first try.
  expect(turns).toBeGreaterThan(1);
  expect(test.answers).toMatchObject([[1, { code: 'ledger_busy' }, undefined]]);
  expect(test.stored()).toEqual([]);
  other.exec('COMMIT');
  other.close();
  await test.answered(3);
  expect(test.stored()).toEqual([2, 3]);
});

it('the lock of another process is waited for too [D1]', async () => {
  const holder = new Worker(
    `const { DatabaseSync } = require('node:sqlite');
     const { parentPort, workerData } = require('node:worker_threads');
     const database = new DatabaseSync(workerData);
     database.exec('BEGIN EXCLUSIVE');
     parentPort.postMessage('held');
     parentPort.once('message', () => { database.exec('COMMIT'); database.close(); });`,
    { eval: true, workerData: test.file },
  );
  const ended = once(holder, 'exit');
  await once(holder, 'message');
  test.runner.take([[1, 'lasting', [1]]]);
  test.runner.take([[2, 'hasty', [2]]]);
  await test.answered(1);
  holder.postMessage('go', []);
  await test.runner.drain();
  await ended;
  expect(test.answers).toMatchObject([
    [2, { code: 'ledger_busy' }, undefined],
    [1, null, 1],
  ]);
  expect(test.stored()).toEqual([1]);
});

it('with a full disk verdicts wait in memory and are written when there is space; everything else is refused [D2]', async () => {
  const { page_count: pages } = test.database.prepare('PRAGMA page_count').get() as { page_count: number };
  test.database.exec(`PRAGMA max_page_count = ${pages + 3}`);
  test.runner.take([
    [1, 'lasting', [1]],
    [2, 'fill', [50]],
  ]);
  await test.answered(1);
  expect(test.answers).toMatchObject([[2, { code: 'ledger_full' }, undefined]]);
  await test.runner.drain();
  expect(test.answers[1]).toEqual([1, null, 1]);
  test.database
    .prepare('INSERT INTO note SELECT value + 100, zeroblob(200) FROM json_each(?)')
    .run('[1,2,3,4,5,6,7]');
  test.database.exec(
    `PRAGMA max_page_count = ${Number(test.database.prepare('PRAGMA page_count').get()?.['page_count'])}`,
  );
  const many = Array.from(
    { length: 60 },
    (_, index) => [10 + index, 'lasting', [200 + index]] as ThreadRequest,
  );
  test.runner.take(many);
  await waitFor(() => test.port.log.error.mock.calls.length > 0, { what: 'the disk to be full' });
  expect(test.answers).toHaveLength(2);
  test.database.exec('PRAGMA max_page_count = 100000');
  await test.runner.drain();
  expect(test.answers.slice(2).every(([, error]) => error === null)).toBe(true);
  expect(test.stored().filter((n) => Number(n) >= 200)).toHaveLength(60);
});

it('with a full disk verdicts wait also beside an operation that fails by itself [D2]', async () => {
  const { page_count: pages } = test.database.prepare('PRAGMA page_count').get() as { page_count: number };
  test.database.exec(`PRAGMA max_page_count = ${pages + 3}`);
  const verdicts = Array.from({ length: 120 }, (_, n) => [n, 'lasting', [n]] as ThreadRequest);
  test.runner.take([[1_000, 'nonsense', [1]], ...verdicts]);
  await waitFor(() => test.port.log.error.mock.calls.length > 0, { what: 'the disk to be full' });
  expect(test.answers.map(([id]) => id)).toEqual([1_000]);
  test.database.exec('PRAGMA max_page_count = 100000');
  await test.runner.drain();
  expect(test.stored()).toHaveLength(120);
});

it('a transaction that the engine undoes is run again, whole and in its order, and answered once [I14]', async () => {
  const later = async () => await new Promise((resolve) => setImmediate(resolve));
  vi.spyOn(test.transactions, 'begin').mockImplementationOnce(async () => {
    await later();
    throw UNDONE;
  });
  vi.spyOn(test.transactions, 'commit').mockImplementationOnce(async () => {
    await later();
    throw UNDONE;
  });
  test.runner.take([
    [1, 'counted', [7]],
    [2, 'half', [8]],
    [3, 'summed', [9]],
  ]);
  await test.answered(3);
  await test.runner.drain();
  expect(test.answers.map(([id, error]) => [id, error?.message])).toEqual([
    [1, undefined],
    [2, 'the second half failed'],
    [3, undefined],
  ]);
  expect([test.stored(), test.sums(), test.times.value, [...test.seen.value]]).toEqual([[7, 9], [9], 1, [7]]);
});

it('after a disk error nothing is tried again on the connection [D3]', async () => {
  test.runner.take([
    [1, 'lasting', [1]],
    [2, 'breaks', []],
  ]);
  await test.runner.drain();
  expect(test.answers.map(([, error]) => error?.code)).toEqual(['ledger_invalid', 'ledger_invalid']);
  expect(test.timesBroken()).toBe(1);
  test.runner.take([[3, 'lasting', [3]]]);
  await test.runner.drain();
  expect(test.answers[2]).toMatchObject([3, { code: 'ledger_invalid' }, undefined]);
  expect(test.stored()).toEqual([]);
});

it('only a transaction of drafts alone is not synced, and the next one is again', async () => {
  test.runner.take([
    [1, 'draft', [1]],
    [2, 'synchronous', []],
  ]);
  await test.runner.drain();
  expect(test.answers[1]).toEqual([2, null, 2]);
  test.runner.take([[3, 'draft', [3]]]);
  await test.runner.drain();
  expect(test.database.prepare('PRAGMA synchronous').get()).toEqual({ synchronous: 1 });
  test.runner.take([[4, 'synchronous', []]]);
  await test.runner.drain();
  expect(test.answers.at(-1)).toEqual([4, null, 2]);
});

/** Long enough for whatever would run at once. */
async function someTurns(): Promise<void> {
  for (let count = 0; count < 5; count += 1) await turn();
}

it('what arrives while a transaction waits is no part of it, and is run once, in the next one [I14]', async () => {
  test.runner.take([
    [1, 'held', [1]],
    [2, 'add', [2]],
  ]);
  await test.begun;
  test.runner.take([[3, 'add', [3]]]);
  await someTurns();
  expect(test.answers).toEqual([]);
  expect(test.stored()).toEqual([]);
  test.held.resolve();
  await test.runner.drain();
  expect(test.groups).toEqual([2, 1]);
  expect(test.answers.map(([id]) => id)).toEqual([1, 2, 3]);
  expect(test.stored()).toEqual([1, 2, 3]);
});

it('rows of drafts that arrive while others are written join them, and only the last waits for the commit', async () => {
  const stored: unknown[] = [];
  const answer = test.port.answer.bind(test.port);
  test.port.answer = (some) => {
    stored.push(test.stored());
    return answer(some);
  };
  test.runner.take([[1, 'heldDraft', [1]]]);
  await test.begun;
  test.runner.take([[2, 'draft', [2]]]);
  test.held.resolve();
  await test.runner.drain();
  expect(test.answers).toEqual([
    [1, null, 1],
    [2, null, 2],
  ]);
  expect(stored).toEqual([[], [1, 2]]);
});

it('rows of drafts that were answered before the commit are kept when a later operation fails', async () => {
  test.runner.take([
    [1, 'draft', [1]],
    [2, 'draft', [2]],
    [3, 'halfDraft', [3]],
    [4, 'draft', [4]],
  ]);
  await test.runner.drain();
  // The caller takes the first answer of each.
  expect(new Map(test.answers.map(([id, error]) => [id, error?.message ?? null]))).toEqual(
    new Map([
      [1, null],
      [2, null],
      [3, 'the second half failed'],
      [4, null],
    ]),
  );
  expect(test.stored()).toEqual([1, 2, 4]);
});

it('when a transaction of drafts cannot be committed, the last of its callers hears of it', async () => {
  const commit = test.transactions.commit.bind(test.transactions);
  test.transactions.commit = () => {
    test.transactions.commit = commit;
    throw Object.assign(new Error('database or disk is full'), { errcode: 13 });
  };
  test.runner.take([
    [1, 'draft', [1]],
    [2, 'draft', [2]],
  ]);
  await test.runner.drain();
  expect(test.answers.find(([id]) => id === 2)?.[1]).toMatchObject({ code: 'ledger_full' });
  expect(test.stored()).toEqual([]);
});

it('what must be synced is no part of a transaction of drafts, though it arrives while that one waits', async () => {
  test.runner.take([[1, 'heldDraft', [1]]]);
  await test.begun;
  test.runner.take([[2, 'synchronous', []]]);
  test.held.resolve();
  await test.runner.drain();
  expect(test.answers).toEqual([
    [1, null, 1],
    [2, null, 2],
  ]);
});

it('is drained only when the transaction has ended, though nothing else waits', async () => {
  test.runner.take([[1, 'held', [1]]]);
  await test.begun;
  let drained = false;
  const draining = test.runner.drain().then(() => {
    drained = true;
  });
  await someTurns();
  expect(drained).toBe(false);
  test.held.resolve();
  await draining;
  expect(test.answers).toEqual([[1, null, 1]]);
  expect(test.stored()).toEqual([1]);
});

it('a transaction that waits while its connection is given up is not committed [D3]', async () => {
  test.runner.take([[1, 'held', [1]]]);
  await test.begun;
  await test.runner.fault(Object.assign(new Error('disk I/O error'), { errcode: 10 }));
  test.held.resolve();
  await test.runner.drain();
  expect(test.answers).toMatchObject([[1, { code: 'ledger_invalid' }, undefined]]);
  expect(test.stored()).toEqual([]);
});

it('a verdict that arrives while a transaction waits is not refused with it', async () => {
  test.runner.take([[1, 'heldUntilReadOnly', []]]);
  await test.begun;
  test.runner.take([[2, 'lasting', [2]]]);
  test.held.resolve();
  await test.runner.drain();
  expect(test.answers).toMatchObject([
    [1, { code: 'ledger_invalid' }, undefined],
    [2, null, 2],
  ]);
  expect(test.stored()).toEqual([2]);
});

it('the next transaction begins when the answers of the last one are out, so that its claims can be noted before', async () => {
  const answer = test.port.answer.bind(test.port);
  const out = Promise.withResolvers<void>();
  const committed = Promise.withResolvers<void>();
  test.port.answer = async (some) => {
    committed.resolve();
    await out.promise;
    await answer(some);
  };
  test.runner.take([[1, 'add', [1]]]);
  await committed.promise;
  test.runner.take([[2, 'add', [2]]]);
  await someTurns();
  expect([test.database.isTransaction, test.stored()]).toEqual([false, [1]]);
  out.resolve();
  await test.runner.drain();
  expect(test.groups).toEqual([1, 1]);
  expect(test.stored()).toEqual([1, 2]);
});

it('an operation knows who asked for it until its end, and no other one takes that over', async () => {
  const asked = { from: '10.0.0.7', right: { of: { user: 'amina' }, role: 'operator' as const } };
  test.runner.take([
    [1, 'asked', [], asked],
    [2, 'asked', []],
  ]);
  await test.begun;
  await someTurns();
  test.held.resolve();
  await test.runner.drain();
  const known = ['10.0.0.7', asked.right];
  expect(test.answers).toEqual([
    [1, null, [known, known]],
    [
      2,
      null,
      [
        [null, null],
        [null, null],
      ],
    ],
  ]);
});
