import { expect, test } from 'vitest';
import { startRedis } from '../support/redis.ts';
import { waitFor } from '../support/wait-for.ts';
import { checkRun, countState, storedWebhooks, unjoinedReports } from './check.ts';
import { ended, openStage, WEBHOOK_TOKEN } from './harness.ts';
import { launchFor } from './orders.ts';

test('a FLUSHALL every few messages, and a Redis that is killed, lose nothing and repeat nothing [R3 R1 I8]', async () => {
  const stage = await openStage({ sandboxHere: true, contacts: 800 });
  const run = stage.launch();
  for (let at = 60; at <= 600; at += 60) {
    await stage.provider.accepted(at);
    if (at === 480) stage.redis.kill();
    else await stage.redis.command('FLUSHALL').catch(() => undefined);
  }
  const { code, document } = await ended(run);
  expect(code).toBe(0);
  const findings = await checkRun(stage, { kills: 0, report: document });
  expect(findings).toMatchObject({ sent: 800, accepted: 800, uncertain: 0 });
  expect(await unjoinedReports(stage)).toEqual([]);
});

test('the jobs of an older Redis come back, and nothing of them is sent [R4]', async () => {
  const stage = await openStage({ sandboxHere: true, contacts: 600, gated: true });
  stage.gate.holdAfter(30);
  const run = stage.launch();
  await stage.gate.full();
  await stage.redis.command('SAVE');
  const jobs = (await stage.redis.command('KEYS', '{tuma}:*:b-*')) as string[];
  expect(jobs.length).toBeGreaterThan(0);
  stage.gate.release();
  stage.gate.holdAfter(240);
  await stage.gate.full();
  // The next server reads dump.rdb of its directory: the jobs of batches that are long done.
  await stage.killWithRedis(run);
  stage.gate.release();
  const old = stage.serve('worker');
  const loaded = async () => {
    const info = String(await stage.redis.command('INFO', 'persistence').catch(() => ''));
    return Number(/rdb_last_load_keys_loaded:(\d+)/.exec(info)?.[1] ?? 0);
  };
  await waitFor(async () => (await loaded()) > jobs.length, {
    what: 'a Redis with the jobs of then',
  });
  await waitFor(() => countState(stage, 'queued') + countState(stage, 'sending') === 0, {
    what: 'the campaign to be settled',
  });
  await old.stop();
  const { code, document } = await stage.tuma(['report', 'faults']);
  expect(code).toBe(0);
  await checkRun(stage, { kills: 1, report: document });
});

test('with Redis absent the worker waits and says so, and reports are taken and shown; then it goes on [R12]', async () => {
  const redis = await startRedis();
  const { path, host, port } = redis.address;
  const env = { TUMA_REDIS_URL: path === undefined ? `redis://${host}:${port}` : `unix:${path}` };
  await redis.kill();
  const stage = await openStage({ sandboxHere: true, contacts: 200, env });
  const refused = await ended(stage.launch());
  expect(refused).toMatchObject({ code: 1, document: null });
  expect(refused.stderr).toContain('redis_unreachable');
  await launchFor(stage);
  const serve = stage.serve();
  await serve.printed(/sending waits/);
  const hook = `http://127.0.0.1:${stage.collectorPort}/webhooks/${WEBHOOK_TOKEN}`;
  const report = JSON.stringify({ messageid: 'of-another-day', 'delivery-status': 'DeliveredToTerminal' });
  await waitFor(async () => (await fetch(hook, { method: 'POST', body: report })).status === 200, {
    what: 'the collector to take a report',
  });
  expect(storedWebhooks(stage)).toEqual([report]);
  expect(await stage.tuma(['report', 'faults'])).toMatchObject({
    code: 0,
    document: { messages: { queued: 200, sent: 0 } },
  });
  await redis.start();
  await waitFor(() => countState(stage, 'sent') === 200, { what: '200 sent' });
  await serve.stop('SIGTERM');
  expect((await serve.exited).code).toBe(0);
  expect(await checkRun(stage, { kills: 0 })).toMatchObject({ accepted: 200, uncertain: 0 });
});
