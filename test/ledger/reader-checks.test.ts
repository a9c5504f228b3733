import { DatabaseSync } from 'node:sqlite';
import { beforeEach, describe, expect, it } from 'vitest';
import { LedgerStory } from '../support/ledger-story.ts';

/* Each test breaks a sound ledger by hand, in the one way that its check is for. */

let story: LedgerStory;
let n: number;

beforeEach(async () => {
  story = await LedgerStory.begin();
  n = await story.launch({ messages: 10, counts: { read: 10 } });
  await story.claim();
  await story.record(n, {
    1: { to: 'sent', messageId: 'id-1' },
    2: { to: 'sent', messageId: 'id-2' },
    3: { to: 'sent', costMicro: null },
    4: { to: 'rejected' },
    5: { to: 'uncertain' },
    6: { to: 'queued' },
  });
  story.now += 1_000;
  await story.claim();
  await story.report('id-1', 'delivered');
});

/** Changes the file behind the ledger's back, without the triggers that would stop it. */
function tamper(...statements: string[]): void {
  const database = new DatabaseSync(story.file, { timeout: 5_000 });
  try {
    const triggers = database.prepare("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'").all();
    database.exec('BEGIN IMMEDIATE; PRAGMA ignore_check_constraints = 1');
    for (const { name } of triggers) database.exec(`DROP TRIGGER ${String(name)}`);
    for (const statement of statements) {
      if (database.prepare(statement).run().changes === 0)
        throw new Error(`nothing was changed: ${statement}`);
    }
    for (const { sql } of triggers) database.exec(String(sql));
    database.exec('COMMIT');
  } finally {
    database.close();
  }
}

async function broken(): Promise<string[]> {
  const violations = await (await story.reader()).violations(null);
  return violations.map(
    ({ invariant, campaign, row, detail }) => `${invariant} | ${campaign ?? ''} | ${row} | ${detail}`,
  );
}

it('finds nothing in a sound ledger, in the middle of sending', async () => {
  expect(await broken()).toEqual([]);
});

describe('a ledger in which something is wrong', () => {
  it.each<[what: string, statements: string[], found: RegExp[]]>([
    [
      'a message that was begun before the canary let it go',
      ['INSERT INTO canary (campaign, messages, wait_ms, delivered) SELECT n, 9, 1000, 0.8 FROM campaign'],
      [/^before_canary \| bf-1 \| message 10 \| was begun before the canary let it go$/],
    ],
    [
      'charges of the account that no message explains',
      ["UPDATE account SET spent = spent + 1 WHERE client_id = 'acc'"],
      [/^account_spent \|  \| account acc \| keeps 1\.600001, its messages add up to 1\.60$/],
    ],
    [
      'money held back for nobody',
      ['UPDATE account SET reserved = reserved + 800000', 'UPDATE campaign SET reserved = reserved + 800000'],
      [/^campaign_reserved \| bf-1 \|/, /^account_reserved \|/],
    ],
    [
      'messages in flight that are not',
      ['UPDATE account SET in_flight = 9'],
      [/^account_in_flight \|  \| account acc \| keeps 9 in flight/],
    ],
    [
      'a budget that was eaten by nothing',
      ['UPDATE campaign SET spent = 0'],
      [/^campaign_spent \| bf-1 \| campaign bf-1 \| keeps 0\.00/],
    ],
    [
      'a lost row',
      ['DELETE FROM message WHERE seq = 4'],
      [
        /^planned \| bf-1 \| campaign bf-1 \| keeps 10 messages, its messages add up to 9/,
        /^contiguous \|/,
        /^identities \| bf-1 \| campaign bf-1 \| keeps 10 messages, its messages add up to 9/,
      ],
    ],
    [
      'two messages to one number',
      ['UPDATE message SET mobile = (SELECT mobile FROM message WHERE seq = 10) WHERE seq = 9'],
      [/^identities \| bf-1 \| message 9 \| has no identity of its own$/],
    ],
    [
      'an upload that does not add up',
      ['UPDATE upload SET planned = 11, read = 11'],
      [/^planned \| bf-1 .* keeps 11 messages/],
    ],
    [
      'a batch that leaves out a message',
      ['UPDATE batch SET last_seq = last_seq - 1 WHERE first_seq = 5'],
      [/^batches_cover \| bf-1 \| batch \d+ \| messages 9 to 10 follow 7$/, /^unreapable .* message 8 /],
    ],
    [
      'batches that end too early',
      ['DELETE FROM batch WHERE first_seq = 9'],
      [
        /^batches_cover \| bf-1 \| campaign bf-1 \| keeps 8 messages/,
        /^unreapable .* 9 /,
        /^unreapable .* 10 /,
      ],
    ],
    [
      'a batch that is called settled and is not',
      ['UPDATE batch SET settled_at = 1, worker = NULL, lease_until = NULL WHERE first_seq = 9'],
      [
        /^settled_hints \| bf-1 \| batch \d+ \| is settled, yet message 9 is sending$/,
        /^settled_hints .* message 10 /,
      ],
    ],
    [
      'something on the wire of a worker that nobody will end',
      ['DELETE FROM hold WHERE batch = (SELECT id FROM batch WHERE first_seq = 9)'],
      [/^unreapable \| bf-1 \| message 9 \|/, /^unreapable \| bf-1 \| message 10 \|/],
    ],
    [
      'a negative cost',
      ['UPDATE message SET cost = -800000, counted = -800000 WHERE seq = 2'],
      [/^campaign_spent/, /^account_spent/, /^odd_messages \| bf-1 \| message 2 \| has a negative amount$/],
    ],
    [
      'a message that was sent without an id',
      ['UPDATE message SET messageid = NULL WHERE seq = 2'],
      [/^odd_messages \| bf-1 \| message 2 \| was sent without a messageid$/],
    ],
    [
      'a rejected message that cost something',
      ['UPDATE message SET cost = 1 WHERE seq = 4'],
      [/^odd_messages \| bf-1 \| message 4 \| is rejected and has a cost$/],
    ],
    [
      'an attempt that was not kept',
      ['DELETE FROM attempt WHERE seq = 6'],
      [/^attempts \| bf-1 \| message 6 \| is at attempt 2, 0 earlier/],
    ],
    [
      'a message that was sent again although it was sent',
      ["UPDATE attempt SET outcome = 'sent' WHERE seq = 6"],
      [/^unauthorised \| bf-1 \| message 6 \| was tried again after it was sent, and nobody asked for it$/],
    ],
    [
      'an uncertain message that went again without a person',
      ["UPDATE attempt SET outcome = 'uncertain' WHERE seq = 6"],
      [/^unauthorised \| bf-1 \| message 6 \| was tried again after it was uncertain/],
    ],
    [
      'a message that is sent by a report that is not there',
      ["UPDATE message SET basis = 'report' WHERE seq = 2"],
      [/^unfounded_sent \| bf-1 \| message 2 \|/],
    ],
    [
      'a lease of somebody who has ended',
      [
        'UPDATE batch SET worker = (SELECT max(id) FROM worker), lease_until = 9 WHERE first_seq = 9',
        'UPDATE worker SET ended_at = 1',
      ],
      [/^dead_leases \|  \| batch \d+ \| is leased by worker \d+, which has ended$/],
    ],
    [
      'a delivery that its reports do not say',
      ["UPDATE message SET delivery = 'undelivered' WHERE seq = 1"],
      [/^delivery_fold \| bf-1 \| message 1 \| is undelivered, its reports say delivered$/],
    ],
    [
      'a delivery that nobody reported',
      ["UPDATE message SET delivery = 'delivered' WHERE seq = 2"],
      [/^unfounded_delivery \| bf-1 \| message 2 \| is delivered without/],
    ],
    [
      'a report that is joined to nothing',
      ['UPDATE report SET seq = 99'],
      [
        /^lost_reports \|  \| report 1 \| is joined to message 99 .* does not exist$/,
        /^unfounded_delivery \| bf-1 \| message 1/,
      ],
    ],
    [
      'a report that is joined to another message',
      ["UPDATE report SET messageid = 'id-9'"],
      [/^lost_reports .* has another messageid$/],
    ],
    [
      'an id that two messages have and no flag',
      ["UPDATE message SET messageid = 'id-1' WHERE seq = 2"],
      [/^repeated_ids \| .* \| message 1 \|/, /^repeated_ids \| .* \| message 2 \|/],
    ],
    [
      'a change of state that was made legal',
      [
        "INSERT INTO transition VALUES ('uncertain', 'queued', 'reaper')",
        "DELETE FROM transition WHERE to_state = 'rejected'",
      ],
      [
        /^transitions .* uncertain → queued by reaper \| is allowed/,
        /^transitions .* sending → rejected by worker \| is missing/,
      ],
    ],
  ])('finds %s', async (_what, statements, found) => {
    tamper(...statements);
    const violations = await broken();
    for (const pattern of found) expect(violations).toContainEqual(expect.stringMatching(pattern));
    expect(violations).toHaveLength(found.length);
  });

  it('misses a guard that was taken away', async () => {
    const database = new DatabaseSync(story.file);
    database.exec('DROP TRIGGER message_transition; DROP TRIGGER campaign_identified');
    database.close();
    expect(await broken()).toEqual([
      'guards |  | campaign_identified | missing',
      'guards |  | message_transition | missing',
    ]);
  });

  it('names at most 20 rows of one kind in a page, not a million', async () => {
    const large = await story.launch({ id: 'large-1', name: 'large', messages: 100 });
    tamper(`UPDATE message SET cost = 1 WHERE campaign = ${large}`);
    expect(await broken()).toHaveLength(20);
  });

  it('looks at one campaign alone when asked', async () => {
    const other = await story.launch({ id: 'other-1', name: 'other', messages: 1 });
    tamper(`UPDATE message SET cost = 1 WHERE campaign = ${n} AND seq = 4`);
    expect(await (await story.reader()).violations(other)).toEqual([]);
    expect(await (await story.reader()).violations(n)).toHaveLength(1);
  });
});
