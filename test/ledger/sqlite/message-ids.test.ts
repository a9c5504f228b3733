import { join } from 'node:path';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { plainId } from '../../../src/domain/message-id.ts';
import type { MessagePlace } from '../../../src/ledger/contracts/finding.ts';
import type { Member } from '../../../src/ledger/decide/report-place.ts';
import { MessageIds } from '../../../src/ledger/operations/inbox/message-ids.ts';
import { migrate } from '../../../src/ledger/sqlite/migrate.ts';
import { makeTempDir } from '../../support/temp-home.ts';

const MESSAGES = 6;

let database: DatabaseSync;
let ids: MessageIds;
/** The messages told of, each with the id. */
let repeated: Set<string>;
let inIndex: StatementSync;

beforeEach(async () => {
  const file = join(makeTempDir(), 'ledger.db');
  database = open(file);
  await migrate(database);
  repeated = new Set();
  inIndex = database.prepare(
    'SELECT i.campaign, i.seq FROM message_id AS i JOIN message AS m USING (campaign, seq) WHERE m.messageid = ?',
  );
  ids = new MessageIds(database, onRelated);
  for (const campaign of [1, 2]) addMessages({ campaign, to: MESSAGES });
});

afterEach(() => {
  database.close();
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
async function find(messageId: string, count = 2): Promise<MessagePlace[]> {
  return (await ids.exact(messageId, count)).map(({ campaign, seq }) => ({ campaign, seq }));
}

function addMessages({ campaign = 1, from = 1, to }: { campaign?: number; from?: number; to: number }): void {
  const insert = database.prepare(
    `INSERT INTO message (campaign, seq, line, mobile, fields, segments, state, actor, queued_at)
     VALUES (?1, ?2, ?2, ?2, '[]', 1, 'queued', 'planner', 0)`,
  );
  for (let seq = from; seq <= to; seq++) insert.run(campaign, seq);
}

async function give(seq: number, messageId: string | null, campaign = 1): Promise<void> {
  database
    .prepare('UPDATE message SET messageid = ? WHERE campaign = ? AND seq = ?')
    .run(messageId, campaign, seq);
  if (messageId !== null) await ids.given([{ campaign, seq, messageId }]);
}

/** By looking at every message. */
const carriersOf = (messageId: string) =>
  database
    .prepare('SELECT campaign, seq FROM message WHERE messageid = ? ORDER BY campaign, seq')
    .all(messageId) as unknown as MessagePlace[];

describe('the ids of messages', () => {
  it('are found from the moment at which they are given, exactly as they came [P16]', async () => {
    for (const [at, messageId] of ['007', '7', "'; DROP TABLE message; --", ' spaced ', 'ü'].entries()) {
      await give(at + 1, messageId);
      expect(await find(messageId)).toEqual([{ campaign: 1, seq: at + 1 }]);
    }
    expect(await find('unknown')).toEqual([]);
  });

  it('are found whatever was given and taken back, and told of once they are repeated', async () => {
    const given = fc.record({
      campaign: fc.constantFrom(1, 2),
      seq: fc.integer({ min: 1, max: MESSAGES }),
      messageId: fc.constantFrom('a', 'b', 'c', 'd', null),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(given, { maxLength: 40 }), async (steps) => {
        for (const { campaign, seq, messageId } of steps) {
          for (const id of ['a', 'b', 'c', 'd']) repeated.delete(`${id} ${campaign} ${seq}`);
          await give(seq, messageId, campaign);
        }
        for (const messageId of ['a', 'b', 'c', 'd']) {
          const carriers = carriersOf(messageId);
          expect(await find(messageId, 100)).toEqual(carriers);
          const told = carriers.filter(({ campaign, seq }) =>
            repeated.has(`${messageId} ${campaign} ${seq}`),
          );
          if (carriers.length > 1) expect(told).toEqual(carriers);
        }
        for (let seq = 1; seq <= MESSAGES; seq++)
          for (const campaign of [1, 2]) await give(seq, null, campaign);
        repeated.clear();
      }),
    );
  });

  it('are told of, and found, as one family where they differ in case or leading zeros only', async () => {
    const told: string[][] = [];
    ids = new MessageIds(database, async (fresh) => {
      told.push(fresh.map(({ messageId }) => messageId));
    });
    for (const [at, messageId] of ['00Ab', 'AB', '0a0B', 'ab'].entries()) {
      await give(at + 1, messageId);
    }
    expect(told).toEqual([['AB'], ['ab']]);
    const family = database.prepare(
      'SELECT m.messageid FROM message_id AS i JOIN message AS m USING (campaign, seq) WHERE i.plain_id = ?',
    );
    expect(family.all(plainId('0AB')).map((row) => row['messageid'])).toEqual(['00Ab', 'AB', 'ab']);
    expect(await ids.exact('0AB', 100)).toEqual([]);
  });

  it.each(['', '0', '000', '00Ab', 'ÄB', 'Ⅷ0', 'aB-0_ ', '０1'])(
    'are as plain here as in the ledger: "%s"',
    (id) => {
      const plain = database.prepare("SELECT ltrim(lower(?), '0') AS plain").get(id)?.['plain'];
      expect(plainId(id)).toBe(plain);
    },
  );
});
