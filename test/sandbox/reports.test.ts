import { describe, expect, it } from 'vitest';
import { ODD_KINDS, type OddKind } from '../../src/sandbox/reports/report-plan.ts';
import { readTruth } from '../../src/sandbox/truth/truth.ts';
import { waitFor } from '../support/wait-for.ts';
import { script, start, type Started } from './start.ts';
import { webhook, type Received } from './webhook.ts';
import { send } from './wire.ts';

const SOON = { min: 1, max: 5 };
const DELIVERED = { delivered: 1, undelivered: 0, absent: 0, never: 0 };

function settled(sandbox: Started, reports: number): Promise<unknown> {
  return waitFor(() => sandbox.stats().reports.pending === 0 && sandbox.stats().reports.taken === reports, {
    what: `${reports} reports to be taken`,
  });
}

function parsed(received: Received | undefined): Record<string, unknown> {
  return JSON.parse(received?.body ?? 'null') as Record<string, unknown>;
}

describe('delivery reports', () => {
  it('come by POST in the plain shape of the family, with the id that was answered', async () => {
    const { url, got } = await webhook();
    const sandbox = await start({ webhookUrl: url, reportDelayMs: SOON, reportMix: DELIVERED });
    const { body } = await send(sandbox.url);
    await settled(sandbox, 1);
    expect(got).toMatchObject([{ method: 'POST', path: '/webhooks/token', type: 'application/json' }]);
    expect(parsed(got[0])).toEqual({
      description: 'DeliveredToTerminal',
      messageid: body.messageid,
      timeTaken: '0s',
      timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/) as string,
    });
    expect((await readTruth(sandbox.truthFile)).reports).toMatchObject([
      { messageid: body.messageid, outcome: 'delivered', result: 'taken', tries: 1, httpStatus: 200 },
    ]);
  });

  it('do not come before their time', async () => {
    const { url, got } = await webhook();
    const sandbox = await start({
      webhookUrl: url,
      reportDelayMs: { min: 120, max: 121 },
      reportMix: DELIVERED,
    });
    const from = performance.now();
    await send(sandbox.url);
    await waitFor(() => got.length === 1, { what: 'the report' });
    expect(performance.now() - from).toBeGreaterThanOrEqual(119);
  });

  it('wait until there is an address to send them to', async () => {
    const { url, got } = await webhook();
    const sandbox = await start({ reportDelayMs: SOON, reportMix: DELIVERED });
    for (const mobile of ['254700000001', '254700000002']) await send(sandbox.url, { mobile });
    expect(sandbox.stats().reports.pending).toBe(2);
    sandbox.setWebhook(url);
    await settled(sandbox, 2);
    expect(got).toHaveLength(2);
  });

  it('are sent again while the answer is not 2xx, and counted once', async () => {
    const { url, got } = await webhook((index) => [500, 404, 302, 204][index] ?? 200);
    const sandbox = await start({
      webhookUrl: url,
      reportDelayMs: SOON,
      reportMix: DELIVERED,
      reportRetryMs: 1,
    });
    await send(sandbox.url);
    await settled(sandbox, 1);
    expect(got).toHaveLength(4);
    expect(new Set(got.map((report) => parsed(report).messageid)).size).toBe(1);
    expect((await readTruth(sandbox.truthFile)).reports).toMatchObject([{ tries: 4, httpStatus: 204 }]);
  });

  it('are given up after the last try, and recorded as given up', async () => {
    const { url, got } = await webhook(() => 500);
    const sandbox = await start({
      webhookUrl: url,
      reportDelayMs: SOON,
      reportMix: DELIVERED,
      reportRetryMs: 1,
      reportTries: 3,
    });
    await send(sandbox.url);
    await waitFor(() => sandbox.stats().reports.givenUp === 1, { what: 'the report to be given up' });
    expect(got).toHaveLength(3);
    await waitFor(
      async () => (await readTruth(sandbox.truthFile)).reports.some((report) => report.result === 'given_up'),
      { what: 'the record of it' },
    );
  });

  it('survive a webhook that is not there yet', async () => {
    const gone = await webhook();
    await gone.close();
    const sandbox = await start({
      webhookUrl: gone.url,
      reportDelayMs: SOON,
      reportMix: DELIVERED,
      reportRetryMs: 5,
    });
    await send(sandbox.url);
    await waitFor(() => sandbox.stats().reports.pending === 1, { what: 'the report to wait' });
    const { url, got } = await webhook();
    sandbox.setWebhook(url);
    await settled(sandbox, 1);
    expect(got).toHaveLength(1);
  });

  it('follow the mix by number, and some never come', async () => {
    const { url } = await webhook();
    const mix = { delivered: 0.4, undelivered: 0.2, absent: 0.2, never: 0.2 };
    const sandbox = await start({ webhookUrl: url, reportDelayMs: SOON, reportMix: mix });
    const mobiles = Array.from({ length: 60 }, (_, index) => `2547000000${String(index).padStart(2, '0')}`);
    for (const mobile of mobiles) await send(sandbox.url, { mobile });
    await waitFor(() => sandbox.stats().reports.pending === 0, { what: 'all reports' });
    const outcomes = (await readTruth(sandbox.truthFile)).reports.map((report) => report.outcome);
    expect(new Set(outcomes)).toEqual(new Set(['delivered', 'undelivered', 'absent']));
    expect(outcomes.length).toBeLessThan(60);
    expect(outcomes.filter((outcome) => outcome === 'delivered').length).toBeGreaterThan(12);
  });

  it('of an accepted message without an answer come all the same', async () => {
    const { url, got } = await webhook();
    const faults = { script: script('- answer: rst_after_body') };
    const sandbox = await start({ webhookUrl: url, reportDelayMs: SOON, reportMix: DELIVERED, faults });
    await expect(send(sandbox.url)).rejects.toThrow();
    await settled(sandbox, 1);
    const [id] = [...(await readTruth(sandbox.truthFile)).messages.keys()];
    expect(parsed(got[0]).messageid).toBe(id);
  });

  it('come before the answer with dlr_before_response', async () => {
    const { url, got } = await webhook();
    const faults = { script: script('- answer: dlr_before_response') };
    const sandbox = await start({
      webhookUrl: url,
      reportDelayMs: { min: 60_000, max: 60_000 },
      reportMix: DELIVERED,
      faults,
    });
    const { body } = await send(sandbox.url);
    expect(got.map((report) => parsed(report).messageid)).toEqual([body.messageid]);
  });
});

describe('odd reports', () => {
  async function odd(kind: OddKind, reports = 1): Promise<{ id: string; got: Received[] }> {
    const { url, got } = await webhook();
    const sandbox = await start({
      webhookUrl: url,
      reportDelayMs: SOON,
      reportMix: DELIVERED,
      oddReportRate: 1,
      oddReportKinds: [kind],
    });
    const { body } = await send(sandbox.url);
    await settled(sandbox, reports);
    return { id: String(body.messageid), got };
  }

  it('tilil_json uses other names', async () => {
    const { id, got } = await odd('tilil_json');
    expect(parsed(got[0])).toMatchObject({ messageId: id, dlrStatus: 1, dlrDesc: 'DeliveredToTerminal' });
  });

  it('form is form-encoded', async () => {
    const { id, got } = await odd('form');
    expect(got[0]?.type).toBe('application/x-www-form-urlencoded');
    const form = new URLSearchParams(got[0]?.body);
    expect([form.get('id'), form.get('status'), form.get('phoneNumber')]).toEqual([
      id,
      'Success',
      '+254712345678',
    ]);
  });

  it('query is a GET without a body', async () => {
    const { id, got } = await odd('query');
    expect(got[0]).toMatchObject({ method: 'GET', path: '/webhooks/token', body: '' });
    expect([got[0]?.query.get('msg_id'), got[0]?.query.get('status')]).toEqual([id, 'DELIVRD']);
  });

  it('number_id writes a numeric id as a number, however long, and any other as text', async () => {
    const { url, got } = await webhook();
    const options = { reportDelayMs: SOON, reportMix: DELIVERED, oddReportRate: 1 } as const;
    const sandbox = await start({ webhookUrl: url, ...options, oddReportKinds: ['number_id'] });
    const ids: string[] = [];
    for (let count = 0; count < 10; count += 1) ids.push(String((await send(sandbox.url)).body.messageid));
    await settled(sandbox, 10);
    const written = got.map((report) => /^\{"messageid":("?)(.+?)\1,/.exec(report.body));
    expect(new Set(written.map((match) => match?.[2]))).toEqual(new Set(ids));
    for (const match of written) expect(match?.[1] === '').toBe(/^[1-9]\d*$/.test(match?.[2] ?? ''));
    expect(ids.some((id) => /^9\d{19}$/.test(id))).toBe(true);
  });

  it("query is added to the address's own query", async () => {
    const { url, got } = await webhook();
    const options = { reportDelayMs: SOON, reportMix: DELIVERED, oddReportRate: 1 } as const;
    const sandbox = await start({ webhookUrl: `${url}?key=a%20b`, ...options, oddReportKinds: ['query'] });
    await send(sandbox.url);
    await settled(sandbox, 1);
    expect([got[0]?.query.get('key'), got[0]?.query.get('msisdn')]).toEqual(['a b', '254712345678']);
  });

  it('duplicate comes three times with the same word', async () => {
    const { id, got } = await odd('duplicate', 3);
    expect(got.map((report) => [parsed(report).messageid, parsed(report).description])).toEqual(
      Array.from({ length: 3 }, () => [id, 'DeliveredToTerminal']),
    );
  });

  it.each([
    ['intermediate_first', ['SentToNetwork', 'DeliveredToTerminal']],
    ['out_of_order', ['DeliveredToTerminal', 'SentToNetwork']],
    ['conflict', ['AbsentSubscriber', 'DeliveredToTerminal']],
  ] as const)('%s says %j', async (kind, words) => {
    const { url, got } = await webhook();
    const sandbox = await start({
      webhookUrl: url,
      reportDelayMs: { min: 40, max: 40 },
      reportMix: DELIVERED,
      oddReportRate: 1,
      oddReportKinds: [kind],
    });
    await send(sandbox.url);
    await settled(sandbox, 2);
    expect(got.map((report) => parsed(report).description)).toEqual(words);
  });

  it('early is there before the answer', async () => {
    const { id, got } = await odd('early');
    expect(parsed(got[0]).messageid).toBe(id);
  });

  it('are about as many as the rate says, of every kind', async () => {
    const { url, got } = await webhook();
    const sandbox = await start({
      webhookUrl: url,
      reportDelayMs: SOON,
      reportMix: DELIVERED,
      oddReportRate: 0.5,
    });
    const mobiles = Array.from({ length: 400 }, (_, index) => `2547000${String(index).padStart(5, '0')}`);
    await Promise.all(mobiles.map((mobile) => send(sandbox.url, { mobile })));
    await waitFor(() => sandbox.stats().reports.pending === 0, { what: 'all reports' });
    const byMessage = Map.groupBy((await readTruth(sandbox.truthFile)).reports, (report) => report.serial);
    expect(byMessage.size).toBe(400);
    expect(got).toHaveLength(sandbox.stats().reports.taken);
    const shapes = new Set([...byMessage.values()].flat().map((report) => report.shape));
    expect(shapes.size).toBe(5);
    const plain = [...byMessage.values()].filter((list) => list.length === 1 && list[0]?.shape === 'plain');
    // An early report looks plain in the log: one odd kind in nine.
    expect(plain.length).toBeGreaterThan(150);
    expect(plain.length).toBeLessThan(280);
    expect(ODD_KINDS).toHaveLength(9);
  });
});
