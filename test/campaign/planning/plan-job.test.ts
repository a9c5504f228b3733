import { appendFileSync, existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { loadJob } from '../../../src/campaign/jobs/load-job.ts';
import { contactsOf, hashesOf, openJobContacts } from '../../../src/campaign/planning/job-contacts.ts';
import {
  discardAfter,
  type PlannedJob,
  planJob,
  requireUsableRow,
  senderOf,
  type PlanRequest,
} from '../../../src/campaign/planning/plan-job.ts';
import type { Campaign } from '../../../src/domain/campaign.ts';
import { TumaError } from '../../../src/domain/errors.ts';
import { PlanTally } from '../../../src/domain/plan-tally.ts';
import { ReminderTally } from '../../../src/domain/reminder-tally.ts';
import type { Ledger } from '../../../src/ledger/contracts/ledger.ts';
import { systemClock } from '../../../src/system/clock.ts';
import { makeTempDir } from '../../support/temp-home.ts';

/** A ledger that takes every row and notes what it is asked. */
class FakeLedger {
  readonly asked: unknown[] = [];
  discarded = 0;
  createDraft = async (draft: object) => ({ ...draft, n: 7 });
  addMessages = async (_draft: number, rows: object[], { sender = null }: { sender?: string | null }) => {
    this.asked.push({ rows: rows.length, sender });
    return [];
  };
  stageReminders = async (_draft: number, rows: object[]) => {
    this.asked.push({ staged: rows.length });
    return [];
  };
  suppressed = async ({ mobiles, sender }: { mobiles: string[]; sender: string }) => {
    this.asked.push({ suppressed: mobiles.length, sender });
    return new Map([[mobiles[0], 'opted out']]);
  };
  discardDraft = async () => {
    await new Promise(setImmediate);
    this.discarded += 1;
  };
}

const CSV = 'phone,due\n254700000001,2099-01-05\n254700000002,2099-01-06\nnobody,2099-01-05\n';

interface Given {
  apart?: FakeLedger;
  meanwhile?: (csv: string) => void;
  guards?: PlanRequest['guards'];
}

/** Plans a job of these lines. `apart`: who opted out is in another ledger than the draft. */
async function plan(lines: string, given: Given = {}) {
  const folder = makeTempDir();
  const [file, csv] = [join(folder, 'job.yaml'), join(folder, 'c.csv')];
  writeFileSync(file, `name: n\nsender: DUKA\ncontacts: ./c.csv\nmessage: Hi\n${lines}\n`);
  writeFileSync(csv, CSV);
  const ledger = new FakeLedger();
  const loaded = await loadJob(file);
  const hashes = await hashesOf(loaded, { path: csv, file: csv });
  given.meanwhile?.(csv);
  const rejectsPath = join(folder, 'rejects.csv');
  const setting = {
    gsmSafe: false,
    countries: ['KE'],
    zone: 'Africa/Nairobi',
    currency: 'KES',
    optOutText: '',
  };
  const planned = planJob(
    { ledger: ledger as unknown as Ledger, clock: systemClock, random: Math.random },
    {
      ...setting,
      loaded,
      hashes,
      contacts: { path: csv, file: csv },
      rejectsPlace: { path: rejectsPath, ifTaken: 'refuse' },
      sender: 'DUKA',
      optOuts: (given.apart ?? ledger) as unknown as Ledger,
      guards: given.guards ?? null,
    },
  );
  return { ledger, rejectsPath, planned };
}

describe('planning a job', () => {
  it('refuses contacts that changed since the launch said what they are, and leaves nothing of them', async () => {
    const meanwhile = (csv: string) => appendFileSync(csv, '254700000009,2099-01-05\n');
    const { ledger, rejectsPath, planned } = await plan('kind: promotional', { meanwhile });
    const changed = { code: 'contacts_invalid', message: 'The contacts changed while they were read.' };
    await expect(planned).rejects.toMatchObject(changed);
    expect([ledger.discarded, existsSync(rejectsPath)]).toEqual([1, false]);
  });

  it('counts whom the guards would skip as things are, by the time of the start', async () => {
    const at: number[] = [];
    const guardedBefore: Ledger['guardedBefore'] = async (query) => {
      at.push(query.at);
      return query.messages.map(({ mobile }) => (mobile.endsWith('1') ? 'same text recently' : null));
    };
    const guards = { ledger: { guardedBefore }, at: 7 };
    const { planned } = await plan('kind: promotional', { guards });
    expect((await planned).tally.guarded).toEqual(new Map([['same text recently', 1]]));
    expect(at).toEqual([7]);
    const unguarded = await plan('kind: transactional', { guards });
    expect((await unguarded.planned).tally.guarded.size).toBe(0);
  });

  it('asks who opted out of a promotion: the draft’s ledger with the rows, another one before them', async () => {
    const together = await plan('kind: promotional');
    expect((await together.planned).tally).toMatchObject({ planned: 2, rejected: { suppressed: 0 } });
    expect(together.ledger.asked).toEqual([{ rows: 2, sender: 'DUKA' }]);
    expect((await together.planned).draft.settings.gsmSafe).toBe(false);
    const other = new FakeLedger();
    const apart = await plan('kind: promotional', { apart: other });
    expect((await apart.planned).tally).toMatchObject({ planned: 1, rejected: { suppressed: 1 } });
    expect(other.asked).toEqual([{ suppressed: 2, sender: 'DUKA' }]);
    expect(apart.ledger.asked).toEqual([{ rows: 1, sender: null }]);
    expect((await apart.planned).rejects).toEqual({ path: apart.rejectsPath, rows: 2 });
  });

  it('asks who opted out of promotional reminders before they are staged', async () => {
    const { ledger, planned } = await plan('kind: promotional\nremind: { column: due }');
    expect((await planned).tally.planned).toBe(1);
    expect(ledger.asked).toEqual([{ suppressed: 2, sender: 'DUKA' }, { staged: 1 }]);
  });

  it('leaves nobody out of a transactional job for an opt-out', async () => {
    const { ledger, planned } = await plan('kind: transactional', { apart: new FakeLedger() });
    expect((await planned).tally.planned).toBe(2);
    expect(ledger.asked).toEqual([{ rows: 2, sender: null }]);
  });

  it('takes the contacts and the sender that are given, else the job’s, else the setting', async () => {
    const folder = makeTempDir();
    const file = join(folder, 'job.yaml');
    writeFileSync(file, 'name: n\nkind: promotional\nmessage: Hi\n');
    const bare = await loadJob(file);
    const place = { folder, input: process.stdin };
    expect([(await contactsOf(bare, 'a.csv', place)).file, senderOf(bare, 'SET')]).toEqual(['a.csv', 'SET']);
    expect(() => contactsOf(bare, null, place)).toThrow('No contacts');
    expect(() => senderOf(bare, null)).toThrow('No sender');
    writeFileSync(file, 'name: n\nkind: promotional\nmessage: Hi\nsender: JOB\ncontacts: c.csv\n');
    const full = await loadJob(file);
    expect([(await contactsOf(full, 'a.csv', place)).file, senderOf(full, 'SET')]).toEqual(['a.csv', 'JOB']);
    expect((await contactsOf(full, null, place)).file).toBe(join(folder, 'c.csv'));
    const missing = (path: string) => hashesOf(full, { path, file: path });
    await expect(missing(join(folder, 'c.csv'))).rejects.toMatchObject({ code: 'job_invalid' });
    await expect(missing(join(folder, 'x.csv'))).rejects.toMatchObject({ code: 'not_found' });
  });
});

describe('a plan with nobody to send to', () => {
  const of = (rows: { planned?: number; unchanged?: number; past?: number; before?: number }): PlannedJob => {
    const tally = Object.assign(new PlanTally(''), {
      planned: rows.planned ?? 0,
      unchanged: rows.unchanged ?? 0,
    });
    const reminders = new ReminderTally({ zone: 'UTC', keyed: false });
    for (let line = 0; line < (rows.past ?? 0); line += 1) reminders.addPast(line);
    reminders.remindedBefore = rows.before ?? 0;
    const named = rows.past === undefined ? null : { tally: reminders, each: 1, upload: null };
    const contacts = {} as PlannedJob['contacts'];
    return { draft: {} as Campaign, contacts, tally, rejects: null, reminders: named };
  };

  it.each([
    [{}, 'a header and no row'],
    [{ planned: 1 }, null],
    [{ planned: 2, past: 2 }, 'The moments of all 2 reminders are past, or an earlier campaign sent them.'],
    [{ planned: 3, past: 2 }, null],
    [
      { planned: 3, past: 2, before: 1 },
      'The moments of all 3 reminders are past, or an earlier campaign sent them.',
    ],
    [{ planned: 2, past: 2, unchanged: 1 }, null],
    [{ unchanged: 1, past: 0 }, null],
  ])('%j: %s', (rows, refusal) => {
    const attempt = () => requireUsableRow(of(rows), 'c.csv');
    if (refusal === null) expect(attempt).not.toThrow();
    else expect(attempt).toThrow(refusal);
  });

  it('the reason why a draft is discarded outlives a disk that is too full to discard it, and a bug does not hide', async () => {
    const draft = { n: 7 } as Campaign;
    const failing = (error: Error) => ({
      discardDraft: async () => {
        throw error;
      },
    });
    const full = failing(new TumaError('ledger_full', { message: 'full' }));
    await discardAfter(new Error('first'), { ledger: full, draft });
    const broken = discardAfter(new Error('first'), { ledger: failing(new Error('bug')), draft });
    await expect(broken).rejects.toBeInstanceOf(AggregateError);
  });
});

it('the column of the numbers is known by its cells also where only the job allows their country', async () => {
  const folder = makeTempDir();
  const [file, csv] = [join(folder, 'job.yaml'), join(folder, 'c.csv')];
  writeFileSync(
    file,
    'name: n\nkind: promotional\nmessage: Hi\nsender: JOB\ncontacts: c.csv\ncountries: [TZ]\n',
  );
  writeFileSync(csv, 'Jina,Wateja\nAsha,+255712345678\n');
  const contacts = { path: csv, file: csv };
  await using opened = await openJobContacts(await loadJob(file), { contacts, countries: ['KE', 'UG'] });
  expect([opened.mobileColumn, opened.countries]).toEqual([1, ['KE', 'TZ']]);
});
