import { DatabaseSync } from 'node:sqlite';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { campaignRecords } from '../../../src/ledger/operations/planning/campaigns.ts';
import { DraftIdentities } from '../../../src/ledger/operations/planning/identities.ts';
import {
  codeOf,
  type Identity,
  IdentityFilter,
  IdentityWindow,
} from '../../../src/ledger/operations/planning/identity-window.ts';
import { migrate } from '../../../src/ledger/sqlite/migrate.ts';
import { mapInOrder } from '../../../src/ledger/in-order.ts';

const WINDOW = 4;
const DRAFT = 2;
/** Campaigns with the same people: one whose identities are all put in, and a draft of which none is yet. */
const BESIDE = { whole: 1, begun: 3 };
const MOBILES = ['254700000001', '254700000002', '254700000003', '447700900123', 'odd'];
const KEYS = ['', 'a', 'b'];
const OCCURRENCES = ['', '2026-01-01'];

const plain = (mobile: string): Identity => ({ mobile, key: '', occurrence: '' });

function takenFrom(window: IdentityWindow): number[] {
  const seqs: number[] = [];
  for (let next = window.take(); next !== null; next = window.take()) seqs.push(next.seq);
  return seqs;
}

describe('a window of identities', () => {
  it('gives them back in order of their numbers, each with its message', () => {
    const mobiles = fc.uniqueArray(fc.integer({ min: 254_700_000_000, max: 254_800_000_000 }).map(String));
    fc.assert(
      fc.property(mobiles, (list) => {
        const window = new IdentityWindow(101, 2 ** 18);
        for (const mobile of list) window.add(codeOf(plain(mobile)));
        expect(takenFrom(window).map((seq) => list[seq - 101])).toEqual([...list].sort());
      }),
      { numRuns: 20 },
    );
  });

  it('gives back numbers of all the world, none twice and none left out', () => {
    const window = new IdentityWindow(1, 8);
    for (const mobile of ['999999999999999', '1', '254712345678', 'odd', '447700900123'])
      window.add(codeOf(plain(mobile)));
    expect(new Set(takenFrom(window))).toEqual(new Set([1, 2, 3, 4, 5]));
    expect([...window.seqsOf(codeOf(plain('254712345678')))]).toEqual([3]);
    expect([...window.seqsOf(codeOf(plain('254712345679')))]).toEqual([]);
  });

  it('is never told by the filter that a known identity is new', () => {
    const filter = new IdentityFilter();
    const coded = Array.from({ length: 5_000 }, (_, at) => codeOf(plain(String(254_700_000_000 + at * 37))));
    const falsely = coded.filter((identity) => filter.add(identity)).length;
    expect(falsely).toBeLessThan(5);
    expect(coded.every((identity) => filter.add(identity))).toBe(true);
  });
});

describe('the identities of a draft', () => {
  let database: DatabaseSync;
  let identities: DraftIdentities;

  beforeEach(async () => {
    database = new DatabaseSync(':memory:');
    await migrate(database);
    database.exec(`
      INSERT INTO account (client_id) VALUES ('acc');
      INSERT INTO campaign (n, id, name, kind, state, account, sender, template, settings, hash_job, hash_template,
        hash_contacts, created_at, activated_at)
      SELECT value, 'd-' || value, 'd', 'promotional', 'draft', 'acc', 'S', '', '{}', '', '', '', 0, 0
      FROM json_each('[${BESIDE.whole}, ${DRAFT}, ${BESIDE.begun}]')`);
    const people = MOBILES.flatMap((mobile) =>
      KEYS.flatMap((key) => OCCURRENCES.map((occurrence) => ({ mobile, key, occurrence }))),
    );
    for (const campaign of Object.values(BESIDE))
      people.forEach((row, at) => insert({ ...row, campaign, seq: at + 1, line: 1_000 + at }));
    database.exec(`INSERT INTO identity (campaign, mobile, key, occurrence, seq)
      SELECT campaign, mobile, key, occurrence, seq FROM message WHERE campaign = ${BESIDE.whole}`);
    identities = new DraftIdentities(database, campaignRecords(database), WINDOW);
  });
  afterEach(() => {
    const left = 'SELECT campaign, count(*) AS n FROM identity WHERE campaign <> ? GROUP BY campaign';
    expect(
      database
        .prepare(left)
        .all(DRAFT)
        .map((row) => ({ ...row })),
    ).toEqual([{ campaign: BESIDE.whole, n: 30 }]);
    database.close();
  });

  function insert(message: Identity & { campaign: number; seq: number; line: number }): void {
    const { campaign, seq, line, mobile, key, occurrence } = message;
    database
      .prepare(
        `INSERT INTO message (campaign, seq, line, mobile, key, occurrence, fields, segments, state, actor, queued_at)
         VALUES (?, ?, ?, ?, ?, ?, '[]', 1, 'queued', 'planner', 0)`,
      )
      .run(campaign, seq, line, mobile, key, occurrence);
  }

  /** Adds rows as the planner does; the line of a message is its seq. Answers what each was a twin of. */
  async function add(rows: readonly Identity[]): Promise<(number | null)[]> {
    const draft = await identities.of(DRAFT);
    await draft.put(rows.length);
    return await mapInOrder(rows, async ({ mobile, key, occurrence }) => {
      const twin = await draft.add({ mobile, key, occurrence }, async () => undefined);
      const seq = draft.lastSeq;
      if (twin === null) insert({ mobile, key, occurrence, campaign: DRAFT, seq, line: seq });
      return twin;
    });
  }

  const missing = () =>
    database
      .prepare(
        'SELECT seq FROM message WHERE campaign = ?1 EXCEPT SELECT seq FROM identity WHERE campaign = ?1 ORDER BY seq',
      )
      .all(DRAFT)
      .map((row) => row['seq']);
  const launch = () => database.exec(`UPDATE campaign SET state = 'running' WHERE n = ${DRAFT}`);

  it('are known wherever they are: not stored yet, on their way, and stored', async () => {
    const mobiles = Array.from({ length: 3 * WINDOW }, (_, at) => plain(String(254_700_000_000 + at * 7)));
    for (const row of mobiles) expect(await add([row])).toEqual([null]);
    expect(missing().length).toBeGreaterThan(0);
    expect(missing().length).toBeLessThan(mobiles.length);
    expect(await add(mobiles)).toEqual(mobiles.map((_, at) => at + 1));
  });

  it('are not launched before each message has its own', async () => {
    await add([plain('254700000001'), plain('254700000002')]);
    expect(launch).toThrow('no identity of its own');
    while (!(await identities.finishSome(DRAFT)));
    expect(missing()).toEqual([]);
    expect(launch).not.toThrow();
    expect(() => database.exec(`DELETE FROM identity WHERE campaign = ${DRAFT}`)).toThrow(
      'keeps its identity',
    );
  });

  it('are refused by the ledger where a message joins a launched campaign that has it', async () => {
    await add([plain('254700000001')]);
    while (!(await identities.finishSome(DRAFT)));
    launch();
    const join = (mobile: string, seq: number) =>
      database.exec(`
        INSERT INTO message (campaign, seq, line, mobile, fields, segments, state, actor, queued_at)
        VALUES (${DRAFT}, ${seq}, ${seq}, '${mobile}', '[]', 1, 'queued', 'planner', 0)`);
    expect(() => join('254700000001', 2)).toThrow('UNIQUE');
    join('254700000002', 2);
    expect(missing()).toEqual([]);
  });

  it('are taken anew where putting them in was cut short and undone', async () => {
    for (let at = 0; at < 2 * WINDOW; at++) await add([plain(`odd ${at}`)]);
    expect(missing().length).toBeLessThan(2 * WINDOW);
    database.exec(
      `CREATE TEMP TRIGGER full BEFORE INSERT ON main.identity BEGIN SELECT RAISE (ABORT, 'full'); END; BEGIN`,
    );
    await expect(() => identities.finishSome(DRAFT)).rejects.toThrow('full');
    database.exec('ROLLBACK; DROP TRIGGER full');
    while (!(await identities.finishSome(DRAFT)));
    expect(missing()).toEqual([]);
  });

  it('go with the draft that is discarded, all of them', async () => {
    await add([plain('254700000001'), plain('254700000002')]);
    while (!(await identities.finishSome(DRAFT)));
    while (await identities.discardSome(DRAFT));
    expect(missing()).toEqual([1, 2]);
  });

  it('are found in any order of additions, undone transactions and restarts, as a list of all would find them', async () => {
    const row = fc.record({
      mobile: fc.constantFrom(...MOBILES),
      key: fc.constantFrom(...KEYS),
      occurrence: fc.constantFrom(...OCCURRENCES),
    });
    const step = fc.record({
      rows: fc.array(row, { maxLength: 6 }),
      end: fc.constantFrom('commit', 'commit', 'undo', 'restart', 'finish'),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
        for (const table of ['identity', 'message'])
          database.prepare(`DELETE FROM ${table} WHERE campaign = ?`).run(DRAFT);
        identities = new DraftIdentities(database, campaignRecords(database), WINDOW);
        let known = new Map<string, number>();
        for (const { rows, end } of steps) {
          const before = new Map(known);
          const expected = rows.map((one) => {
            const name = JSON.stringify([one.mobile, one.key, one.occurrence]);
            const seq = known.get(name) ?? null;
            if (seq === null) known.set(name, known.size + 1);
            return seq;
          });
          database.exec('BEGIN');
          expect(await add(rows)).toEqual(expected);
          if (end === 'finish') while (!(await identities.finishSome(DRAFT)));
          database.exec(end === 'undo' ? 'ROLLBACK' : 'COMMIT');
          if (end === 'undo') known = before;
          if (end === 'restart')
            identities = new DraftIdentities(database, campaignRecords(database), WINDOW);
        }
        while (!(await identities.finishSome(DRAFT)));
        expect(missing()).toEqual([]);
      }),
      { numRuns: 60 },
    );
  });
});
