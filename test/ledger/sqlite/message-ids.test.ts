import { join } from 'node:path';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { plainId } from '../../../src/domain/message-id.ts';
import {
  type Member,
  MessageIds,
  type MessageRef,
} from '../../../src/ledger/operations/planning/message-ids.ts';
import { migrate } from '../../../src/ledger/sqlite/migrate.ts';
import { LedgerStory } from '../../support/ledger-story.ts';
import { makeTempDir } from '../../support/temp-home.ts';

const MESSAGES = 6;

let database: DatabaseSync;
/** Of another process. */
let other: DatabaseSync;
let ids: MessageIds;
let others: MessageIds;
/** The messages told of, each with the id. */
let repeated: Set<string>;
let inIndex: StatementSync;

beforeEach(async () => {
  const file = join(makeTempDir(), 'ledger.db');
  database = open(file);
  await migrate(database);
  other = open(file);
  repeated = new Set();
  inIndex = database.prepare(
    'SELECT i.campaign, i.seq FROM message_id AS i JOIN message AS m USING (campaign, seq) WHERE m.messageid = ?',
  );
  ids = new MessageIds(database, onRelated);
  others = new MessageIds(other, onRelated);
  for (const campaign of [1, 2]) addMessages({ campaign, to: MESSAGES });
});

afterEach(() => {
  database.close();
  other.close();
});

function open(file: string): DatabaseSync {
  const opened = new DatabaseSync(file);
  opened.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF; PRAGMA temp_store = MEMORY');
  return opened;
}

/** A new member says of those before it, too, that their id is repeated. */
async function onRelated(fresh: Member[]): Promise<void> {
  for (const { messageId } of fresh)
    for (const row of inIndex.all(messageId))
      repeated.add([messageId, row['campaign'], row['seq']].join(' '));
}

/** The messages with exactly the id, by way of the index. */
async function find(messageId: string, count = 2): Promise<MessageRef[]> {
  await ids.putFresh();
  return (await ids.exact(messageId, count)).map(({ campaign, seq }) => ({ campaign, seq }));
}

function addMessages({ campaign = 1, from = 1, to }: { campaign?: number; from?: number; to: number }): void {
  const insert = database.prepare(
    `INSERT INTO message (campaign, seq, line, mobile, fields, segments, state, actor, queued_at)
     VALUES (?1, ?2, ?2, ?2, '[]', 1, 'queued', 'planner', 0)`,
  );
  for (let seq = from; seq <= to; seq++) insert.run(campaign, seq);
}

function give(seq: number, messageId: string | null, campaign = 1): void {
  database
    .prepare('UPDATE message SET messageid = ? WHERE campaign = ? AND seq = ?')
    .run(messageId, campaign, seq);
}

const count = (table: string) => Number(database.prepare(`SELECT count(*) AS n FROM ${table}`).get()?.['n']);

/** By looking at every message. */
const carriersOf = (messageId: string) =>
  database
    .prepare('SELECT campaign, seq FROM message WHERE messageid = ? ORDER BY campaign, seq')
    .all(messageId) as unknown as MessageRef[];

describe('the ids of messages', () => {
  it('are found from the moment at which they are given, exactly as they came [P16]', async () => {
    for (const [at, messageId] of ['007', '7', "'; DROP TABLE message; --", ' spaced ', 'ü'].entries()) {
      give(at + 1, messageId);
      expect(await find(messageId)).toEqual([{ campaign: 1, seq: at + 1 }]);
    }
    expect(await find('unknown')).toEqual([]);
  });

  it('are found whatever was given, taken back, put in, and put in by others before, and told of once they are repeated', async () => {
    useFew();
    const given = fc.record({
      campaign: fc.constantFrom(1, 2),
      seq: fc.integer({ min: 1, max: MESSAGES }),
      messageId: fc.option(fc.constantFrom('a', 'b', 'c', 'd')),
      next: fc.constantFrom(
        'nothing',
        'some',
        'some',
        'quiet',
        'put',
        'look',
        'lost',
        'others',
        'others some',
      ),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(given, { maxLength: 40 }), async (steps) => {
        for (const { campaign, seq, messageId, next } of steps) {
          for (const id of ['a', 'b', 'c', 'd']) repeated.delete(`${id} ${campaign} ${seq}`);
          give(seq, messageId, campaign);
          await step(next);
        }
        await ids.putFresh();
        for (const messageId of ['a', 'b', 'c', 'd']) {
          const carriers = carriersOf(messageId);
          expect(await find(messageId, -1)).toEqual(carriers);
          expect(await find(messageId)).toEqual(carriers.slice(0, 2));
          const told = carriers.filter(({ campaign, seq }) =>
            repeated.has(`${messageId} ${campaign} ${seq}`),
          );
          if (carriers.length > 1) expect(told).toEqual(carriers);
        }
        for (let seq = 1; seq <= MESSAGES; seq++) {
          give(seq, null, 1);
          give(seq, null, 2);
        }
        await ids.putFresh();
        expect([count('message_id'), count('fresh_id')]).toEqual([0, 0]);
        repeated.clear();
      }),
    );
  });

  /** Three are worth sorting, and two of them go in at a time. */
  function useFew(): void {
    const few = { fresh: 3, aCommit: 2, few: 1 };
    ids = new MessageIds(database, onRelated, few);
    others = new MessageIds(other, onRelated, few);
  }

  /** The ids of messages 4 to 6 are sorted, and go in next. */
  async function sortThree(): Promise<void> {
    useFew();
    for (const seq of [1, 2, 3]) give(seq, `id-${seq}`);
    await ids.putSome(0);
    for (const seq of [4, 5, 6]) give(seq, `id-${seq}`);
    await ids.putSome(0);
    expect([count('message_id'), count('fresh_id')]).toEqual([3, 3]);
  }

  it('are told of, and found, as one family where they differ in case or leading zeros only', async () => {
    const told: string[][] = [];
    ids = new MessageIds(database, async (fresh) => {
      told.push(fresh.map(({ messageId }) => messageId));
    });
    for (const [at, messageId] of ['00Ab', 'AB', '0a0B', 'ab'].entries()) {
      give(at + 1, messageId);
      await ids.putFresh();
    }
    expect(told).toEqual([['AB'], ['ab']]);
    expect((await ids.family('0AB', -1)).map(({ messageId }) => messageId)).toEqual(['00Ab', 'AB', 'ab']);
    expect(await ids.exact('0AB', -1)).toEqual([]);
  });

  it.each(['', '0', '000', '00Ab', 'ÄB', 'Ⅷ0', 'aB-0_ ', '０1'])(
    'are as plain here as in the ledger: "%s"',
    (id) => {
      const plain = database.prepare("SELECT ltrim(lower(?), '0') AS plain").get(id)?.['plain'];
      expect(plainId(id)).toBe(plain);
    },
  );

  it('are not put in when they were taken away after they were sorted', async () => {
    await sortThree();
    give(4, null);
    await ids.putSome(0);
    await ids.putSome(0);
    expect([count('message_id'), count('fresh_id')]).toEqual([5, 0]);
    expect(await find('id-4')).toEqual([]);
  });

  it('of a repeated id are told of also when one step takes the first and the next step the other', async () => {
    useFew();
    for (const seq of [1, 2, 3]) give(seq, `id-${seq}`);
    await ids.putSome(0);
    give(4, 'a');
    give(5, 'twice');
    give(6, 'twice');
    for (const _ of ['sorted', 'a and the first', 'the other']) await ids.putSome(0);
    expect([...repeated].sort()).toEqual(['twice 1 5', 'twice 1 6']);
  });

  it.each([
    ['is the last of a step', '', ['twice 1 1', 'twice 1 5']],
    ['was taken away since it was sorted', 'taken', []],
  ])('of which the second that has one %s are told of as they are', async (_, taken, told) => {
    useFew();
    for (const [at, messageId] of ['twice', 'x', 'y'].entries()) give(at + 1, messageId);
    await ids.putSome(0);
    for (const [at, messageId] of ['a', 'twice', 'z'].entries()) give(at + 4, messageId);
    await ids.putSome(0);
    if (taken !== '') give(5, null);
    await ids.putSome(0);
    expect([...repeated].sort()).toEqual(told);
  });

  it('go in faster than they come, however many come with each commit', async () => {
    useFew();
    const waiting: number[] = [];
    for (let step = 0; step < 60; step++) {
      addMessages({ from: MESSAGES + 1 + 5 * step, to: MESSAGES + 5 + 5 * step });
      for (let seq = MESSAGES + 1 + 5 * step; seq <= MESSAGES + 5 + 5 * step; seq++) give(seq, `id-${seq}`);
      await ids.putSome(5);
      waiting.push(count('fresh_id'));
    }
    expect(Math.max(...waiting)).toBeLessThanOrEqual(20);
  });

  it('are not forgotten when another process has put in what was sorted, and others took their places', async () => {
    await sortThree();
    await others.putFresh();
    for (const seq of [1, 2, 3]) give(seq, `new-${seq}`);
    for (let step = 0; step < 3; step++) await ids.putSome(0);
    for (const seq of [1, 2, 3]) expect(await find(`new-${seq}`)).toEqual([{ campaign: 1, seq }]);
  });

  /** What a transaction does next. */
  async function step(next: string): Promise<void> {
    if (next === 'some') await ids.putSome(0);
    if (next === 'quiet') await ids.putWhenQuiet();
    if (next === 'put') await ids.putFresh();
    if (next === 'look') await find('a');
    if (next === 'others') await others.putFresh();
    if (next === 'others some') await others.putSome(0);
    if (next !== 'lost') return;
    const told = new Set(repeated);
    database.exec('BEGIN');
    await ids.putSome(0);
    await ids.putSome(0);
    database.exec('ROLLBACK');
    repeated = told;
  }

  /** Gives each of so many further messages an id, in one transaction. */
  function giveMany(many: number): void {
    database.exec('BEGIN');
    addMessages({ from: MESSAGES + 1, to: MESSAGES + many });
    // In no order.
    for (let seq = MESSAGES + 1; seq <= MESSAGES + many; seq++)
      give(seq, `id-${(seq * 7_919) % 10_007}-${seq}`);
    database.exec('COMMIT');
  }

  const inAndWaiting = () => [count('message_id'), count('fresh_id')];

  it('wait until so many came that putting them in together is worth it, and then go in some at a time', async () => {
    const many = 8_192;
    giveMany(many - 1);
    for (let step = 0; step < 3; step++) await ids.putSome(0);
    expect(inAndWaiting()).toEqual([0, many - 1]);
    give(1, 'the last');
    // The first look finds nobody to compare with, and takes no risk.
    await ids.putSome(0);
    expect(inAndWaiting()).toEqual([many, 0]);
    for (let seq = MESSAGES + 1; seq <= MESSAGES + many - 1; seq++) give(seq, `again-${seq}`);
    give(1, 'the last again');
    const steps: (number | undefined)[][] = [];
    for (let step = 0; step <= many / 512; step++) {
      await ids.putSome(0);
      steps.push(inAndWaiting());
    }
    // Sorted by the first step; they wait until the last of them is in.
    expect(steps.slice(0, 3)).toEqual([0, 512, 1_024].map((put) => [put, many]));
    expect(steps.at(-1)).toEqual([many, 0]);
    expect(await find('the last again')).toEqual([{ campaign: 1, seq: 1 }]);
  });

  it('go in while a campaign is sent, without anybody looking for one', async () => {
    const each = 4_100;
    const story = await LedgerStory.begin();
    for (const id of ['one', 'two']) {
      const n = await story.launch({ id, messages: each, settings: { batchSize: 1_000 } });
      const sent = (await story.claim()).map(
        (seq) => [seq, { to: 'sent', messageId: `${id}-${seq}` }] as const,
      );
      await story.record(n, Object.fromEntries(sent));
    }
    using written = new DatabaseSync(story.file, { readOnly: true });
    const put = written.prepare('SELECT count(*) AS put FROM message_id').get();
    expect(put).toEqual({ put: 2 * each });
  });
});
