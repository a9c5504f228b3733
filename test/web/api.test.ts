import { beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { campaignReport } from '../../src/reports/campaign-report.ts';
import { statusDocument } from '../../src/reports/campaign-status.ts';
import { accountStatement } from '../../src/reports/statement.ts';
import { ApiHere } from '../support/api-here.ts';
import { waitFor } from '../support/wait-for.ts';
import { LedgerStory } from '../support/ledger-story.ts';

const NUMBER = '254712345678';
const KEY = 'idempotency-key';

let story: LedgerStory;
let api: ApiHere;
let ids = 0;

beforeAll(async () => {
  story = await LedgerStory.begin();
  api = await ApiHere.open(story.directory);
});

/** A campaign of its own, of which nothing was claimed yet. */
async function campaign(messages = 4, options: Parameters<LedgerStory['launch']>[0] = {}) {
  ids += 1;
  const id = `promo-${ids}`;
  const n = await story.launch({ id, name: `promo ${ids}`, contacts: id, messages, ...options });
  return { id, n, path: `/campaigns/${id}` };
}

async function sentCampaign() {
  const launched = await campaign(4);
  await story.claim();
  await story.record(launched.n, {
    1: { to: 'sent' },
    2: { to: 'sent' },
    3: { to: 'rejected', reason: 'no credit', retryHelps: true },
    4: { to: 'uncertain' },
  });
  return launched;
}

/** The instant at which the clock of this process stands until the test ends. */
function stopClock(): number {
  const now = Date.now();
  const clock = vi.spyOn(Date, 'now').mockReturnValue(now);
  onTestFinished(() => clock.mockRestore());
  return now;
}

describe('what is read', () => {
  test('one campaign has its numbers, an ETag of its orders, and what makes it go on', async () => {
    const { path, id, n } = await sentCampaign();
    const now = stopClock();
    const { status, body, headers } = await api.get(path);
    expect(status).toBe(200);
    expect(body).toMatchObject({ id, state: 'finished', sender: 'DUKA', currency: 'KES', spent: '2.40' });
    expect(body.messages).toMatchObject({ sent: 2, rejected: 1, uncertain: 1, queued: 0 });
    expect(headers.get('etag')).toMatch(/^"[\w-]{22}"$/);
    const overview = await (await api.services.reader()).overview(n);
    expect(body).toMatchObject(statusDocument(overview, { now, accountRate: null, workers: 0 }));
    expect((await api.get('/campaigns/promo')).body).toMatchObject({ code: 'not_found', status: 404 });
  });

  test('the list is read in pages, and filtered by state and name', async () => {
    await campaign();
    await campaign();
    const first = await api.get('/campaigns?limit=1');
    expect(first.body.campaigns).toHaveLength(1);
    const second = await api.get(`/campaigns?limit=1&cursor=${first.body.next}`);
    expect(second.body.campaigns[0].id).not.toBe(first.body.campaigns[0].id);
    const all = (await api.get('/campaigns?limit=200')).body;
    expect([all.campaigns.length, all.next]).toEqual([ids, null]);
    const running = (await api.get('/campaigns?state=running&state=paused&limit=200')).body.campaigns;
    expect(new Set(running.map(({ state }: { state: string }) => state))).toEqual(new Set(['running']));
    const named = (await api.get(`/campaigns?name=PROMO%20${ids}`)).body.campaigns;
    expect(named.map(({ id }: { id: string }) => id)).toEqual([`promo-${ids}`]);
  });

  test('report and statement are whole: those of the command line, key by key', async () => {
    const { path, n } = await sentCampaign();
    const reader = await api.services.reader();
    const { campaign } = await reader.overview(n);
    const { reportWaitMs, zone, currency } = api.services.config;
    const now = stopClock();
    const report = await campaignReport({ reader, campaign, now, reportWaitMs });
    expect((await api.get(`${path}/report`)).body).toEqual(report);
    const days = { from: '2026-11-01', to: '2026-11-30' };
    const statement = await accountStatement({ reader, ...days, zone, currency });
    expect((await api.get('/statement?from=2026-11-01&to=2026-11-30')).body).toEqual(statement);
    expect(statement.accounts).toHaveLength(1);
    expect((await api.get('/statement?from=2026-11-30&to=2026-11-01')).status).toBe(422);
    expect((await api.get('/statement?from=2026-02-31')).body.errors[0].path).toEqual(['from']);
  });

  test('messages come in pages, by state; the uncertain ones with what was seen', async () => {
    const { path } = await sentCampaign();
    const first = (await api.get(`${path}/messages?limit=3`)).body;
    expect(first.messages.map(({ seq }: { seq: number }) => seq)).toEqual([1, 2, 3]);
    expect(first.messages[0]).toMatchObject({ mobile: '254700000001', state: 'sent', cost: '0.80' });
    const rest = (await api.get(`${path}/messages?limit=3&cursor=${first.next}`)).body;
    expect([rest.messages.length, rest.next]).toEqual([1, null]);
    const rejected = (await api.get(`${path}/messages?state=rejected`)).body.messages;
    expect(rejected).toMatchObject([{ seq: 3, reason: 'no credit' }]);
    const mixed = (await api.get(`${path}/messages?state=pending&state=uncertain`)).body.messages;
    expect(mixed.map(({ seq }: { seq: number }) => seq)).toEqual([1, 2, 4]);
    expect((await api.get(`${path}/messages?state=delivered`)).body).toEqual({ messages: [], next: null });
    const uncertain = (await api.get(`${path}/uncertain`)).body;
    expect(uncertain).toMatchObject({ total: 1, messages: [{ seq: 4, line: 5, written_off: false }] });
    expect((await api.get(`${path}/messages?cursor=nonsense`)).body.errors[0].path).toEqual(['cursor']);
  });

  test('the messages are a file, too: as CSV, NDJSON and workbook, and as rows to send again', async () => {
    const { path, id } = await sentCampaign();
    const csv = await api.get(`${path}/export?with_text=true&state=sent`);
    expect(csv.headers.get('content-disposition')).toBe(`attachment; filename="messages-${id}.csv"`);
    expect(csv.body.trim().split(/\r?\n/)).toHaveLength(3);
    expect(csv.body).toContain('Hi Name 1');
    const lines = (await api.get(`${path}/export?format=ndjson`)).body.trim().split('\n');
    expect(lines.map((line: string) => JSON.parse(line).state)).toEqual([
      'sent',
      'sent',
      'rejected',
      'uncertain',
    ]);
    const workbook = await api.fetch(`${path}/export?format=xlsx`, new AbortController().signal);
    expect(
      Buffer.from(await workbook.arrayBuffer())
        .subarray(0, 2)
        .toString(),
    ).toBe('PK');
    const rows = await api.get(`${path}/export?as=contacts&state=rejected`);
    expect(rows.body).toContain('Name 3');
    expect((await api.get(`${path}/export?as=contacts`)).body.errors[0].path).toEqual(['state']);
    expect((await (await api.as('viewer')).get(`${path}/export`)).status).toBe(403);
  });

  test('the balance is the last one that was read', async () => {
    await story.readBalance(100_000_000);
    const { currency, accounts } = (await api.get('/balance')).body;
    expect(currency).toBe('KES');
    expect(accounts).toMatchObject([{ account: 'acc', credit: '100.00', charged_since: '0.00' }]);
  });

  test('the credit ahead is laid over what is planned, and says what is missing', async () => {
    await story.readBalance(100_000_000);
    const startAt = story.now + 86_400_000;
    const given = { messages: 2, estimatedMicro: 150_000_000, startAt };
    await story.launch({ id: 'ahead-1', name: 'ahead', ...given });
    const { body } = await (await api.as('viewer')).get('/credit-ahead?account=acc');
    const at = new Date(startAt).toISOString();
    expect(body).toMatchObject({ currency: 'KES', credit: '100.00', lasts: false });
    const row = body.planned.find(({ campaign }: { campaign: string }) => campaign === 'ahead-1');
    expect(row).toMatchObject({ name: 'ahead', at, messages: 2, cost: '150.00' });
    expect(body.short).toMatchObject({ from: at, missing: row.left.slice(1) });
    expect((await api.get('/credit-ahead?account=none')).body).toMatchObject({
      credit: null,
      planned: [],
      lasts: null,
    });
  });

  test('the inbox shows replies in pages, the latest first, and those that may ask to stop', async () => {
    const reply = (identity: string, text: string, wish: 'maybe_stop' | null) => ({
      channel: 'sms' as const,
      identity,
      recordId: null,
      mobile: NUMBER,
      addressee: 'DUKA',
      text,
      at: story.now,
      detail: {},
      wish,
    });
    const body = Buffer.from('two replies');
    const hook = { receivedAt: story.now, method: 'POST', contentType: 'text/plain', query: '', body };
    await story.ledger.storeWebhook({ ...hook, ip: '127.0.0.1' });
    const [stored] = await story.ledger.newWebhooks(1);
    const replies = [reply('a', 'thanks <b>', null), reply('b', 'no more?', 'maybe_stop')];
    await story.ledger.recordReports([
      {
        webhook: stored?.webhook ?? 0,
        kind: 'reply',
        reports: [],
        replies,
        now: story.now,
      },
    ]);
    const first = (await api.get('/inbox?limit=1')).body;
    expect(first).toMatchObject({ maybe_stop: 1, replies: [{ text: 'no more?', mobile: NUMBER }] });
    const second = (await api.get(`/inbox?limit=1&cursor=${first.next}`)).body;
    expect(second.replies).toMatchObject([{ text: 'thanks <b>', wish: null }]);
    const doubtful = (await api.get('/inbox?maybe_stop=true')).body.replies;
    expect(doubtful).toHaveLength(1);
    const decision = `/inbox/${doubtful[0].id}/decide`;
    expect((await api.post(decision, { stop: false })).body).toEqual({ decided: true });
    expect((await api.post(decision, { stop: true })).body.code).toBe('state_forbids');
    expect((await api.get('/inbox')).body.maybe_stop).toBe(0);
  });
});

describe('what is looked for', () => {
  test('a person by number, and the life of one message', async () => {
    const { path, id } = await sentCampaign();
    const found = (await api.post('/find', { text: '0700 000 001' })).body;
    expect(found.number).toMatchObject({ mobile: '254700000001', may_get_offers: true });
    expect(found.number.messages.map(({ campaign }: { campaign: { id: string } }) => campaign.id)).toContain(
      id,
    );
    const named = (await api.post('/find', { text: id })).body;
    expect(named).toMatchObject({ number: null, campaigns: [{ id }] });
    const life = (await api.get(`${path}/messages/1`)).body;
    expect(life).toMatchObject({ text: 'Hi Name 1', message: { seq: 1, state: 'sent' } });
    expect(life.events.map(({ what }: { what: string }) => what)).toEqual(['planned', 'tried', 'answered']);
    expect((await api.get(`${path}/messages/99`)).status).toBe(404);
  });

  test('what may be done, what happened each minute, who did what, and what comes', async () => {
    const { path, id } = await sentCampaign();
    const { orders } = (await api.get(`${path}/orders`)).body;
    expect(orders).toMatchObject([
      { verb: 'retry', messages: 1 },
      { verb: 'resolve', messages: 1 },
    ]);
    const { steps } = (await api.get(`${path}/course`)).body;
    expect(steps).toMatchObject([{ sent: 2, rejected: 1, uncertain: 1 }]);
    await api.post(`${path}/retry`);
    const audit = (await api.get(`/audit?campaign=${id}&limit=1`)).body;
    expect(audit.entries).toMatchObject([
      { verb: 'retry', campaign: { id }, by: expect.stringMatching(/^program till-\d+$/) },
    ]);
    const older = (await api.get(`/audit?campaign=${id}&limit=1&cursor=${audit.next}`)).body;
    expect(older.entries).toMatchObject([{ verb: 'launch', by: 'test' }]);
    const { month, days } = (await api.get('/calendar?month=2027-01')).body;
    expect([month, days]).toEqual(['2027-01', []]);
    expect((await api.get('/calendar?month=2027-13')).status).toBe(422);
  });

  test('what is well and what is not', async () => {
    const { checks, free_bytes: free } = (await api.get('/checks')).body;
    expect(free).toBeGreaterThan(0);
    expect(checks).toContainEqual(expect.objectContaining({ name: 'node', state: 'ok' }));
    expect(checks).toContainEqual(expect.objectContaining({ name: 'credentials', state: 'fail' }));
  });
});

describe('decisions', () => {
  test('an unknown answer gets a meaning, which decides what waits, and loses it again', async () => {
    const launched = await campaign(2);
    await story.claim();
    const question = { content: 'odd', words: 'odd words' };
    const evidence = { httpStatus: 418, code: null, raw: 'odd words', question };
    await story.record(launched.n, {
      1: { to: 'uncertain', evidence },
      2: { to: 'uncertain', evidence },
    });
    const [open] = (await api.get('/decisions')).body.answers;
    expect(open).toMatchObject({ http_status: 418, words: 'odd words', messages: 2, meaning: null });
    const path = `/decisions/answers/${open.answer}`;
    expect((await api.post(`${path}/map`, { meaning: 'contact', messages: 1 })).body.now).toBe(2);
    expect((await api.post(`${path}/map`, { meaning: 'contact', messages: 2 })).body).toEqual({
      messages: 2,
    });
    expect((await api.post(`${path}/map`, { meaning: 'accepted' })).body.code).toBe('state_forbids');
    expect((await api.get(launched.path)).body.messages).toMatchObject({ rejected: 2, uncertain: 0 });
    expect((await api.post(`${path}/unmap`)).body).toEqual({ changed: true, messages: 2 });
    expect((await api.post('/decisions/answers/99999/map', { meaning: 'contact' })).status).toBe(404);
  });

  test('an unknown word of reports gets a meaning', async () => {
    const { path, n } = await sentCampaign();
    const message = (await api.get(`${path}/messages?limit=1`)).body.messages[0];
    await story.report(message.messageid, null);
    const { words } = (await api.get('/decisions')).body;
    expect(words).toMatchObject([{ word: '?', count: 1, meaning: null }]);
    const meaning = { word: '?', meaning: 'delivered' };
    expect((await api.post('/decisions/words', { ...meaning, reports: 2 })).body).toMatchObject({
      code: 'count_changed',
      now: 1,
    });
    expect((await api.post('/decisions/words', { ...meaning, reports: 1 })).body).toEqual({ reports: 1 });
    expect((await api.get(`${path}/messages?limit=1`)).body.messages[0].delivery).toBe('delivered');
    expect((await api.post('/decisions/words', { word: 'DELIVRD', meaning: 'pending' })).status).toBe(422);
    expect(n).toBeGreaterThan(0);
  });
});

test('webhooks that nobody understands are listed, and one is shown field by field', async () => {
  const body = Buffer.from(JSON.stringify({ strange: { phone: NUMBER }, token: 'TOKENSECRET' }));
  const about = { method: 'POST', contentType: 'application/json', query: '', ip: '203.0.113.9' };
  await story.ledger.storeWebhook({ ...about, receivedAt: story.now, body });
  for (const { webhook } of await story.ledger.newWebhooks(9))
    await story.ledger.recordReports([
      {
        webhook,
        kind: 'not_understood',
        reports: [],
        replies: [],
        now: story.now,
      },
    ]);
  const { counts, shapes } = (await api.get('/webhooks')).body;
  expect(counts.not_understood).toBe(1);
  const shape = shapes.find(({ kind }: { kind: string }) => kind === 'not_understood');
  const path = `/webhooks/${shape.webhook}`;
  const one = (await api.get(path)).body;
  expect(one).toMatchObject({ kind: 'not_understood', from: '203.0.113.9', times: 1, voided_at: null });
  expect(one.payload).toContainEqual({ path: '$.strange.phone', value: NUMBER });
  expect(JSON.stringify(one)).not.toContain('TOKENSECRET');
  const viewer = await api.as('viewer');
  const masked = [await viewer.get(path), await viewer.get('/webhooks')];
  expect(masked.map(({ status }) => status)).toEqual([200, 200]);
  expect(JSON.stringify(masked)).not.toContain(NUMBER);
  expect((await api.get('/webhooks/99999')).body).toMatchObject({ code: 'not_found' });
});

describe('a viewer', () => {
  test('reads with masked numbers, and changes nothing', async () => {
    const { path } = await sentCampaign();
    const viewer = await api.as('viewer');
    expect((await viewer.get('/me')).body).toMatchObject({ kind: 'program', role: 'viewer' });
    const { messages } = (await viewer.get(`${path}/messages`)).body;
    expect(messages[0].mobile).toBe('2547****0001');
    expect((await viewer.get(`${path}/uncertain`)).body.messages[0].mobile).toBe('2547****0004');
    const found = await viewer.post('/find', { text: '0700000001' });
    expect(found.body.number.mobile).toBe('2547****0001');
    for (const asked of ['/inbox', '/optouts', '/audit', `${path}/messages/1`, '/decisions', '/checks'])
      expect(JSON.stringify((await viewer.get(asked)).body), asked).not.toMatch(/2547\d{8}|07\d{8}/);
    for (const order of [`${path}/retry`, '/optouts', '/campaigns', '/contacts', '/preparations'])
      expect(await viewer.post(order, {}), order).toMatchObject({
        status: 403,
        body: { code: 'not_allowed' },
      });
    expect((await viewer.get('/preparations')).status).toBe(403);
  });
});

describe('orders', () => {
  test('pause and resume change a campaign once, and say what may still leave', async () => {
    const { path } = await campaign();
    const paused = await api.post(`${path}/pause`);
    expect(paused.body).toMatchObject({
      campaign: { state: 'paused', reason: 'operator' },
      changed: true,
      sending: 0,
    });
    expect((await api.post(`${path}/pause`, {})).body.changed).toBe(false);
    expect((await api.post(`${path}/resume`, {})).body).toMatchObject({
      campaign: { state: 'running', reason: null },
      changed: true,
    });
  });

  test('an order with an older ETag changes nothing', async () => {
    const { path } = await campaign();
    const etag = (await api.get(path)).headers.get('etag') ?? '';
    await api.post(`${path}/rate`, { rate: '5/s' });
    const late = await api.post(`${path}/pause`, {}, { 'if-match': etag });
    expect(late).toMatchObject({ status: 412, body: { code: 'changed' } });
    const { headers, body } = await api.get(path);
    expect([body.state, body.rate_per_second]).toEqual(['running', 5]);
    expect((await api.post(`${path}/pause`, {}, { 'if-match': headers.get('etag') ?? '' })).status).toBe(200);
  });

  test('rate and budget are read as people write them, and wrong ones are named', async () => {
    const { path } = await campaign(4, { budgetMicro: 10_000_000 });
    expect((await api.post(`${path}/rate`, { rate: '600/min' })).body.rate_per_second).toBe(10);
    expect((await api.post(`${path}/rate`, { rate: 'fast' })).body).toMatchObject({
      code: 'request_invalid',
      errors: [{ path: ['rate'] }],
    });
    expect((await api.post(`${path}/budget`, { budget: 'KES 1,250.50' })).status).toBe(200);
    expect((await api.get(path)).body.budget).toBe('1250.50');
    const lower = await api.post(`${path}/budget`, { budget: '5.00' });
    expect(lower).toMatchObject({ status: 409, body: { code: 'state_forbids' } });
  });

  test('a cancel means as many people as were shown, or nothing', async () => {
    const { path } = await campaign(4);
    const wrong = await api.post(`${path}/cancel`, { people: 3 });
    expect(wrong).toMatchObject({ status: 409, body: { code: 'count_changed', now: 4 } });
    const right = await api.post(`${path}/cancel`, { people: 4 });
    expect(right.body).toMatchObject({ campaign: { state: 'canceled' }, canceled: 4, changed: true });
  });

  test('one person is canceled by number, line or key, and the others stay', async () => {
    const { path } = await campaign(4);
    expect((await api.post(`${path}/cancel-person`, {})).status).toBe(422);
    const one = await api.post(`${path}/cancel-person`, { mobile: '0700 000 002', messages: 1 });
    expect(one.body).toMatchObject({ people: 1, messages: 1, queued: 1 });
    expect((await api.post(`${path}/cancel-person`, { line: 2, messages: 2 })).body.now).toBe(1);
    expect((await api.get(path)).body.messages).toMatchObject({ queued: 3, canceled: 1 });
    const nobody = await api.post(`${path}/cancel-person`, { mobile: NUMBER });
    expect(nobody).toMatchObject({ status: 404, body: { code: 'not_found' } });
    expect(JSON.stringify(nobody.body)).not.toContain(NUMBER);
  });

  test('a retry queues what it can help, and a decision ends what is uncertain', async () => {
    const { path } = await sentCampaign();
    expect((await api.post(`${path}/retry`, { messages: 2 })).body).toMatchObject({ now: 1 });
    const other = await api.post(`${path}/retry`, { reason: 'no such', messages: 1 });
    expect(other.body).toMatchObject({ code: 'count_changed', now: 0 });
    const retried = await api.post(`${path}/retry`, { messages: 1 });
    expect(retried.body).toMatchObject({ retried: 1, named_by_reports: 0 });
    const wrong = await api.post(`${path}/resolve`, { decision: 'sent', messages: 2 });
    expect(wrong.body).toMatchObject({ code: 'count_changed', now: 1 });
    const decided = await api.post(`${path}/resolve`, { decision: 'sent', messages: 1, line: 5 });
    expect(decided.body).toMatchObject({ resolved: 1, too_young: 0 });
    expect((await api.get(path)).body.messages).toMatchObject({ sent: 3, uncertain: 0, queued: 1 });
  });

  test('a state that forbids a verb says so', async () => {
    const { path } = await sentCampaign();
    expect(await api.post(`${path}/pause`)).toMatchObject({ status: 409, body: { code: 'state_forbids' } });
    expect((await api.post(`${path}/skip`)).body.code).toBe('state_forbids');
  });
});

describe('a request with an Idempotency-Key', () => {
  test('is done once, and a repeat gets the same answer', async () => {
    const { path } = await sentCampaign();
    const key = { [KEY]: 'retry-1' };
    const first = await api.post(`${path}/retry`, {}, key);
    const again = await api.post(`${path}/retry`, {}, key);
    expect(first.body.retried).toBe(1);
    expect(again.body).toEqual(first.body);
    expect((await api.post(`${path}/retry`)).body.retried).toBe(0);
  });

  test('is refused for another body or address', async () => {
    const { path } = await campaign();
    const key = { [KEY]: 'rate-1' };
    await api.post(`${path}/rate`, { rate: '5/s' }, key);
    const other = await api.post(`${path}/rate`, { rate: '50/s' }, key);
    expect(other).toMatchObject({ status: 422, body: { code: 'key_used' } });
    expect((await api.post(`${path}/pause`, {}, key)).body.code).toBe('key_used');
    expect((await api.get(path)).body.rate_per_second).toBe(5);
  });

  test('may be tried again after a refusal, because nothing was done', async () => {
    const { path } = await campaign();
    const key = { [KEY]: 'cancel-1' };
    expect((await api.post(`${path}/cancel`, { people: 9 }, key)).status).toBe(409);
    expect((await api.post(`${path}/cancel`, { people: 4 }, key)).status).toBe(200);
  });

  test('gets the same answer after a restart of the server', async () => {
    const { path } = await sentCampaign();
    const key = { [KEY]: 'left-1' };
    await api.post(`${path}/retry`, {}, key);
    const restarted = await api.restarted(story.directory);
    const known = await restarted.post(`${path}/retry`, {}, key);
    expect(known.body.retried).toBe(1);
  });

  test('whose end nobody knows is not done again, and a new key may', async () => {
    const { path } = await sentCampaign();
    const key = { [KEY]: 'cut-1' };
    const ledger = await api.services.ledger();
    const cut = vi.spyOn(ledger, 'retry').mockRejectedValueOnce(new Error('the disk is gone'));
    expect((await api.post(`${path}/retry`, {}, key)).body.code).toBe('internal');
    cut.mockRestore();
    for (let times = 0; times < 2; times += 1)
      expect(await api.post(`${path}/retry`, {}, key)).toMatchObject({
        status: 409,
        body: { code: 'end_unknown' },
      });
    expect((await api.post(`${path}/retry`, {}, { [KEY]: 'cut-2' })).body.retried).toBe(1);
  });

  test('is refused while the first one is under way', async () => {
    const { path } = await sentCampaign();
    const ledger = await api.services.ledger();
    const { promise: held, resolve: release } = Promise.withResolvers<number>();
    const slow = vi.spyOn(ledger, 'retry').mockImplementationOnce(() => held);
    const first = api.post(`${path}/retry`, {}, { [KEY]: 'slow-1' });
    await waitFor(() => slow.mock.calls.length > 0, { what: 'the first request' });
    expect((await api.post(`${path}/retry`, {}, { [KEY]: 'slow-1' })).body.code).toBe('in_progress');
    release(0);
    expect((await first).status).toBe(200);
    slow.mockRestore();
  });

  test('must be one word', async () => {
    const { path } = await campaign();
    const wrong = await api.post(`${path}/pause`, {}, { [KEY]: 'two words' });
    expect(wrong).toMatchObject({ status: 422, body: { errors: [{ path: ['idempotency-key'] }] } });
  });
});

describe('opt-outs', () => {
  test('numbers are added with a reason, found, listed in pages, and removed', async () => {
    const added = await api.post('/optouts', {
      mobiles: ['0712 345 678', '+254733000111'],
      reason: 'asked at the till',
    });
    expect(added.body).toEqual({ added: 2 });
    expect((await api.post('/optouts', { mobiles: [NUMBER] })).body).toEqual({ added: 0 });
    const found = (await api.post('/optouts/find', { mobile: '0712345678' })).body;
    expect(found.opt_outs).toMatchObject([{ mobile: NUMBER, kind: 'opted out', source: 'operator' }]);
    const event = { change: 'added', evidence: 'asked at the till' };
    expect(found.history).toContainEqual(expect.objectContaining(event));
    const first = (await api.get('/optouts?limit=1')).body;
    expect(first.opt_outs[0].mobile).toBe(NUMBER);
    expect(Buffer.from(first.next, 'base64url').toString('latin1')).not.toContain('2547');
    const second = (await api.get(`/optouts?limit=1&cursor=${first.next}`)).body;
    expect(second.opt_outs[0].mobile).toBe('254733000111');
    const back = { mobiles: [NUMBER], reason: 'asked again' };
    expect((await api.post('/optouts/remove', back)).body).toEqual({ removed: 1 });
    const after = (await api.post('/optouts/find', { mobile: NUMBER })).body;
    expect(after.opt_outs).toEqual([]);
    expect(after.history.at(-1)).toMatchObject({ change: 'removed', evidence: 'asked again' });
  });

  test('a wrong number is named by its place, never by itself', async () => {
    const wrong = await api.post('/optouts', { mobiles: [NUMBER, '07123456789999'] });
    expect(wrong.body.errors[0].path).toEqual(['mobiles', '1']);
    expect(JSON.stringify(wrong.body)).not.toContain('07123456789999');
  });
});

describe('what cannot be done', () => {
  test('is problem+json with a code, also where nothing is', async () => {
    const nothing = await api.get('/nothing');
    expect(nothing.headers.get('content-type')).toContain('application/problem+json');
    expect(nothing.body).toMatchObject({ type: 'urn:tuma:error:not_here', status: 404 });
    expect((await api.call('DELETE', '/campaigns/promo-1')).status).toBe(404);
    const { path } = await campaign();
    const json = { 'content-type': 'application/json' };
    expect((await api.post(`${path}/pause`, '{"a":', json)).body.code).toBe('request_unreadable');
    expect((await api.post(`${path}/pause`, { other: 1 })).body.code).toBe('request_invalid');
    expect((await api.post(`${path}/pause`, '<x/>', { 'content-type': 'text/xml' })).status).toBe(415);
  });

  test('is no body without a byte, whatever its type', async () => {
    const { path } = await campaign();
    const json = { headers: { 'content-type': 'application/json' } };
    const paused = await api.call('POST', `${path}/pause`, { body: '', ...json });
    expect(paused).toMatchObject({ status: 200, body: { campaign: { state: 'paused' } } });
    const utf8 = { headers: { 'content-type': 'application/json; charset=utf-8' } };
    expect((await api.call('POST', `${path}/resume`, utf8)).status).toBe(200);
    expect((await api.call('POST', '/tasks/0/again', json)).body.code).toBe('not_found');
    expect((await api.call('DELETE', '/preparations/0', json)).body.code).toBe('match_needed');
    // A body that is needed is named as such.
    expect((await api.call('POST', '/optouts', json)).body.code).toBe('request_invalid');
  });

  test('names the way on as data, beside the hint', async () => {
    const unmap = await api.post('/decisions/answers/99/unmap', {});
    expect(unmap.body).toMatchObject({
      code: 'not_found',
      hint: null,
      advice: { action: 'list_answers', campaign: null, needs: null },
    });
  });

  test('asks for a token where nobody is known', async () => {
    const { path } = await campaign();
    for (const asked of ['/campaigns', path, '/inbox', '/nothing']) {
      const answer = await api.stranger().get(asked);
      expect(answer, asked).toMatchObject({ status: 401, body: { code: 'not_signed_in' } });
      expect(answer.headers.get('www-authenticate')).toBe('Bearer');
    }
    expect((await api.stranger().post(`${path}/pause`)).status).toBe(401);
    expect((await api.get(path)).body.state).toBe('running');
  });
});

describe('events', () => {
  test('tell the present state, each change, and the end', async () => {
    const { path, n } = await campaign(1);
    const stop = new AbortController();
    const { body, headers } = await api.fetch(`${path}/events`, stop.signal);
    expect(headers.get('content-type')).toContain('text/event-stream');
    const events = eventsIn(body as ReadableStream<Uint8Array>);
    expect((await events.next()).value).toMatchObject({ name: 'campaign', data: { state: 'running' } });
    await story.claim();
    await story.record(n, { 1: { to: 'sent' } });
    const last = [];
    for await (const event of events) last.push(event);
    expect(last.at(-2)).toMatchObject({
      name: 'campaign',
      data: { state: 'finished', messages: { sent: 1 } },
    });
    expect(last.at(-1)).toMatchObject({ name: 'end' });
    expect((await api.get('/campaigns/other/events')).status).toBe(404);
  });
});

async function* eventsIn(body: ReadableStream<Uint8Array>) {
  let text = '';
  for await (const chunk of body) {
    text += Buffer.from(chunk).toString();
    for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
      const [, name, data = ''] = /^event: (\w+)\ndata: (.*)/.exec(text.slice(0, end)) ?? [];
      text = text.slice(end + 2);
      if (name !== undefined) yield { name, data: JSON.parse(data) as Record<string, unknown> };
    }
  }
}
