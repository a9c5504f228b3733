import {
  createReadStream,
  existsSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
  rmSync,
} from 'node:fs';
import { reasonText, type RowReason } from '../../../src/domain/row-reason.ts';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type PlanApart, planOrder } from '../../../src/campaign/prepare/plan-order.ts';
import type { DonePlan, Preparation, PreparationActor } from '../../../src/campaign/prepare/preparation.ts';
import { KEPT_MS, KeyUsed, Preparations } from '../../../src/campaign/prepare/preparations.ts';
import type { PrepareEnv } from '../../../src/campaign/prepare/prepare-env.ts';
import { askedFrom } from '../../../src/ledger/contracts/asked-from.ts';
import type { Ledger } from '../../../src/ledger/contracts/ledger.ts';
import type { LedgerReader } from '../../../src/ledger/contracts/reader.ts';
import { systemProcesses } from '../../../src/system/processes.ts';
import { MemoryLog } from '../../collector/fake-store.ts';
import { LAUNCH_SETTINGS } from '../../support/launch-settings.ts';
import { openLedgerHere, openReaderHere } from '../../support/ledger-here.ts';
import { makeTempDir } from '../../support/temp-home.ts';

const KES = 1_000_000;
const ASHA: PreparationActor = { name: 'asha', identities: ['asha'], mayApprove: false };
const BRIAN: PreparationActor = { name: 'brian', identities: ['brian', 'user 1'], mayApprove: true };
const JOB = { name: 'promo', kind: 'transactional', message: 'Hi <<name>>', window: 'always' } as const;
const LIST = 'phone,name\n254700000001,Asha\n254700000002,Juma\n12,Nobody\n';

let home: string;
let ledger: Ledger;
let reader: LedgerReader;
let credit: number;
let now: number;
let preparations: Preparations;
let env: PrepareEnv;

beforeEach(async () => {
  home = makeTempDir();
  credit = 100 * KES;
  now = Date.UTC(2026, 10, 27, 6);
  ledger = await openLedgerHere(join(home, 'ledger.db'));
  reader = await openReaderHere(join(home, 'ledger.db'));
  const clock = { now: () => now, monotonic: () => now, sleep: async () => undefined };
  const planApart: PlanApart = (order, progress) =>
    planOrder(
      {
        ledger,
        reader: async () => reader,
        clock,
        processes: systemProcesses('command'),
        random: Math.random,
        copies: join(home, 'tmp'),
        progress,
        signal: new AbortController().signal,
      },
      order,
    );
  env = {
    ledger,
    reader: async () => reader,
    provider: async () => ({
      send: () => Promise.reject(new Error('a launch sends nothing')),
      balance: async () => ({ outcome: 'balance', creditMicro: credit, clientId: 'C-1' }),
      mapAnswers: () => undefined,
      close: async () => undefined,
    }),
    settings: {
      ...LAUNCH_SETTINGS,
      sender: 'DUKA',
      prices: [0.8 * KES],
      ledgerPlace: join(home, 'ledger.db'),
    },
    clock,
    random: Math.random,
    log: new MemoryLog(),
    processes: systemProcesses('command'),
    sharedFolder: home,
    copies: join(home, 'tmp'),
    jobs: null,
    planApart,
  };
  preparations = new Preparations(env);
});
afterEach(async () => {
  await reader.close();
  await ledger.close();
});

const contacts = (text = LIST) => ({
  name: 'wateja.csv',
  stream: Readable.from([Buffer.from(text)]),
  length: null,
});

async function ready(actor = ASHA, job: object = JOB): Promise<Preparation> {
  const { id, revision } = await preparations.create(actor, { job });
  return preparations.keepContacts(id, { revision, actor, ...contacts() });
}

async function plannedOf(
  { id, revision }: Preparation,
  actor = ASHA,
): Promise<Preparation & { plan: DonePlan }> {
  await preparations.plan(id, { revision, actor });
  const planned = await preparations.planned(id);
  if (planned.plan?.planning !== 'done') throw new Error(JSON.stringify(planned.plan));
  return { ...planned, plan: planned.plan };
}

const yes = ({ revision, plan }: Preparation & { plan: DonePlan }, actor = ASHA) => ({
  revision,
  actor,
  digest: plan.digest,
  accepted: plan.questions,
});

const campaigns = async () =>
  (await reader.campaigns()).map(({ campaign, messages }) => [campaign.name, messages.queued]);

describe('a preparation', () => {
  it('is kept with its contacts, seen and previewed, planned without a trace, and launched in one commit', async () => {
    const made = await ready();
    expect(made).toMatchObject({
      revision: 2,
      state: 'open',
      contacts: { name: 'wateja.csv', format: 'csv' },
    });
    // Another process finds the same.
    expect(await new Preparations(env).find(made.id)).toEqual(made);
    expect(await preparations.look(made.id)).toMatchObject({
      header: ['phone', 'name'],
      headerLine: 1,
      mobile: { column: 0, numbers: 2, of: 3 },
      rows: [{ line: 2 }, { line: 3 }, { line: 4 }],
    });
    expect(await preparations.preview(made.id, 'first')).toMatchObject({
      line: 2,
      text: 'Hi Asha',
      segments: 1,
    });
    expect(await preparations.preview(made.id, { after: 2 }, { message: 'Bei “ <<name>>' })).toMatchObject({
      text: 'Bei “ Juma',
      encoding: 'ucs2',
      costly: [{ character: '“', replacement: '"' }],
    });
    expect(await preparations.preview(made.id, { line: 4 })).toMatchObject({
      text: '',
      problem: expect.any(String) as string,
    });
    const planned = await plannedOf(made);
    expect(planned.plan.document.rows).toMatchObject({ read: 3, planned: 2, invalid: 1 });
    expect(planned.plan.questions).toEqual(['new_ledger', 'cost']);
    expect((await preparations.rejects(made.id))?.name).toBe('promo-rejects.csv');
    expect(await campaigns()).toEqual([]);
    const { campaign } = await preparations.launch(made.id, yes(planned));
    expect(await campaigns()).toEqual([['promo', 2]]);
    expect(await preparations.find(made.id)).toMatchObject({ state: 'launched', campaign });
    // The files with the numbers are gone, and a second click is the same launch.
    expect(existsSync(join(home, 'preparations', made.id))).toBe(false);
    expect(await preparations.launch(made.id, yes(planned))).toMatchObject({ campaign });
    expect(await campaigns()).toEqual([['promo', 2]]);
    await expect(preparations.change(made.id, { revision: 2, actor: ASHA, job: {} })).rejects.toMatchObject({
      code: 'state_forbids',
    });
  });

  it('launches nothing when it was changed, when the plan is another one than was seen, or when nobody accepted it', async () => {
    const made = await ready();
    const planned = await plannedOf(made);
    await expect(
      preparations.launch(made.id, { ...yes(planned), accepted: ['new_ledger'] }),
    ).rejects.toMatchObject({
      code: 'declined',
    });
    const again = await plannedOf(
      await preparations.change(made.id, { revision: 2, actor: BRIAN, job: { message: 'Hello' } }),
    );
    expect(again.editors).toEqual(['asha', 'brian', 'user 1']);
    await expect(preparations.launch(made.id, yes(planned))).rejects.toMatchObject({
      code: 'preparation_changed',
    });
    // One of the two sends STOP while the page is open.
    credit = KES;
    await expect(preparations.launch(made.id, yes(again))).rejects.toMatchObject({
      code: 'preparation_changed',
    });
    expect(await campaigns()).toEqual([]);
    const shown = await preparations.find(made.id);
    expect((shown.plan as DonePlan).document.warnings).toContainEqual({
      code: 'balance_short',
      facts: { currency: 'KES', missingMicro: expect.any(Number) },
    });
    await preparations.launch(made.id, yes({ ...shown, plan: shown.plan as DonePlan }));
    expect(await campaigns()).toEqual([['promo', 2]]);
  });

  it('converts a sheet of a workbook once, whoever looks at it, and forgets it with new contacts', async () => {
    const { id, revision } = await preparations.create(ASHA, { job: JOB });
    const bytes = readFileSync(join(import.meta.dirname, '../../contacts/workbooks/two-sheets.xlsx'));
    const stream = () => Readable.from([bytes]);
    const given = { actor: ASHA, name: 'a.xlsx', length: null };
    const kept = await preparations.keepContacts(id, { ...given, revision, stream: stream() });
    const folder = join(home, 'preparations', id);
    const copies = () => readdirSync(folder).filter((file) => /^sheet-.*\.csv$/.test(file));
    const first = await preparations.look(id);
    const [copy = ''] = copies();
    const { ino } = statSync(join(folder, copy));
    expect(await preparations.look(id)).toEqual(first);
    expect((await preparations.preview(id, 'first', { message: 'Hi' }))?.text).toBe('Hi');
    expect([copies(), statSync(join(folder, copy)).ino]).toEqual([[copy], ino]);
    await preparations.change(id, {
      actor: ASHA,
      revision: kept.revision,
      job: { sheet: first.sheets?.[1] ?? '' },
    });
    expect((await preparations.look(id)).sheet).toBe(first.sheets?.[1]);
    expect(copies()).toHaveLength(2);
    await preparations.keepContacts(id, { ...given, ...contacts(), revision: kept.revision + 1 });
    expect(copies()).toEqual([]);
  });

  it('judges the rows of a short list before there is a text, as the plan does later', async () => {
    const list = [
      'phone,name,invoice',
      '254700000001,Asha,1',
      '0700000001,Asha again,1',
      '0700000001,Asha,2',
      '020 2222222,Office,1',
      'TOTAL,,5',
      '0700000002,Juma,',
      'x',
    ].join('\n');
    const job = { ...JOB, key: 'invoice' };
    const { id, revision } = await preparations.create(ASHA, { job });
    const made = await preparations.keepContacts(id, { revision, actor: ASHA, ...contacts(list) });
    const judged = await preparations.judge(id);
    expect(judged).toMatchObject({ read: 7, usable: 2 });
    const { document } = (await plannedOf(made)).plan;
    const counted = (reasons: readonly { reason: RowReason; count: number }[]) =>
      Object.fromEntries(reasons.map(({ reason, count }) => [reasonText(reason), count]));
    expect(counted(judged?.reasons ?? [])).toEqual(counted(document.reasons));
    expect(judged?.reasons.find(({ reason }) => reason === 'landline')?.example).toBe('020****222');
  });

  it('takes a workbook, too, and refuses a kept file that is not the one that came', async () => {
    const { id, revision } = await preparations.create(ASHA, { job: { ...JOB, message: 'Hi' } });
    const path = join(import.meta.dirname, '../../contacts/workbooks/title-row.xlsx');
    const stream = createReadStream(path);
    const made = await preparations.keepContacts(id, {
      revision,
      actor: ASHA,
      name: 'a.xlsx',
      stream,
      length: null,
    });
    expect((await preparations.look(id)).sheets).not.toBeNull();
    const planned = await plannedOf(made);
    writeFileSync(join(home, 'preparations', id, made.contacts?.file ?? ''), LIST);
    await expect(preparations.launch(id, yes(planned))).rejects.toMatchObject({
      message: 'The kept file is not the one that was uploaded.',
    });
  });

  it('shows a plan as stopped when its process is dead, and makes it again', async () => {
    const { id, revision } = await ready();
    const identity = { ...env.processes.self(), pid: 2 ** 22 + 1, startTicks: '1' };
    const process = JSON.stringify({ identity, attempt: 'x' });
    const plan = JSON.stringify({ planning: 'running', what: 'plan', rows: 0, since: now });
    await ledger.beginPlanning({ id, revision, by: 'asha', now, process, plan, dead: null });
    const stopped = await preparations.find(id);
    expect(stopped.plan).toMatchObject({ planning: 'failed', message: 'The plan stopped before its end.' });
    expect((await plannedOf(stopped)).plan.document.rows.planned).toBe(2);
  });

  it('of one list two are launched at the same moment, and one of them asks again', async () => {
    const first = await plannedOf(await ready());
    const second = await plannedOf(await ready(BRIAN, { ...JOB, name: 'promo 2' }));
    const results = await Promise.allSettled([
      preparations.launch(first.id, yes(first)),
      preparations.launch(second.id, yes(second, BRIAN)),
    ]);
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(await campaigns()).toHaveLength(1);
  });

  it('refuses contacts that are cut, empty, or no list, and keeps what was there', async () => {
    const made = await ready();
    const cut = new Readable({ read() {} });
    cut.push('phone\n2547');
    const keeping = preparations.keepContacts(made.id, {
      revision: 2,
      actor: ASHA,
      name: 'cut.csv',
      stream: cut,
      length: null,
    });
    cut.destroy(new Error('the connection is gone'));
    await expect(keeping).rejects.toMatchObject({ code: 'contacts_invalid' });
    for (const refused of [
      { ...contacts(''), name: 'empty.csv' },
      { ...contacts(), length: 1_000 },
    ])
      await expect(
        preparations.keepContacts(made.id, { revision: 2, actor: ASHA, ...refused }),
      ).rejects.toMatchObject({ code: 'contacts_invalid' });
    expect(await preparations.find(made.id)).toEqual(made);
    expect(readdirSync(join(home, 'preparations', made.id))).toEqual([made.contacts?.file]);
    expect(preparations.check({ ...made, job: { name: '!', start: 'soon' } })).toMatchObject({
      problems: [{ path: ['name'] }, { path: ['start'] }],
      missing: ['kind', 'message'],
    });
  });

  it('reads the contacts once for looks that ask the same, and anew for others', async () => {
    const { id, revision, contacts: kept } = await ready();
    const looks = async () => [
      await preparations.look(id),
      await preparations.judge(id),
      await preparations.preview(id, 'longest'),
    ];
    const first = await looks();
    rmSync(join(home, 'preparations', id, kept?.file ?? ''));
    expect(await looks()).toEqual(first);
    await preparations.change(id, { revision, actor: ASHA, job: { header: '2' } });
    await expect(preparations.look(id)).rejects.toMatchObject({ code: 'not_found' });
  });

  it('keeps no contacts that came too late', async () => {
    const planned = await plannedOf(await ready());
    const folder = join(home, 'preparations', planned.id);
    const late = () =>
      preparations.keepContacts(planned.id, {
        revision: 1,
        actor: ASHA,
        ...contacts('phone\n254700000009\n'),
      });
    await expect(late()).rejects.toMatchObject({ code: 'preparation_changed' });
    expect(readdirSync(folder).toSorted()).toEqual([planned.contacts?.file, 'rejects.csv']);
    await preparations.launch(planned.id, yes(planned));
    await expect(late()).rejects.toMatchObject({ code: 'state_forbids' });
    expect(existsSync(folder)).toBe(false);
    const ended = await ready(ASHA, { ...JOB, name: 'other' });
    const { id, revision } = ended;
    await preparations.discard(id, { revision, actor: ASHA });
    await expect(
      preparations.useContacts(id, { revision, actor: ASHA, upload: 'nothing0', name: 'x' }),
    ).rejects.toMatchObject({ code: 'not_found' });
    await expect(
      preparations.keepContacts(id, { revision, actor: ASHA, ...contacts() }),
    ).rejects.toMatchObject({
      code: 'state_forbids',
    });
    expect(existsSync(join(home, 'preparations', id))).toBe(false);
  });

  it('ends after seven days with its files, but not while it waits for approval', async () => {
    const [open, asked] = [await ready(), await plannedOf(await ready())];
    await preparations.ask(asked.id, { revision: asked.revision, actor: ASHA });
    now += KEPT_MS + 1;
    await preparations.endOld();
    expect((await preparations.list()).map(({ id }) => id)).toEqual([asked.id]);
    expect(existsSync(join(home, 'preparations', open.id))).toBe(false);
    expect((await preparations.find(open.id)).state).toBe('discarded');
  });

  it('is one of a request, however often it comes', async () => {
    const request = { key: 'asha k-1', digest: 'd' };
    const { id } = await preparations.create(ASHA, { request });
    expect((await preparations.create(ASHA, { request })).id).toBe(id);
    const other = { ...request, digest: 'other' };
    await expect(preparations.create(ASHA, { request: other })).rejects.toBeInstanceOf(KeyUsed);
  });
});

describe('corrected contacts', () => {
  const RENT = {
    ...JOB,
    name: 'rent',
    message: 'Hi <<name>>, <<due>>',
    key: 'id',
    remind: { column: 'due', offset: '-2d', at: '09:00', format: 'dd/mm/yyyy' },
  };
  const due = (people: number[]) =>
    `phone,name,id,due\n${people.map((who) => `25470000000${who},P${who},k${who},05/12/2026\n`).join('')}`;

  async function listed(people: number[]) {
    const { id, revision } = await preparations.create(ASHA, { job: RENT });
    return plannedOf(
      await preparations.keepContacts(id, { revision, actor: ASHA, ...contacts(due(people)) }),
    );
  }

  const everybody = [1, 2, 3, 4, 5, 6];
  const counts = async () => {
    const [rent] = await reader.campaigns();
    return [rent?.messages.queued, rent?.messages.canceled];
  };

  it('that leave out more than a tenth ask for a yes to the number, and cancel no more than that', async () => {
    const first = await listed(everybody);
    await preparations.launch(first.id, yes(first));
    const fewer = await listed([1, 2, 3, 4]);
    expect(fewer.plan.questions).toEqual(['cancel_missing', 'cost']);
    expect(fewer.plan.document.reminders?.upload).toMatchObject({ missing: 2, canceled: 2, open: 6 });
    await expect(preparations.launch(fewer.id, { ...yes(fewer), accepted: ['cost'] })).rejects.toMatchObject({
      code: 'declined',
    });
    // One of the two was canceled since the person looked: the cost is the same, the number is not.
    const [campaign] = await reader.campaigns();
    const person = { mobile: '254700000006' };
    await ledger.cancelPerson(campaign?.campaign.n ?? 0, { ...person, now, by: 'asha' });
    const seen = yes(fewer);
    await expect(preparations.launch(fewer.id, seen)).rejects.toMatchObject({ code: 'preparation_changed' });
    expect(await counts()).toEqual([5, 1]);
    const { plan } = await preparations.find(fewer.id);
    const again = { ...fewer, plan: plan as DonePlan };
    expect(again.plan.document.reminders?.upload).toMatchObject({ missing: 1, open: 5 });
    expect(again.plan.document.cost).toEqual(fewer.plan.document.cost);
    await preparations.launch(fewer.id, yes(again));
    expect(await counts()).toEqual([4, 2]);
  });

  it('of which nobody is left out ask nothing more', async () => {
    const first = await listed(everybody);
    await preparations.launch(first.id, yes(first));
    const more = await listed([...everybody, 7]);
    expect(more.plan.questions).toEqual(['cost']);
    await preparations.launch(more.id, yes(more));
    expect(await counts()).toEqual([7, 0]);
  });
});

it('whoever is removed while it is planned launches nothing, and the page says why [X21]', async () => {
  const link = { digest: 'link', endsAt: now + KEPT_MS };
  await ledger.addUser({ id: 'user 7', name: 'asha', role: 'operator', link, now, by: 'admin' });
  const planned = await plannedOf(await ready());
  const removing = new Preparations({
    ...env,
    planApart: async (...order) => {
      await ledger.removeUser({ name: 'asha', now, by: 'admin' });
      await env.planApart(...order);
    },
  });
  const right = { of: { user: 'user 7' }, role: 'operator' } as const;
  await expect(
    askedFrom.run({ from: '10.0.0.7', right }, () => removing.launch(planned.id, yes(planned))),
  ).rejects.toMatchObject({ code: 'right_lost' });
  expect(await campaigns()).toEqual([]);
  const { plan, state } = await preparations.find(planned.id);
  expect([state, plan]).toEqual(['open', expect.objectContaining({ code: 'right_lost' })]);
});

describe('with approval', () => {
  beforeEach(async () => {
    await ledger.setApproval({ on: true, now, by: 'admin' });
    const link = { digest: 'link', endsAt: now + KEPT_MS };
    await ledger.addUser({ id: 'user 1', name: 'brian', role: 'approver', link, now, by: 'admin' });
  });

  it('an approver who is removed, or has another role, while it is planned launches nothing', async () => {
    const planned = await plannedOf(await ready());
    const asked = await preparations.ask(planned.id, { revision: planned.revision, actor: ASHA });
    const shown = { ...asked, plan: asked.plan as DonePlan };
    const meanwhile = (change: () => Promise<unknown>) =>
      new Preparations({
        ...env,
        planApart: async (...order) => {
          await change();
          await env.planApart(...order);
        },
      });
    const change = { name: 'brian', now, by: 'admin' };
    const changes = [
      () => ledger.changeRole({ ...change, role: 'operator' }),
      () => ledger.removeUser(change),
    ];
    for (const each of changes)
      await expect(meanwhile(each).launch(asked.id, yes(shown, BRIAN))).rejects.toMatchObject({
        code: 'approval_needed',
      });
    expect(await campaigns()).toEqual([]);
  });

  it('nobody approves what the link of this machine prepared, because it may be their own', async () => {
    const home = { name: 'this machine', identities: ['this machine'], mayApprove: false };
    const planned = await plannedOf(await ready(home), home);
    const change = { id: planned.id, revision: planned.revision };
    await expect(preparations.ask(planned.id, { ...change, actor: home })).rejects.toMatchObject({
      code: 'approval_needed',
      message: expect.stringContaining('without signing in') as string,
    });
    // The commit of the launch judges by itself, however it came to be asked.
    await ledger.askApproval({ ...change, by: home.name, now });
    const asked = await preparations.find(planned.id);
    const shown = { ...asked, plan: asked.plan as DonePlan };
    await expect(preparations.launch(asked.id, yes(shown, BRIAN))).rejects.toMatchObject({
      code: 'approval_needed',
      message: expect.stringContaining('without signing in') as string,
    });
    expect(await campaigns()).toEqual([]);
  });

  it('a second person launches what was asked for, and nobody their own, whoever clicks', async () => {
    const planned = await plannedOf(await ready());
    await expect(preparations.launch(planned.id, yes(planned, BRIAN))).rejects.toMatchObject({
      code: 'approval_needed',
    });
    const asked = await preparations.ask(planned.id, { revision: planned.revision, actor: ASHA });
    const shown = { ...asked, plan: asked.plan as DonePlan };
    const own = { ...ASHA, mayApprove: true };
    const token = { name: 'script', identities: ['script', 'asha'], mayApprove: true };
    for (const actor of [ASHA, own, token])
      await expect(preparations.launch(asked.id, yes(shown, actor))).rejects.toMatchObject({
        code: 'approval_needed',
      });
    expect(await campaigns()).toEqual([]);
    await preparations.launch(asked.id, yes(shown, BRIAN));
    expect(await campaigns()).toEqual([['promo', 2]]);
  });

  it('nor does an approver send more of what they prepared: another one raises its budget', async () => {
    const link = { digest: 'of asha', endsAt: now + KEPT_MS };
    await ledger.addUser({ id: 'user 2', name: 'asha', role: 'approver', link, now, by: 'admin' });
    const asha = { name: 'asha', identities: ['asha', 'user 2'], mayApprove: true };
    const planned = await plannedOf(await ready(asha, { ...JOB, budget: '50.00' }), asha);
    const asked = await preparations.ask(planned.id, { revision: planned.revision, actor: asha });
    const shown = { ...asked, plan: asked.plan as DonePlan };
    const { campaign } = await preparations.launch(asked.id, yes(shown, BRIAN));
    const n = (await reader.find(campaign))[0]?.n ?? 0;
    const raise = (user: string) =>
      askedFrom.run({ from: '10.0.0.7', right: { of: { user }, role: 'operator' } }, () =>
        ledger.resume(n, { now, by: user, budgetMicro: 90 * KES }),
      );
    await expect(raise('user 2')).rejects.toMatchObject({ code: 'approval_needed' });
    expect((await ledger.campaign(n))?.budgetMicro).toBe(50 * KES);
    expect(await raise('user 1')).toBe(true);
    expect((await ledger.campaign(n))?.budgetMicro).toBe(90 * KES);
  });

  it('the audit of a launch says whether who worked on it made its approver in the day before', async () => {
    const link = { digest: 'newer', endsAt: now + KEPT_MS };
    const made = async (name: string, by: string) => {
      await ledger.renewLink({ name: 'brian', link: { ...link, digest: name }, now, by });
      const planned = await plannedOf(await ready(ASHA, { ...JOB, name, message: `${name} <<name>>` }));
      const asked = await preparations.ask(planned.id, { revision: planned.revision, actor: ASHA });
      const again = { ...yes({ ...asked, plan: asked.plan as DonePlan }, BRIAN) };
      const { campaign } = await preparations.launch(asked.id, again);
      const { entries } = await reader.auditTrail({ campaign: null, limit: 1 });
      expect(entries[0]).toMatchObject({ verb: 'launch', by: 'brian', campaign: { id: campaign } });
      return entries[0]?.detail['approver'] ?? null;
    };
    const step = { approverStep: 'make_link', approverStepAt: now };
    expect(await made('first', 'asha')).toEqual({ ...step, approverStepBy: 'asha' });
    // Later steps of others do not hide it.
    expect(await made('second', 'admin')).toEqual({ ...step, approverStepBy: 'asha' });
    now += 24 * 3_600_000;
    expect(await made('third', 'admin')).toBeNull();
  });

  it('a no holds until a change, also for a page that was open before', async () => {
    const planned = await plannedOf(await ready());
    const asked = await preparations.ask(planned.id, { revision: planned.revision, actor: ASHA });
    const stale = { ...asked, plan: asked.plan as DonePlan };
    const no = { revision: asked.revision, actor: BRIAN };
    for (const reason of [' ', 'two\nlines', 'x'.repeat(201)])
      await expect(preparations.refuse(asked.id, { ...no, reason })).rejects.toMatchObject({ code: 'usage' });
    const refused = await preparations.refuse(asked.id, { ...no, reason: 'wrong date' });
    expect(refused).toMatchObject({ state: 'open', refused: 'wrong date' });
    await expect(preparations.launch(asked.id, yes(stale, BRIAN))).rejects.toMatchObject({
      code: 'preparation_changed',
    });
    await expect(
      preparations.ask(asked.id, { revision: refused.revision, actor: ASHA }),
    ).rejects.toBeDefined();
    await ledger.setApproval({ on: false, now, by: 'admin' });
    await expect(
      preparations.launch(asked.id, { ...yes(stale), revision: refused.revision }),
    ).rejects.toMatchObject({ code: 'approval_needed' });
    expect(await campaigns()).toEqual([]);
  });

  it('an edit withdraws the question, and a copy has the editors of its original', async () => {
    const planned = await plannedOf(await ready());
    const asked = await preparations.ask(planned.id, { revision: planned.revision, actor: ASHA });
    const edited = await preparations.change(asked.id, {
      revision: asked.revision,
      actor: ASHA,
      job: { message: 'Two' },
    });
    expect(edited).toMatchObject({ state: 'open', asked: null, plan: null });
    const replanned = await plannedOf(edited);
    const second = await preparations.ask(edited.id, { revision: replanned.revision, actor: ASHA });
    const { campaign } = await preparations.launch(
      second.id,
      yes({ ...second, plan: second.plan as DonePlan }, BRIAN),
    );
    expect((await preparations.create(BRIAN, { from: { campaign } })).editors).toEqual([
      'brian',
      'user 1',
      'asha',
    ]);
  });

  it('a test to three own phones needs none, but only so many a day', async () => {
    const made = await ready();
    const to = ['254711111111', '254711111112', '254711111113'];
    const test = (phones: string[]) => {
      now += 60_000;
      return preparations.test(made.id, { to: phones, line: 2, revision: null, actor: ASHA });
    };
    for (let day = 0; day < 6; day += 1) {
      const { campaign } = await test(to);
      expect((await reader.find(campaign))[0]?.settings.isTest).toBe(true);
    }
    await expect(test(to)).rejects.toMatchObject({ code: 'approval_needed' });
    await expect(test([...to, '254711111114'])).rejects.toMatchObject({ code: 'usage' });
    now += 86_400_000;
    await test(to);
  });
});
