import { DatabaseSync } from 'node:sqlite';
import { beforeAll, expect, it } from 'vitest';
import { type Came, LedgerStory } from '../support/ledger-story.ts';
import { tuma } from './command-line.ts';
import { clock } from '../../src/reports/report-words.ts';

/* `tuma resolve CAMPAIGN --evidence`, of a campaign with more uncertain messages than are listed. */

const LISTED = 1_000;
const MESSAGES = LISTED + 2;
const UNLISTED = { httpStatus: 200, code: '1999', raw: '{"response-code":1999,\n "mobile":"2547****0002"}' };
const LONG = { httpStatus: 502, code: null, raw: `\u001b[2Jbad gateway ${'x'.repeat(200)} its end` };

interface Listed {
  uncertain: { line: number; evidence: { raw: string } | null }[];
  uncertain_total: number;
  more: boolean;
}

let env: Record<string, string>;
let settledAt: string;
let file: string;

beforeAll(async () => {
  const story = await LedgerStory.begin();
  story.now = Date.now() - 60_000;
  settledAt = new Date(story.now).toISOString();
  env = { TUMA_HOME: story.directory };
  file = story.file;
  const n = await story.launch({ messages: MESSAGES, settings: { batchSize: LISTED } });
  await story.claim();
  const came: Record<number, Came> = {};
  for (let seq = 1; seq <= MESSAGES; seq += 1)
    came[seq] = { to: 'uncertain', reason: 'unlisted code', evidence: UNLISTED };
  came[1] = { to: 'uncertain', reason: 'worker died' };
  came[MESSAGES] = { to: 'uncertain', reason: 'server error', evidence: LONG };
  await story.record(n, came);
  await tuma(['resolve', 'bf', '--write-off', '--line', '2'], { env });
  const database = new DatabaseSync(story.file);
  database.exec(`UPDATE message SET flags = 'cost_unreadable,id_conflict' WHERE seq = 2`);
  database.close();
});

async function listed(...flags: string[]): Promise<Listed> {
  const { code, stdout, stderr } = await tuma(['resolve', 'bf', '--evidence', '--json', ...flags], { env });
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return JSON.parse(stdout) as Listed;
}

it('says what came back of each, which are written off, and how many there are beyond those that are listed', async () => {
  const { uncertain, uncertain_total: total, more } = await listed();
  expect([uncertain.length, total, more]).toEqual([LISTED, MESSAGES, true]);
  const same = { mobile: '2547****0002', key: '', attempts: 1, since: settledAt, old_enough: false };
  expect(uncertain.slice(0, 2)).toEqual([
    {
      ...same,
      line: 2,
      mobile: '2547****0001',
      reason: 'worker died',
      written_off: true,
      flags: [],
      evidence: null,
    },
    {
      ...same,
      line: 3,
      reason: 'unlisted code',
      written_off: false,
      flags: ['cost_unreadable', 'id_conflict'],
      evidence: { at: settledAt, http_status: 200, code: '1999', raw: UNLISTED.raw },
    },
  ]);
  const { stdout, stderr } = await tuma(['resolve', 'bf', '--evidence'], { env });
  expect(stdout.split('\n').slice(0, 3)).toEqual([
    'line\tmobile\tkey\tsince\twhy\twritten off\thttp\tcode\tanswer',
    `2\t2547****0001\t\t${clock(settledAt, 'Africa/Nairobi')}\tworker died\tyes\t\t\t`,
    `3\t2547****0002\t\t${clock(settledAt, 'Africa/Nairobi')}\tunlisted code\t\t200\t1999\t{"response-code":1999, "mobile":"2547****0002"}`,
  ]);
  expect(stderr).toBe('and 2 more: --line N or --mobile NUMBER shows the one you look for.\n');
});

it('finds a line and a number wherever they are, and cuts a long answer in the table only', async () => {
  for (const which of [
    ['--line', String(MESSAGES + 1)],
    ['--mobile', '0700001002'],
  ]) {
    const { uncertain, uncertain_total: total, more } = await listed(...which);
    expect([total, more]).toEqual([1, false]);
    expect(uncertain).toMatchObject([{ line: MESSAGES + 1, evidence: { http_status: 502, raw: LONG.raw } }]);
    const { stdout, stderr } = await tuma(['resolve', 'bf', '--evidence', ...which], { env, columns: 180 });
    expect(stdout).toMatch(
      / 502 +\ufffd\[2Jbad gateway x{63}…\n\n1,001 messages wait for a decision\. The balance cannot tell which were charged\.\n$/,
    );
    expect(stderr).toBe('');
  }
});

it('says so when no such message is uncertain', async () => {
  expect(await listed('--line', '9999')).toMatchObject({ uncertain: [], uncertain_total: 0, more: false });
  const none = await tuma(['resolve', 'bf', '--evidence', '--line', '9999'], { env });
  expect(none.stdout).toBe('No message of that line or number of black-friday is uncertain.\n');
});

it('refuses a line that several messages are of, as corrected contacts bring about, unless the number is named', async () => {
  const database = new DatabaseSync(file);
  database.exec('UPDATE message SET line = 11 WHERE seq = 11');
  database.close();
  const refused = await tuma(['resolve', 'bf', '--sent', '--line', '11'], { env });
  expect([refused.code, refused.stdout]).toEqual([2, '']);
  expect(refused.stderr).toContain('2 uncertain messages are of line 11');
  const decided = await tuma(['resolve', 'bf', '--sent', '--line', '11', '--mobile', '0700000011'], { env });
  expect([decided.code, decided.stdout]).toEqual([
    0,
    '1 message of black-friday called sent, cost unknown.\n',
  ]);
  const one = await tuma(['resolve', 'bf', '--sent', '--line', '11'], { env });
  expect(one.stdout).toContain('1 message of black-friday');
});

it('says of reminders that are called not sent, or retried, that they go once and in time', async () => {
  const story = await LedgerStory.begin();
  story.now = Date.now() - 3_600_000;
  const remind = { column: 'due', offset: '0d', atMinute: 540, format: null, keyed: true };
  const n = await story.launch({ messages: 1, settings: { remind } });
  await story.claim();
  await story.record(n, { 1: { to: 'uncertain', reason: 'worker died' } });
  for (const [verb, said] of [
    [['retry', 'bf'], 'No rejected message of black-friday can be helped by a retry.\n'],
    [['resolve', 'bf', '--not-sent'], '1 message of black-friday called not sent.\n'],
  ] as const) {
    const { stdout, stderr } = await tuma([...verb], { env: { TUMA_HOME: story.directory } });
    expect([stdout, stderr]).toEqual([said, expect.stringContaining('A reminder goes once,')]);
  }
});

it('says how many of them the balance explains as charged', async () => {
  const story = await LedgerStory.begin();
  story.now = Date.now() - 120_000;
  const n = await story.launch({ messages: 4 });
  await story.readBalance(100_000_000);
  story.now += 1_000;
  await story.claim();
  story.now += 1_000;
  await story.record(n, {
    1: { to: 'sent', costMicro: 800_000 },
    2: { to: 'sent', costMicro: 800_000 },
    3: { to: 'uncertain', reason: 'worker died' },
    4: { to: 'uncertain', reason: 'worker died' },
  });
  story.now += 1_000;
  await story.readBalance(97_600_000);
  const own = { TUMA_HOME: story.directory };
  const { stdout } = await tuma(['resolve', 'bf', '--evidence'], { env: own });
  expect(stdout).toContain(
    '2 messages wait for a decision. The credit fell by KES 0.80 more than the known charges: it explains 1 of 2 as charged.',
  );
  const json = JSON.parse(
    (await tuma(['resolve', 'bf', '--evidence', '--json'], { env: own })).stdout,
  ) as object;
  expect(json).toMatchObject({
    credit: { waiting: 2, at_stake: '1.60', unexplained: '0.80', explains: 1 },
  });
  const status = await tuma(['status', 'bf'], { env: own });
  expect(status.stdout).toContain('2, 2 wait for a decision: tuma resolve bf-1 --evidence');
});
