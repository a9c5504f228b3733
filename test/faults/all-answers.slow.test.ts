import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test, vi } from 'vitest';
import { ANSWERS, type AnswerName } from '../../src/sandbox/answers.ts';
import { makeTempDir } from '../support/temp-home.ts';
import { mobileOf, openStage, type Stage } from './harness.ts';

vi.setConfig({ testTimeout: 300_000 });

/** What must become of a message that is answered so the first time; `some` where the moment of a reset decides. */
const ENDS: Record<AnswerName, string> = {
  ok: 'sent',
  delay: 'sent',
  hang: 'uncertain',
  rst_on_accept: 'sent or uncertain',
  rst_after_headers: 'uncertain',
  rst_after_body: 'uncertain',
  fin_after_body: 'uncertain',
  half_body: 'uncertain',
  drip: 'uncertain',
  drip_headers: 'uncertain',
  chunked_forever: 'uncertain',
  '1xx_flood': 'uncertain',
  html_502: 'uncertain',
  redirect_307: 'rejected',
  '401_json': 'sent',
  '400_json': 'rejected',
  '429': 'sent',
  '500': 'uncertain',
  '503': 'uncertain',
  '503_retry_after': 'sent',
  '200_fail_code': 'rejected',
  '200_garbage': 'uncertain',
  '200_empty': 'uncertain',
  '200_no_id': 'uncertain',
  '200_dup_id': 'sent',
  '200_wrong_mobile': 'uncertain',
  '200_number_code': 'sent',
  '200_number_id': 'sent',
  '200_bad_cost': 'sent',
  unsolicited_second_response: 'sent',
  gzip_bomb: 'uncertain',
  '64k_header': 'uncertain',
  dlr_before_response: 'sent',
};
const NAMES = Object.keys(ANSWERS) as AnswerName[];
/** Between two that are answered oddly: what counts in a row is to count by itself. */
const APART = 8;
const CONTACTS = NAMES.length * APART;
const numberOf = (index: number) => mobileOf(index * APART + 3);

interface Row {
  mobile: string;
  state: string;
  flags: string | null;
  cost: number | null;
}

function rowsOf(stage: Stage): Map<string, Row> {
  const database = new DatabaseSync(stage.ledgerFile, { readOnly: true, timeout: 5_000 });
  const rows = database.prepare('SELECT mobile, state, flags, cost FROM message').all() as unknown as Row[];
  database.close();
  return new Map(rows.map((row) => [row.mobile, row]));
}

test('P1 P2 P3 P4 P5 P6 P7 P8 P9 P10 P11 P12 P13 P14 P15 P16 P17 I14: in one campaign every answer ends its own message as it must, and no other', async () => {
  const script = join(makeTempDir(), 'answers.yaml');
  const rules = NAMES.map((name, index) => `- { mobile: "${numberOf(index)}", answer: ${name}, times: 1 }\n`);
  writeFileSync(script, rules.join(''));
  const stage = await openStage({
    contacts: CONTACTS,
    sandbox: { faults: { script } },
    env: { TUMA_RATE: '20/s' },
  });
  const run = stage.launch({ hook: { clockSpeed: 4 } });
  const paused = new Set<string | null>();
  const state = { over: false };
  void run.exited.then(() => (state.over = true));
  while (!state.over) {
    const { document } = await stage.tuma(['report', 'faults']);
    if (document?.campaign.state === 'paused') {
      paused.add(document.campaign.reason);
      await stage.tuma(['resume', 'faults']);
    }
    await sleep(500);
  }
  expect((await run.exited).code, run.stderr()).toBe(3);
  // A person was asked where it is nobody's message that is at fault.
  expect([...paused]).toEqual(expect.arrayContaining(['credentials', 'errors']));
  const rows = rowsOf(stage);
  const odd = NAMES.map((name, index) => ({ name, row: rows.get(numberOf(index)) }));
  expect(odd.filter(({ name, row }) => !ENDS[name].split(' or ').includes(row?.state ?? ''))).toEqual([]);
  const numbers = new Set(NAMES.map((_, index) => numberOf(index)));
  const others = [...rows.values()].filter(({ mobile }) => !numbers.has(mobile));
  expect(others.filter(({ state }) => state !== 'sent')).toEqual([]);
  expect(others).toHaveLength(CONTACTS - NAMES.length);
  const { acceptedByMobile } = await stage.provider.truth();
  expect([...acceptedByMobile].filter(([, times]) => times > 1)).toEqual([]);
  const of = (name: AnswerName) => rows.get(numberOf(NAMES.indexOf(name)));
  expect(of('200_dup_id')?.flags).toContain('id_conflict');
  expect(of('200_bad_cost')?.cost).toBeNull();
  expect(await stage.tuma(['verify'])).toMatchObject({ code: 0 });
});
