import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { PlanDocument } from '../../../src/campaign/planning/plan-document.ts';
import { LEDGERS_HERE } from '../../support/ledger-here.ts';
import { planText } from '../../../src/cli/text/plan-text.ts';
import { systemProcesses } from '../../../src/system/processes.ts';
import { MemoryLog } from '../../collector/fake-store.ts';
import { makeTempDir } from '../../support/temp-home.ts';
import { tuma } from '../command-line.ts';
import { openLaunchingHome } from '../launching-home.ts';

it('what nobody sees in a name is told by the numbers of its characters and the rows, and turns no text around [X15]', async () => {
  const folder = makeTempDir();
  const names = ['Ann', '\u202eBob', 'Carol\u2066\u2069', 'Wanjik\u0169', 'Dan\u200b', 'Eve\u202e'];
  const rows = names.map((name, index) => `07123456${10 + index},${name}\n`);
  writeFileSync(join(folder, 'c.csv'), `phone,name\n${rows.join('')}`);
  const job = join(folder, 'job.yaml');
  const keys = ['name: odd', 'kind: transactional', 'sender: DUKA', 'contacts: ./c.csv'];
  writeFileSync(job, `${keys.join('\n')}\nmessage: "Hi <<name>>, it is here."\n`);
  const { stdout } = await tuma(['plan', job], { env: { TUMA_HOME: join(folder, 'home') } });
  const told = stdout
    .split('\n')
    .flatMap((line) => /^ +\d+ {2}(\S+) {2}.*\((line .*)\)$/.exec(line)?.slice(1).join(': ') ?? []);
  expect(told).toEqual([
    'U+202E: line 3, 7',
    'U+2066: line 4',
    'U+2069: line 4',
    '\u0169: line 5',
    'U+200B: line 6',
  ]);
  expect(stdout).not.toMatch(/\p{Bidi_Control}/u);
});

/** The line of the time in a plan with this forecast, read at 20:00 of a Sunday in Nairobi. */
function timeOf(forecast: Partial<PlanDocument['forecast']>): string {
  const text = planText(plannedBy(forecast), {
    zone: 'Africa/Nairobi',
    now: Date.parse('2026-11-22T17:00:00Z'),
    paint: (_style, words) => words,
  });
  return /^time +(.*)$/m.exec(text)?.[1] ?? '';
}

const UNKNOWN_COST = {
  currency: 'KES',
  basis: 'unknown' as const,
  lower: null,
  upper: null,
  others_lower: null,
  others_upper: null,
};

function plannedBy(forecast: Partial<PlanDocument['forecast']>): PlanDocument {
  const none = { rate_per_second: null, finishes_at: null, window_closes_at: null };
  return {
    campaign: { name: 'promo', kind: 'promotional', sender: 'DUKA' },
    contacts: {
      mobile_column: 'phone',
      mobiles: [],
      found_by: 'header',
      numbers: 1,
      of: 1,
      encoding: 'utf-8',
      samples: [],
      header_line: 1,
      title_lines: 0,
      sheet: null,
    },
    rows: { read: 1, planned: 1, unchanged: 0, duplicate: 0, invalid: 0, suppressed: 0 },
    reasons: [],
    rejects: null,
    encoding: { gsm7: 1, ucs2: 0 },
    segments: { planned: 1, one: 1, two: 0, more: 0 },
    lengths: [{ segments: 1, messages: 1 }],
    ucs2_characters: [],
    gsm_saves_segments: 0,
    cost: { ...UNKNOWN_COST, unknown_for: [], parts: [] },
    balance: {
      before: null,
      after_lower: null,
      after_upper: null,
      planned_before: { cost: '0.00', campaigns: [], more: 0, unpriced: 0 },
      left: null,
    },
    start: { at: null, missed: false, firings: [], rereads: false },
    forecast: { ...none, starts_at: '2026-11-22T17:00:00Z', fits: null, goes_on_at: null, ...forecast },
    reminders: null,
    examples: [],
    longest: null,
    asked: null,
    asked_there: [],
    guards: { canary: null, same_text_seconds: null, most: null, same_text_now: 0, most_now: 0 },
    warnings: [],
    refused: false,
  };
}

it('without a rate the hours are told all the same: when it begins, and when they end', () => {
  expect(timeOf({})).toBe('as fast as the service answers (no rate is set)');
  const hours = { starts_at: '2026-11-23T05:00:00Z', window_closes_at: '2026-11-23T15:00:00Z' };
  expect(timeOf(hours)).toBe(
    'from Mon 23 Nov 2026, 08:00 as fast as the service answers (no rate is set); the window closes Mon 23 Nov 2026, 18:00',
  );
  expect(timeOf({ window_closes_at: '2026-11-22T18:00:00Z' })).toBe(
    'as fast as the service answers (no rate is set); the window closes Sun 22 Nov 2026, 21:00',
  );
});

it('a rate of which nobody can tell the end is not called none', () => {
  expect(timeOf({ rate_per_second: 0.01 })).toBe('at 36/h it takes more than half a year');
});

it('a rate for this command alone is told as such while another process sends', async () => {
  const launching = await openLaunchingHome();
  const { home, env } = launching;
  const job = join(home, 'promo.yaml');
  writeFileSync(
    job,
    'name: promo\nkind: transactional\nsender: DUKA\ncontacts: ./c.csv\nwindow: always\nmessage: Hi\n',
  );
  writeFileSync(join(home, 'c.csv'), 'phone\n254700000001\n');
  const ledger = await LEDGERS_HERE.write({
    file: join(home, 'ledger.db'),
    stateFolder: home,
    log: new MemoryLog(),
  });
  const said = 'a worker runs already and sends this at its own TUMA_RATE, not at the 5/s given here';
  const plan = (...flags: string[]) => tuma(['plan', job, ...flags], { env });
  expect((await plan('--rate', '5/s')).stdout).not.toContain(said);
  await ledger.registerWorker(systemProcesses('worker').self(), Date.now());
  expect((await plan()).stdout).not.toContain('a worker runs already');
  const both = [await plan('--rate', '5/s'), await tuma(['launch', job, '--yes', '--rate', '5/s'], { env })];
  expect(both[0]?.stdout).toContain(`! ${said}: what holds`);
  expect(both[1]?.stderr).toMatch(/`rate` in the job, or tuma rate promo 5\/s\n/);
  await ledger.close();
  await launching.close();
});
