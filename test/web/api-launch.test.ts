import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { addUser } from '../../src/campaign/people/users.ts';
import { planJson } from '../../src/cli/text/plan-json.ts';
import { type Sandbox, startSandbox } from '../../src/sandbox/sandbox.ts';
import { newTruthFile } from '../sandbox/start.ts';
import { KEY, SECRET } from '../sandbox/wire.ts';
import { ApiHere, type ApiAnswer } from '../support/api-here.ts';
import { waitFor } from '../support/wait-for.ts';
import { atFileEnd } from '../support/file-end.ts';
import { newLedgerFile } from '../support/new-ledger-file.ts';
import { makeTempDir } from '../support/temp-home.ts';

const CSV = { 'content-type': 'text/csv' };
const LIST = 'phone,name\n254700000001,Asha\n254700000002,Juma\n12,Nobody\n';
const JOB = {
  name: 'promo',
  kind: 'transactional',
  sender: 'DUKA',
  message: 'Hi <<name>>',
  window: 'always',
};
const NEW = { accept: ['new_ledger'] };

let sandbox: Sandbox;
let api: ApiHere;
let home: string;

beforeAll(async () => {
  sandbox = await startSandbox({ apiKey: KEY, apiSecret: SECRET, truthFile: newTruthFile() });
  atFileEnd(() => sandbox.stop());
});

beforeEach(async () => {
  home = makeTempDir();
  await newLedgerFile(home);
  api = await ApiHere.open(home, settings());
});

const settings = () => ({
  TUMA_MESSAGING_URL: sandbox.url,
  TUMA_API_KEY: KEY,
  TUMA_API_SECRET: SECRET,
  TUMA_PRICE: '0.80',
});

async function contacts(list = LIST): Promise<string> {
  const kept = await api.post('/contacts?name=wateja.csv', list, CSV);
  expect(kept.status).toBe(201);
  return kept.body.id as string;
}

async function launch(body: object = {}, headers: Record<string, string> = {}): Promise<ApiAnswer> {
  return api.post('/campaigns', { ...JOB, ...NEW, contacts: await contacts(), ...body }, headers);
}

const campaigns = async () => (await api.get('/campaigns')).body.campaigns;

/** Nothing is left to send. */
async function settle(id: string): Promise<void> {
  for (const mobile of ['254700000001', '254700000002'])
    expect((await api.post(`/campaigns/${id}/cancel-person`, { mobile })).status).toBe(200);
  expect((await api.get(`/campaigns/${id}`)).body.state).toBe('finished');
}

describe('a launch by one call', () => {
  test('plans the uploaded contacts and makes a campaign of them', async () => {
    const launched = await launch({ max_cost: '5.00' });
    expect(launched.status).toBe(201);
    const { id, plan, changed } = launched.body;
    expect(changed).toBe(true);
    expect(launched.headers.get('location')).toBe(`/api/v1/campaigns/${id}`);
    expect(plan.rows).toMatchObject({ read: 3, planned: 2, invalid: 1 });
    expect(plan.cost).toMatchObject({ currency: 'KES', upper: '1.60' });
    expect(plan.examples[0]).toMatchObject({ line: 2, text: 'Hi Asha' });
    const { body } = await api.get(`/campaigns/${id}`);
    expect(body).toMatchObject({ name: 'promo', state: 'running', budget: '5.00', people_left: 2 });
    const [entry] = (
      await (await api.services.reader()).auditTrail({ campaign: null, limit: 9 })
    ).entries.filter(({ verb }) => verb === 'launch');
    expect(entry?.by).toMatch(/^program till-\d+$/);
    expect(entry?.from).toBe('127.0.0.1');
  });

  test('of the same contacts and text never makes a second campaign', async () => {
    const first = await launch();
    const again = await launch();
    expect(again.body.id).toBe(first.body.id);
    expect(await campaigns()).toHaveLength(1);
  });

  test('leaves no draft where all is sent already, and the same key finds the same answer', async () => {
    const { id } = (await launch()).body;
    await settle(id);
    const key = { 'idempotency-key': 'late' };
    const body = { ...JOB, contacts: await contacts() };
    const late = await api.post('/campaigns', body, key);
    expect(late).toMatchObject({ status: 200, body: { id, changed: false } });
    expect((await api.get('/preparations')).body.preparations).toEqual([]);
    const path = `/preparations/${late.body.preparation}`;
    expect((await api.get(path)).body).toMatchObject({ state: 'discarded', plan: { campaign: id } });
    expect(existsSync(join(home, path))).toBe(false);
    const restarted = await api.restarted(home, settings());
    expect((await restarted.post('/campaigns', body, key)).body).toEqual(late.body);
    expect((await api.post('/campaigns', { ...body, rate: 5 }, key)).body.code).toBe('key_used');
    expect(await campaigns()).toHaveLength(1);
  });

  test('with a key launches once, however often it comes, also after a restart', async () => {
    const key = { 'idempotency-key': 'november' };
    const body = { ...JOB, ...NEW, contacts: await contacts() };
    const preparations = await api.services.preparations();
    const use = preparations.useContacts.bind(preparations);
    const { promise: held, resolve: release } = Promise.withResolvers<void>();
    const slow = vi.spyOn(preparations, 'useContacts').mockImplementationOnce(async (...given) => {
      await held;
      return use(...given);
    });
    const first = api.post('/campaigns', body, key);
    await waitFor(() => slow.mock.calls.length > 0, { what: 'the first request' });
    expect((await api.post('/campaigns', body, key)).body.code).toBe('in_progress');
    release();
    const { id } = (await first).body;
    const repeated = await api.post('/campaigns', body, key);
    expect(repeated).toMatchObject({ status: 201, body: { id, plan: { rows: { planned: 2 } } } });
    const restarted = await api.restarted(home, settings());
    const later = await restarted.post('/campaigns', body, key);
    expect(later).toMatchObject({ status: 201, body: { id, plan: null } });
    const other = await api.post('/campaigns', { ...body, message: 'Bye <<name>>' }, key);
    expect(other).toMatchObject({ status: 422, body: { code: 'key_used' } });
    expect(await campaigns()).toHaveLength(1);
  });

  test('that is not done in time goes on with the same request', async () => {
    const key = { 'idempotency-key': 'slow' };
    const body = { ...JOB, ...NEW, contacts: await contacts() };
    const first = await api.post('/campaigns', body, { ...key, prefer: 'wait=0' });
    expect(first).toMatchObject({ status: 202, body: { id: null, plan: null } });
    expect(first.headers.get('location')).toBe(`/api/v1/preparations/${first.body.preparation}`);
    const done = await api.post('/campaigns', body, key);
    expect(done.status).toBe(201);
    expect(done.body.preparation).toBe(first.body.preparation);
    expect(await campaigns()).toHaveLength(1);
  });

  test.each(['useContacts', 'plan', 'planned', 'beginLaunch'] as const)(
    'that is cut off at %s goes on after a restart, and launches once',
    async (step) => {
      const key = { 'idempotency-key': `cut at ${step}`.replaceAll(' ', '-') };
      const body = { ...JOB, ...NEW, contacts: await contacts() };
      const preparations = await api.services.preparations();
      vi.spyOn(preparations, step).mockRejectedValueOnce(new Error('the machine is gone'));
      expect(await api.post('/campaigns', body, key)).toMatchObject({ status: 500 });
      const restarted = await api.restarted(home, settings());
      const done = await restarted.post('/campaigns', body, key);
      expect(done.status).toBe(201);
      expect((await restarted.post('/campaigns', body, key)).body.id).toBe(done.body.id);
      expect(await campaigns()).toMatchObject([{ id: done.body.id }]);
    },
  );

  test('as a dry run only plans; the preparation is launched later by its digest', async () => {
    const { status, body } = await launch({ dry_run: true });
    expect([status, body.id, body.plan.rows.planned]).toEqual([200, null, 2]);
    expect(body.questions).toEqual(['new_ledger', 'cost']);
    expect(await campaigns()).toEqual([]);
    const path = `/preparations/${body.preparation}`;
    const wrong = await api.post(`${path}/launch`, { digest: 'other', accept: body.questions });
    expect(wrong).toMatchObject({ status: 409, body: { code: 'preparation_changed' } });
    for (const accept of [undefined, [], ['cost']])
      expect(await api.post(`${path}/launch`, { digest: body.digest, accept })).toMatchObject({
        status: 409,
        body: { code: 'answers_needed', questions: ['new_ledger'], preparation: body.preparation },
      });
    // A wrong digest was planned anew, and the plan that was seen can still be launched.
    const right = await api.post(`${path}/launch`, { digest: body.digest, accept: ['new_ledger'] });
    expect(right.status).toBe(201);
    const again = await api.post(`${path}/launch`, { digest: body.digest });
    expect(again.body.id).toBe(right.body.id);
    const second = (await launch({ dry_run: true, name: 'second', accept: undefined })).body;
    expect(second.questions).toEqual(['cost']);
    const asked = await api.post(`/preparations/${second.preparation}/launch`, { digest: second.digest });
    expect(asked.status).toBe(201);
    expect((await api.get(path)).body).toMatchObject({ state: 'launched', campaign: right.body.id });
  });

  test('names the keys that are wrong or missing, and makes nothing', async () => {
    const wrong = await launch({ rate: 'fast', name: undefined, window: { from: '18:00', to: '08:00' } });
    expect(wrong).toMatchObject({ status: 422, body: { code: 'request_invalid' } });
    const paths = wrong.body.errors.map(({ path }: { path: string[] }) => path.join('.'));
    expect(paths.toSorted()).toEqual(['name', 'rate', 'window']);
    expect((await launch({ colour: 'red' })).body.errors[0].message).toContain('colour');
    expect((await api.get('/preparations')).body.preparations).toEqual([]);
  });

  test('is refused above its limit, beyond the balance, and with a question that nobody answered', async () => {
    const dear = await launch({ max_cost: 1 });
    expect(dear).toMatchObject({
      status: 422,
      body: { code: 'over_max_cost', advice: { action: 'raise_max_cost' } },
    });
    const asked = await launch({ accept: [] });
    expect(asked).toMatchObject({ status: 409, body: { code: 'answers_needed', questions: ['new_ledger'] } });
    expect(asked.body.advice).toEqual({ action: 'accept_new_ledger', campaign: null, needs: null });
    expect((await api.get(`/preparations/${asked.body.preparation}`)).body.state).toBe('open');
    // Nobody has seen how many people that is.
    expect(await launch({ accept: ['cancel_missing'] })).toMatchObject({ status: 422 });
    expect(await launch({ contacts: 'f'.repeat(16) })).toMatchObject({ status: 404 });
    expect(await campaigns()).toEqual([]);
    api = await ApiHere.open(home, { ...settings(), TUMA_PRICE: '900000' });
    const poor = await launch();
    expect(poor).toMatchObject({
      status: 422,
      body: { code: 'insufficient_credit', advice: { action: 'top_up_or_partial' } },
    });
    expect(poor.body.where).toMatch(/^[0-9a-f]{16}$/);
    expect((await launch({ partial: true, name: 'in part' })).status).toBe(201);
  });
});

describe('contacts', () => {
  test('are streamed, and refused when they are empty or of another type', async () => {
    const kept = await api.post('/contacts?name=a.csv', LIST, CSV);
    expect(kept.body).toMatchObject({ name: 'a.csv', bytes: LIST.length, format: 'csv' });
    expect(await api.post('/contacts', '', CSV)).toMatchObject({
      status: 422,
      body: { code: 'contacts_invalid' },
    });
    expect((await api.post('/contacts', { a: 1 })).status).toBe(415);
    for (const type of ['application/octet-stream', 'application/x-www-form-urlencoded', 'text/plain'])
      expect((await api.post('/contacts', LIST, { 'content-type': type })).body.bytes, type).toBe(
        LIST.length,
      );
    const many = `phone,name\n${'254700000001,Asha\n'.repeat(50_000)}`;
    expect((await api.post('/contacts', many, CSV)).body.bytes).toBe(many.length);
  });
});

describe('a preparation, step by step', () => {
  const match = ({ headers }: ApiAnswer) => ({ 'if-match': headers.get('etag') ?? '' });

  /** Asks until the plan is there. */
  async function planned(path: string, last: ApiAnswer): Promise<ApiAnswer> {
    expect((await api.post(`${path}/plan`, {}, match(last))).status).toBe(202);
    await (await api.services.preparations()).planned(path.split('/').at(-1) ?? '');
    return api.get(path);
  }

  test('is begun, given contacts, looked at, planned and launched; each change names what was seen', async () => {
    const key = { 'idempotency-key': 'begin-1' };
    const begun = await api.post('/preparations', { job: JOB }, key);
    expect(begun).toMatchObject({ status: 201, body: { state: 'open', contacts: null, plan: null } });
    expect((await api.post('/preparations', { job: JOB }, key)).body.id).toBe(begun.body.id);
    expect((await api.post('/preparations', {}, key)).body.code).toBe('key_used');
    const path = `/preparations/${begun.body.id}`;
    const kept = await api.call('PUT', `${path}/contacts?name=a.csv`, {
      body: LIST,
      headers: { ...CSV, ...match(begun) },
    });
    expect(kept.body).toMatchObject({ revision: 2, contacts: { name: 'a.csv', format: 'csv' } });
    expect((await api.get(`${path}/contacts`)).body).toMatchObject({
      header: ['phone', 'name'],
      header_line: 1,
      mobile: { column: 0, numbers: 2 },
    });
    expect((await api.get(`${path}/rows`)).body.rows).toMatchObject({
      read: 3,
      usable: 2,
      reasons: [{ code: 'short_code', count: 1, lines: [4] }],
    });
    const preview = await api.get(`${path}/preview?of=after&line=2`);
    expect(preview.body).toMatchObject({ line: 3, text: 'Hi Juma', segments: 1, problem: null });
    const change = { job: { message: 'Hello <<name>>' } };
    const late = await api.call('PATCH', path, { body: change, headers: match(begun) });
    expect(late).toMatchObject({ status: 409, body: { code: 'preparation_changed' } });
    expect((await api.call('PATCH', path, { body: change })).status).toBe(428);
    const changed = await api.call('PATCH', path, { body: change, headers: match(kept) });
    expect(changed.body.job).toMatchObject({ message: 'Hello <<name>>', name: 'promo' });
    const { body } = await planned(path, changed);
    expect(body.plan).toMatchObject({ planning: 'done', document: { rows: { planned: 2, invalid: 1 } } });
    expect((await api.get(`${path}/rejects`)).body).toContain('Nobody');
    const { digest, questions } = body.plan;
    const launched = await api.post(`${path}/launch`, { digest, accept: questions });
    expect(launched.status).toBe(201);
    expect(await campaigns()).toMatchObject([{ id: launched.body.id, name: 'promo' }]);
  });

  test('the plan has every key that the command line prints', async () => {
    const begun = await launch({ dry_run: true });
    const { plan } = await (await api.services.preparations()).find(begun.body.preparation);
    // The words of warnings are those of each face.
    const printed = plan?.planning === 'done' ? planJson(plan.document) : null;
    const told = begun.body.plan.warnings.map(({ code }: { code: string }) => code);
    expect(told).toEqual(printed?.warnings.map(({ code }) => code));
    expect({ ...begun.body.plan, warnings: [] }).toEqual({ ...printed, warnings: [] });
  });

  test('begins from an earlier campaign, and ends with its files', async () => {
    const { body } = await launch();
    const begun = await api.post('/preparations', { from: { campaign: body.id } });
    expect(begun.body.job).toMatchObject({ name: 'promo', message: 'Hi <<name>>' });
    const path = `/preparations/${begun.body.id}`;
    expect((await api.call('DELETE', path, { headers: match(begun) })).body).toEqual({ ended: true });
    expect((await api.get(path)).body.state).toBe('discarded');
    expect((await api.get('/preparations')).body.preparations).toEqual([]);
    expect(await api.post('/preparations', { from: { file: '../secret.yaml' } })).toMatchObject({
      status: 404,
    });
    expect((await api.get('/job-files')).body).toEqual({ files: [] });
  });

  test('waits for a person where a second one must approve, whoever made the token', async () => {
    const ledger = await api.services.ledger();
    const change = { now: Date.now(), by: 'test' };
    await ledger.setApproval({ on: true, ...change });
    const refused = await launch();
    expect(refused).toMatchObject({ status: 403, body: { code: 'approval_needed' } });
    const path = `/preparations/${refused.body.where}`;
    const nobody = await api.post(`${path}/ask`, {}, match(await api.get(path)));
    expect(nobody).toMatchObject({ status: 403, body: { code: 'approval_needed' } });
    await addUser({ ledger, change, name: 'peter', role: 'approver' });
    const asked = await api.post(`${path}/ask`, {}, match(await api.get(path)));
    expect(asked.body.state).toBe('asked');
    const admin = await api.as('admin');
    const { digest, questions } = (await api.get(path)).body.plan;
    expect(await admin.post(`${path}/launch`, { digest, accept: questions })).toMatchObject({ status: 403 });
    expect((await admin.post(`${path}/refuse`, { reason: 'no' }, match(asked))).status).toBe(403);
    expect(await campaigns()).toEqual([]);
  });

  test('sends one real message to phones of whoever asks, as a campaign of its own', async () => {
    const { body } = await launch({ dry_run: true });
    const path = `/preparations/${body.preparation}/test`;
    const wrong = await api.post(path, { to: ['12'] });
    expect(wrong.body.errors[0].path).toEqual(['to', '0']);
    const old = await api.post(path, { to: ['0712345678'] }, { 'if-match': '"1"' });
    expect(old).toMatchObject({ status: 409, body: { code: 'preparation_changed' } });
    expect(await campaigns()).toHaveLength(0);
    const key = { 'idempotency-key': 'test-1' };
    const sent = await api.post(path, { to: ['0712345678'], line: 3 }, key);
    expect(sent.body).toMatchObject({ line: 3, segments: 1 });
    expect((await api.post(path, { to: ['0712345678'], line: 3 }, key)).body).toEqual(sent.body);
    expect(await campaigns()).toHaveLength(1);
  });
});
