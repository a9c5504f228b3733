import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { waitFor } from '../support/wait-for.ts';
import { acceptedSince, checkRun, claimsEver, countState, unjoinedReports } from './check.ts';
import { CLAIM_LIMIT, openStage } from './harness.ts';
import { campaignState, launchFor } from './orders.ts';

test('a worker that begins reads the STOP that was stored while none was there before it claims anything [I9]', async () => {
  const stage = await openStage({ sandboxHere: true, contacts: 20 });
  await launchFor(stage);
  const collector = stage.serve('collector');
  await collector.printed(/webhooks +http/);
  const [, first = ''] = readFileSync(join(stage.directory, 'contacts.csv'), 'utf8').split('\n');
  const mobile = `254${(first.split(',')[0] ?? '').slice(-9)}`;
  const stop = {
    event: 'sms.inbound',
    mobile,
    shortcode: 'DUKA',
    message: 'STOP',
    received_at: '2026-01-01',
  };
  const url = `http://127.0.0.1:${stage.collectorPort}/webhooks/${stage.env['TUMA_WEBHOOK_TOKEN']}`;
  expect((await fetch(url, { method: 'POST', body: JSON.stringify(stop) })).status).toBe(200);
  const file = join(stage.directory, 'may-read');
  const worker = stage.serve('worker', {
    hook: { at: 'newWebhooks', when: 'before', nth: 1, does: 'wait', file },
  });
  await waitFor(() => existsSync(`${file}.${worker.pid}`), {
    what: 'the first look',
  });
  const claimed = waitFor(() => claimsEver(stage) > 0, { what: 'a claim', timeoutMs: 1_500 });
  await expect(claimed).rejects.toThrow('a claim');
  writeFileSync(file, '');
  await waitFor(() => countState(stage, 'sent') === 19, { what: '19 sent' });
  expect(countState(stage, 'skipped')).toBe(1);
  await Promise.all([worker, collector].map((child) => child.stop('SIGTERM')));
});

test('paused, resumed and canceled by other processes, a campaign claims nothing after the order [B8]', async () => {
  const stage = await openStage({ sandboxHere: true, contacts: 3_000, gated: true });
  stage.gate.holdAfter(100);
  const serve = stage.serve();
  await serve.printed(/serving/);
  await launchFor(stage);
  await stage.gate.full();
  const { accepted: before } = await stage.provider.stats();
  expect(await stage.tuma(['pause', 'faults'])).toMatchObject({ code: 0, document: { changed: true } });
  const claims = claimsEver(stage);
  stage.gate.release();
  await waitFor(() => countState(stage, 'sending') === 0, {
    what: 'what was on the wire',
  });
  expect(await stage.tuma(['pause', 'faults'])).toMatchObject({ code: 0, document: { changed: false } });
  expect(await campaignState(stage)).toEqual({ state: 'paused', reason: 'operator' });
  expect(claimsEver(stage)).toBe(claims);
  const paused = await checkRun(stage, { kills: 0, settled: false });
  expect(paused.queued).toBeGreaterThan(0);
  expect(paused.accepted).toBeGreaterThanOrEqual(before);
  expect(await acceptedSince(stage, 'pause')).toBeLessThanOrEqual(CLAIM_LIMIT);

  stage.gate.holdAfter(100);
  expect(await stage.tuma(['resume', 'faults'])).toMatchObject({ code: 0, document: { changed: true } });
  await stage.gate.full();
  // It ends when nothing is on the wire any more.
  const canceling = stage.tuma(['cancel', 'faults', '--yes']);
  await waitFor(() => countState(stage, 'canceled') > 0, { what: 'the order' });
  const claimsAtCancel = claimsEver(stage);
  stage.gate.release();
  expect(await canceling).toMatchObject({ code: 0, document: { changed: true } });
  await waitFor(() => countState(stage, 'sending') === 0, {
    what: 'what was on the wire',
  });
  expect(await campaignState(stage)).toEqual({ state: 'canceled', reason: null });
  expect(claimsEver(stage)).toBe(claimsAtCancel);
  await serve.stop('SIGTERM');
  expect(await acceptedSince(stage, 'cancel')).toBeLessThanOrEqual(CLAIM_LIMIT);
  const canceled = await checkRun(stage, { kills: 0 });
  expect(countState(stage, 'canceled')).toBeGreaterThan(0);
  expect(canceled.sent + countState(stage, 'canceled')).toBe(3_000);
});

test('reports that were acknowledged and not yet joined when the collector was killed are joined by the next process [W3]', async () => {
  const stage = await openStage({
    sandboxHere: true,
    contacts: 150,
    sandbox: { webhookUrl: null },
  });
  const collector = stage.serve('collector');
  const worker = stage.serve('worker');
  await Promise.all([collector, worker].map((each) => each.printed(/serving/)));
  await launchFor(stage);
  await waitFor(() => countState(stage, 'sent') === 150, { what: '150 sent' });
  await worker.stop('SIGKILL');
  const url = `http://127.0.0.1:${stage.collectorPort}/webhooks/${stage.env['TUMA_WEBHOOK_TOKEN']}`;
  await fetch(`${stage.provider.url}/sandbox/webhook`, { method: 'POST', body: JSON.stringify({ url }) });
  await waitFor(async () => (await stage.provider.stats()).reports.pending === 0, { what: 'every report' });
  await collector.stop('SIGKILL');
  expect(await unjoinedReports(stage)).not.toEqual([]);
  const next = stage.serve('worker');
  await waitFor(async () => (await unjoinedReports(stage)).length === 0, {
    what: 'every report to be joined',
  });
  await next.stop('SIGTERM');
  expect(await checkRun(stage, { kills: 1 })).toMatchObject({ sent: 150, accepted: 150 });
});
