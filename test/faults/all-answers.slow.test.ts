import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { AnswerName } from '../../src/sandbox/api/answers.ts';
import { truthEntries } from '../../src/sandbox/truth/truth.ts';
import type { TestProcess } from '../support/processes.ts';
import { makeTempDir } from '../support/temp-home.ts';
import { checkRun, unjoinedReports } from './check.ts';
import { ended, mobileOf, openStage, type Stage } from './harness.ts';

/** An answer by its name, or the answer with that response code. */
type Odd = AnswerName | `200_fail_code ${number}`;

/** What must become of a message that is answered so the first time; `some` where the moment of a reset decides. */
const ENDS: Record<AnswerName, string> & Partial<Record<Odd, string>> = {
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
  '200_fail_code 1001': 'sent',
  '200_fail_code 1999': 'uncertain',
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
const ODD = Object.keys(ENDS) as Odd[];
/** Between two that are answered oddly: what counts in a row is to count by itself. */
const APART = 8;
const CONTACTS = ODD.length * APART;
/** So much faster passes the time of what sends than that of the provider. */
const CLOCK_SPEED = 4;
/** Longer than any wait of Tuma's own choosing: a message's, a breaker's first. */
const RETRY_AFTER_S = 80;
const numberOf = (odd: Odd) => mobileOf(ODD.indexOf(odd) * APART + 3);

interface Row {
  mobile: string;
  state: string;
  messageid: string | null;
  flags: string | null;
  delivery: string | null;
  /** When its verdict was recorded, and when its first report came, by the clock of what sends. */
  settledAt: number;
  reportedAt: number | null;
}

function rowsOf(stage: Stage): Map<string, Row> {
  const database = new DatabaseSync(stage.ledgerFile, { readOnly: true, timeout: 5_000 });
  const all = `SELECT mobile, state, messageid, flags, delivery, settled_at AS settledAt,
    (SELECT min(received_at) FROM report WHERE report.campaign = message.campaign AND report.seq = message.seq) AS reportedAt FROM message`;
  const rows = database.prepare(all).all() as unknown as Row[];
  database.close();
  return new Map(rows.map((row) => [row.mobile, row]));
}

function ruleFor(odd: Odd): string {
  const [answer, code] = odd.split(' ');
  const more = code === undefined ? '' : `, code: "${code}"`;
  return `- { mobile: "${numberOf(odd)}", answer: ${answer}, times: 1, retry_after: ${RETRY_AFTER_S}${more} }\n`;
}

/** Resumes a campaign as often as it pauses, until the launch that waits for it has ended. Answers the reasons, in order. */
async function seeThrough(stage: Stage, run: TestProcess, flags: string[] = []): Promise<(string | null)[]> {
  const reasons: (string | null)[] = [];
  const state = { over: false };
  void run.exited.then(() => (state.over = true));
  while (!state.over) {
    const { document } = await stage.tuma(['report', 'faults']);
    if (document?.campaign.state === 'paused') {
      reasons.push(document.campaign.reason);
      await stage.tuma(['resume', 'faults', ...flags]);
    }
    await sleep(500);
  }
  return reasons;
}

/** The milliseconds from a message's refusal to its acceptance, by the provider's clock. */
async function waitOf(stage: Stage, mobile: string): Promise<number> {
  const at = { refused: NaN, accepted: NaN };
  for await (const entry of truthEntries(stage.provider.truthFile))
    if ((entry.event === 'refused' || entry.event === 'accepted') && entry.mobile === mobile)
      at[entry.event] = entry.at;
  return at.accepted - at.refused;
}

test('in one campaign every answer ends its own message as it must, and no other [P2 P3 P4 P5 P6 P6b P7 P8 P9 P9b P10 P11 P12 P13 P14 P15 P16 P17 W6 I14]', async () => {
  const script = join(makeTempDir(), 'answers.yaml');
  writeFileSync(script, ODD.map(ruleFor).join(''));
  const stage = await openStage({
    contacts: CONTACTS,
    // No other report is as early as the one that comes before its answer.
    sandbox: { faults: { script }, reportDelayMs: { min: 500, max: 900 } },
    env: { TUMA_RATE: '20/s' },
  });
  const run = stage.launch({ hook: { clockSpeed: CLOCK_SPEED } });
  const paused = await seeThrough(stage, run);
  const { code, document, stderr } = await ended(run);
  expect(code, stderr).toBe(3);
  // A person was asked where it is nobody's message that is at fault.
  expect(paused).toEqual(expect.arrayContaining(['credentials', 'errors']));
  const rows = rowsOf(stage);
  const odd = ODD.map((answer) => ({ answer, row: rows.get(numberOf(answer)) }));
  expect(odd.filter(({ answer, row }) => !ENDS[answer]?.split(' or ').includes(row?.state ?? ''))).toEqual(
    [],
  );
  const numbers = new Set(ODD.map(numberOf));
  const others = [...rows.values()].filter(({ mobile }) => !numbers.has(mobile));
  expect(others.filter(({ state }) => state !== 'sent')).toEqual([]);
  expect(others).toHaveLength(CONTACTS - ODD.length);
  const { acceptedByMobile } = await stage.provider.truth();
  expect([...acceptedByMobile].filter(([, times]) => times > 1)).toEqual([]);
  const of = (answer: Odd) => rows.get(numberOf(answer));
  expect(of('200_dup_id')?.flags).toContain('id_conflict');
  // Each under its own id: not a stray answer's, and no digit of a long one lost.
  const lostAnswers = odd.filter(({ row }) => row?.state === 'uncertain').length;
  await checkRun(stage, { kills: 0, lostAnswers, report: document });
  for (const throttle of ['429', '503_retry_after'] as const)
    expect(await waitOf(stage, numberOf(throttle))).toBeGreaterThan(
      (RETRY_AFTER_S * 1_000) / CLOCK_SPEED - 50,
    );
  const [early, usual] = [of('dlr_before_response'), of('ok')];
  expect(early?.delivery).toMatch(/^(un)?delivered$/);
  expect(early?.reportedAt).toBeLessThan(early?.settledAt ?? NaN);
  expect(usual?.reportedAt).toBeGreaterThan(usual?.settledAt ?? NaN);
  // Which of its two messages a report means that names their one id, nobody can know.
  const repeated = of('200_dup_id')?.messageid ?? '';
  expect((await unjoinedReports(stage)).filter((line) => !line.includes(repeated))).toEqual([]);
  expect(await stage.tuma(['verify'])).toMatchObject({ code: 0 });
});

test('three refused senders in a row pause a campaign, and so do five unlisted codes; it goes on under another sender [P6b P9b]', async () => {
  const script = join(makeTempDir(), 'answers.yaml');
  writeFileSync(script, '- { answer: 200_fail_code, code: "1999", times: 5 }\n');
  // Slow enough that each is answered before the next one leaves.
  const stage = await openStage({
    contacts: 40,
    sandbox: { senders: ['KIOSK'], faults: { script } },
    env: { TUMA_RATE: '8/s' },
  });
  const run = stage.launch();
  const reasons = await seeThrough(stage, run, ['--sender', 'KIOSK']);
  const { code, document, stderr } = await ended(run);
  expect(code, stderr).toBe(3);
  expect(reasons).toEqual(['sender', 'errors']);
  const findings = await checkRun(stage, { kills: 0, lostAnswers: 5, report: document });
  expect(findings).toMatchObject({ sent: 35, uncertain: 5 });
  expect([3, 4]).toContain((await stage.provider.truth()).refused.get('1001'));
});
