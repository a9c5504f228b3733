import { closeSync, copyFileSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openReaderHere } from '../support/ledger-here.ts';
import { LedgerStory } from '../support/ledger-story.ts';
import { readPage } from '../support/markdown.ts';
import { makeTempDir } from '../support/temp-home.ts';
import { DAMAGES } from './damages.ts';

/* Each test breaks a sound ledger by hand, in the one way that its check is for. */

let sound: string;
let file: string;
const n = 1;

beforeAll(async () => {
  const story = await LedgerStory.begin();
  expect(await story.launch({ messages: 10, counts: { read: 10 } })).toBe(n);
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
  await story.launch({ id: 'other-1', name: 'other', messages: 100 });
  sound = join(makeTempDir(), 'sound.db');
  await story.ledger.backup(sound);
});

beforeEach(() => {
  file = join(makeTempDir(), 'ledger.db');
  copyFileSync(sound, file);
});

/** Changes the file without the triggers that would stop it, nor the conditions of its tables. */
function tamper(...statements: string[]): void {
  const database = new DatabaseSync(file);
  try {
    const triggers = database.prepare("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'").all();
    // What a copy is for is not worth a sync.
    database.exec(
      'PRAGMA synchronous = OFF; PRAGMA foreign_keys = OFF; BEGIN; PRAGMA ignore_check_constraints = 1',
    );
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

async function broken(campaign: number | null = null): Promise<string[]> {
  const reader = await openReaderHere(file);
  try {
    const violations = await reader.violations(campaign);
    return violations.map(
      ({ invariant, campaign: id, row, detail }) => `${invariant} | ${id ?? ''} | ${row} | ${detail}`,
    );
  } finally {
    await reader.close();
  }
}

it('finds nothing in a sound ledger, in the middle of sending', async () => {
  expect(await broken()).toEqual([]);
});

describe('a ledger in which something is wrong', () => {
  it.each(DAMAGES)('finds %s', async (_what, statements, found) => {
    tamper(...statements);
    const isOfCounters = found.some(({ source }) => source.startsWith('^counters'));
    // A message that was changed by hand differs from the counters, too.
    const violations = (await broken()).filter((line) => isOfCounters || !line.startsWith('counters |'));
    for (const pattern of found) expect(violations).toContainEqual(expect.stringMatching(pattern));
    expect(violations).toHaveLength(found.length);
  });

  it('misses a guard that was taken away, is weaker, or is not ours', async () => {
    const database = new DatabaseSync(file);
    database.exec(`
      DROP TRIGGER message_transition;
      DROP TRIGGER audit_kept_delete;
      CREATE TRIGGER audit_kept_delete BEFORE DELETE ON audit WHEN OLD.verb = 'launch'
      BEGIN SELECT RAISE (ABORT, 'the audit is append-only'); END;
      DROP INDEX message_held;
      DROP INDEX message_identity;
      CREATE TRIGGER foreign_hand AFTER UPDATE OF state ON message BEGIN DELETE FROM audit; END;
      CREATE INDEX of_somebody_who_asks_much ON message (mobile);
    `);
    database.close();
    expect(await broken()).toEqual([
      'guards |  | trigger audit_kept_delete | is not as Tuma made it',
      'guards |  | index message_held | is missing',
      'guards |  | index message_identity | is missing',
      'guards |  | trigger message_transition | is missing',
      'guards |  | trigger foreign_hand | is not of Tuma',
    ]);
  });

  it('names damaged pages, and nothing that was read from them [D5]', async () => {
    const database = new DatabaseSync(file);
    const root = Number(
      database.prepare("SELECT rootpage FROM sqlite_schema WHERE name = 'message'").get()?.['rootpage'],
    );
    database.close();
    const handle = openSync(file, 'r+');
    writeSync(handle, Buffer.alloc(2_000, 0xee), 0, 2_000, (root - 1) * 4_096);
    closeSync(handle);
    const found = await broken();
    expect(found.length).toBeGreaterThan(0);
    expect(found.filter((line) => !line.startsWith('damaged |  | the file |'))).toEqual([]);
  });

  it('is named by every invariant of the page, each of which is broken here once', () => {
    const page = readPage('docs/reliability.md');
    const promised = page
      .slice(page.indexOf('## What always holds'), page.indexOf('## The faults'))
      .match(/`[a-z]+(_[a-z]+)*`/g);
    const broken = DAMAGES.flatMap(([, , found]) => found).map(({ source }) => /^\^(\w+)/.exec(source)?.[1]);
    const names = new Set([...broken, 'guards', 'damaged'].map((name) => `\`${name}\``));
    expect(new Set(promised)).toEqual(names);
  });

  it('names at most 20 rows of one kind in a page, not a million', async () => {
    tamper('UPDATE message SET cost = 1 WHERE campaign = 2');
    expect(await broken()).toHaveLength(20);
  });

  it('looks at one campaign alone when asked', async () => {
    tamper('UPDATE message SET cost = 1 WHERE campaign = 1 AND seq = 4');
    expect(await broken(2)).toEqual([]);
    expect(await broken(1)).toHaveLength(1);
  });
});
