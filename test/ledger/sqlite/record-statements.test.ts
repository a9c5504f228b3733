import { DatabaseSync, type SQLInputValue } from 'node:sqlite';
import { expect, it } from 'vitest';
import { getEach, runEach, type Statement, type Values } from '../../../src/ledger/connection.ts';
import type { NewReply } from '../../../src/ledger/contracts/replies.ts';
import type { NewReport } from '../../../src/ledger/contracts/records.ts';
import { writerOperations } from '../../../src/ledger/operations/writer.ts';
import { setForm } from '../../../src/ledger/postgres/sets.ts';
import { sqliteEngine } from '../../../src/ledger/sqlite/sqlite-engine.ts';
import { LedgerStory } from '../../support/ledger-story.ts';

/* On an engine that answers later each statement is a round trip, so what many reports cost is their number. */

const MANY = 256;

it('256 reports, in one webhook or each in its own, take no more statements than one', async () => {
  const one = await recorded([[delivered(0)]]);
  const inOneWebhook = await recorded([Array.from({ length: MANY }, (_, nth) => delivered(nth))]);
  const eachInItsOwn = await recorded(Array.from({ length: MANY }, (_, nth) => [delivered(nth)]));
  expect([one.delivered, inOneWebhook.delivered, eachInItsOwn.delivered]).toEqual([1, MANY, MANY]);
  expect(one.statements).toBeLessThan(20);
  expect([inOneWebhook.statements, eachInItsOwn.statements]).toEqual([one.statements, one.statements]);
});

it('256 failures, which speak against their numbers, take no more statements than one', async () => {
  const failed = (nth: number): NewReport => {
    return { ...delivered(nth), word: 'OptedOut', delivery: 'undelivered', effect: 'opted_out' };
  };
  const one = await recorded([[failed(0)]]);
  const many = await recorded([Array.from({ length: MANY }, (_, nth) => failed(nth))]);
  expect([one.optOuts, many.optOuts]).toEqual([1, MANY]);
  expect(many.statements).toBe(one.statements);
});

it('256 people who reply STOP take no more statements than one', async () => {
  const one = await recorded([], [stop(0)]);
  const many = await recorded(
    [],
    Array.from({ length: MANY }, (_, nth) => stop(nth)),
  );
  expect([one.optOuts, many.optOuts]).toEqual([1, MANY]);
  expect(many.statements).toBe(one.statements);
});

it('what belongs to one message or number keeps its order within one record', async () => {
  const again = { ...delivered(0), word: 'Failed', delivery: 'undelivered' as const, reason: 'absent' };
  expect(await recorded([[again, delivered(0), again]])).toMatchObject({ delivered: 1 });
  const start = { ...stop(0), identity: 'start', text: 'START', wish: 'start' as const };
  expect(await recorded([], [stop(0), start])).toMatchObject({ optOuts: 0 });
  expect(await recorded([], [start, stop(0)])).toMatchObject({ optOuts: 1 });
});

function delivered(nth: number): NewReport {
  const messageId = `m${nth}`;
  const mobile = mobileOf(nth);
  return { messageId, word: 'D', delivery: 'delivered', reason: null, mobile, network: null, at: null };
}

function stop(nth: number): NewReply {
  const said = {
    recordId: null,
    addressee: 'DUKA',
    text: 'STOP',
    at: null,
    detail: {},
    wish: 'stop' as const,
  };
  return { channel: 'sms', identity: `stop ${nth}`, mobile: mobileOf(nth), ...said };
}

function mobileOf(nth: number): string {
  return String(254_700_000_001 + nth);
}

/** Records each list of reports as a webhook of its own, with all replies in the first, in a ledger of its own. */
async function recorded(lists: NewReport[][], replies: NewReply[] = []) {
  const story = await LedgerStory.begin();
  const rows = Array.from({ length: MANY }, (_, nth) => ({ mobile: mobileOf(nth) }));
  const campaign = await story.launch({ rows, settings: { batchSize: MANY } });
  await story.claim();
  const came = rows.map((_, nth) => [nth + 1, { to: 'sent', messageId: `m${nth}` }] as const);
  await story.record(campaign, Object.fromEntries(came));
  await story.ledger.joinWaiting(story.now);
  const webhooks = Math.max(1, lists.length);
  const how = { receivedAt: story.now, method: 'POST', contentType: '', query: '', ip: '::1' };
  for (let nth = 0; nth < webhooks; nth += 1)
    await story.ledger.storeWebhook({ ...how, body: Buffer.from(String(nth)) });
  const stored = await story.ledger.newWebhooks(webhooks);
  const records = stored.map(({ webhook }, nth) => {
    const reports = lists[nth] ?? [];
    return { webhook, kind: 'report' as const, reports, replies: nth === 0 ? replies : [], now: story.now };
  });
  return await countingStatements(story.file, records);
}

type Records = Parameters<ReturnType<typeof writerOperations>['recordReports']>[0];

async function countingStatements(file: string, records: Records) {
  const database = new DatabaseSync(file);
  try {
    let statements = 0;
    const counting = new Proxy(database, {
      get: (target, name) => {
        if (name === 'prepare')
          return (sql: string) => countedStatement(target.prepare(sql), () => (statements += 1));
        const value: unknown = Reflect.get(target, name);
        return typeof value === 'function' ? value.bind(target) : value;
      },
    });
    const free = () => undefined;
    const parts = { engine: sqliteEngine(database), requireSpace: free, requireRoom: free };
    const operations = writerOperations(counting, parts);
    statements = 0;
    await operations.recordReports(records);
    const count = (sql: string) => Number(database.prepare(sql).get()?.['count']);
    return {
      statements,
      delivered: count("SELECT count(*) AS count FROM message WHERE delivery = 'delivered'"),
      optOuts: count('SELECT count(*) AS count FROM opt_out'),
    };
  } finally {
    database.close();
  }
}

/** A bulk verb is one statement, as on Postgres, which sees no row of its own: so no two may mean the same row. */
function countedStatement(statement: Statement & { sourceSQL: string }, count: () => void): Statement {
  const once = <Result>(run: () => Result): Result => {
    count();
    return run();
  };
  const plain: Statement = {
    get: (...values: SQLInputValue[]) => once(() => statement.get(...values)),
    all: (...values) => once(() => statement.all(...values)),
    run: (...values) => once(() => statement.run(...values)),
    setReturnArrays: (on) => statement.setReturnArrays(on),
  };
  return {
    ...plain,
    getEach: (rows) => once(() => getEach(statement, rows)),
    runEach: (rows) => {
      expectOneRowEach(statement.sourceSQL, rows);
      return once(() => runEach(statement, rows));
    },
  };
}

function expectOneRowEach(sql: string, rows: readonly Values[]): void {
  const { keys } = setForm(sql.replaceAll(/--.*$/gm, ''), []);
  if (keys.length === 0) return;
  const chosen = rows.map((row) => JSON.stringify(keys.map((key) => row[key])));
  expect(new Set(chosen).size).toBe(rows.length);
}
