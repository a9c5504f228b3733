import { DatabaseSync } from 'node:sqlite';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { MessageRef } from '../../../src/ledger/sqlite/joiner.ts';
import { MessageIds } from '../../../src/ledger/sqlite/message-ids.ts';
import { migrate } from '../../../src/ledger/sqlite/migrate.ts';
import { LedgerStory } from '../../support/ledger-story.ts';

const MESSAGES = 6;

let database: DatabaseSync;
let ids: MessageIds;
/** The messages told of, each with the id. */
let repeated: Set<string>;

beforeEach(async () => {
  database = new DatabaseSync(':memory:');
  await migrate(database);
  repeated = new Set();
  ids = new MessageIds(database, (messageId, messages) => {
    for (const { campaign, seq } of messages) repeated.add(`${messageId} ${campaign} ${seq}`);
  });
  for (const campaign of [1, 2]) addMessages({ campaign, to: MESSAGES });
});

afterEach(() => database.close());

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
  it('P16 are found from the moment at which they are given, exactly as they came', () => {
    for (const [at, messageId] of ['007', '7', "'; DROP TABLE message; --", ' spaced ', 'ü'].entries()) {
      give(at + 1, messageId);
      expect(ids.find(messageId)).toEqual([{ campaign: 1, seq: at + 1 }]);
    }
    expect(ids.find('unknown')).toEqual([]);
  });

  it('are found whatever was given, taken back and put in before, and told of once they are repeated', () => {
    const given = fc.record({
      campaign: fc.constantFrom(1, 2),
      seq: fc.integer({ min: 1, max: MESSAGES }),
      messageId: fc.option(fc.constantFrom('a', 'b', 'c', 'd')),
      next: fc.constantFrom('nothing', 'put', 'look'),
    });
    fc.assert(
      fc.property(fc.array(given, { maxLength: 30 }), (steps) => {
        for (const { campaign, seq, messageId, next } of steps) {
          for (const other of ['a', 'b', 'c', 'd']) repeated.delete(`${other} ${campaign} ${seq}`);
          give(seq, messageId, campaign);
          if (next === 'put') ids.putFresh();
          if (next === 'look') ids.find('a');
        }
        ids.putFresh();
        for (const messageId of ['a', 'b', 'c', 'd']) {
          const carriers = carriersOf(messageId);
          expect(ids.findAll(messageId)).toEqual(carriers);
          expect(ids.find(messageId)).toEqual(carriers.slice(0, 2));
          const told = carriers.filter(({ campaign, seq }) =>
            repeated.has(`${messageId} ${campaign} ${seq}`),
          );
          if (carriers.length > 1) expect(told).toEqual(carriers);
        }
        for (let seq = 1; seq <= MESSAGES; seq++) {
          give(seq, null, 1);
          give(seq, null, 2);
        }
        ids.putFresh();
        expect([count('message_id'), count('fresh_id')]).toEqual([0, 0]);
        repeated.clear();
      }),
    );
  });

  it('wait until so many came that putting them in together is worth it', () => {
    const many = 8_192;
    database.exec('BEGIN');
    addMessages({ from: MESSAGES + 1, to: MESSAGES + many });
    for (let seq = MESSAGES + 1; seq < MESSAGES + many; seq++) give(seq, `id-${seq}`);
    ids.putMany();
    expect([count('message_id'), count('fresh_id')]).toEqual([0, many - 1]);
    give(MESSAGES + many, 'the last');
    ids.putMany();
    expect([count('message_id'), count('fresh_id')]).toEqual([many, 0]);
    database.exec('COMMIT');
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
