import { test } from 'vitest';
import { LedgerStory } from '../../test/support/ledger-story.ts';
import { openServices } from '../../src/runtime/services.ts';
import { resolveConfig } from '../../src/config/config.ts';
import { startWebServer } from '../../src/web/server.ts';
import { MemoryLog } from '../../test/collector/fake-store.ts';
import { LEDGERS_HERE } from '../../test/support/ledger-here.ts';
import { dashboardToken } from '../../src/config/dashboard-token.ts';
import { writeFileSync, existsSync } from 'node:fs';
test('dev', async () => {
  const story = await LedgerStory.begin();
  story.now = Date.now() - 20 * 60_000;
  const n = await story.launch({
    id: 'v4k2x8qd',
    name: 'agm-notice',
    messages: 400,
    estimatedMicro: 400 * 800_000,
    budgetMicro: 500e6,
    settings: { batchSize: 20 },
  });
  await story.readBalance(500e6);
  let seq = 0;
  const step = async () => {
    const claimed = (await story.claim()).slice(0, 400);
    const came: any = {};
    for (const s of claimed) {
      seq++;
      if (s > 300) {
        came[s] = { to: 'queued' };
        continue;
      }
      came[s] =
        s % 37 === 0
          ? { to: 'rejected', reason: 'service busy', retryHelps: true }
          : s % 41 === 0
            ? { to: 'rejected', reason: 'invalid mobile' }
            : s % 60 === 0
              ? {
                  to: 'uncertain',
                  reason: 'no answer within 30 s',
                  evidence: { httpStatus: 502, code: null, raw: '<b>Bad Gateway</b> 254712345678' },
                }
              : { to: 'sent', network: s % 3 === 0 ? '63902' : '63903' };
    }
    return { claimed, came };
  };
  const { came } = await step();
  const keys = Object.keys(came).map(Number);
  for (let i = 0; i < keys.length; i += 25) {
    const part = Object.fromEntries(keys.slice(i, i + 25).map((k) => [k, came[k]]));
    story.now += 60_000;
    await story.record(n, part);
    for (const k of keys.slice(i, i + 25))
      if (came[k].to === 'sent' && k % 7 !== 0) {
        story.now += 100;
        await story.report(
          `m${n}-${k}`,
          k % 23 === 0 ? 'undelivered' : 'delivered',
          k % 23 === 0 ? 'AbsentSubscriber' : null,
        );
      }
  }
  await story.ledger.setRate(n, { now: story.now - 300_000, by: 'operator amina', ratePerSecond: 10 });
  const p = await story.launch({
    id: 'h7w3p0cz',
    name: 'dividend-2026',
    contacts: 'x',
    messages: 50,
    estimatedMicro: 800e6,
  });
  await story.ledger.pause(p, { now: story.now, by: 'worker', reason: 'balance' });
  await story.launch({
    id: 'loandue1',
    name: 'loan-due',
    contacts: 'y',
    messages: 30,
    estimatedMicro: 24e6,
    startAt: Date.now() + 86400000,
  });
  const q = await story.launch({
    id: 'kyc00001',
    name: 'kyc-update',
    contacts: 'z',
    messages: 12,
    estimatedMicro: 24e6,
  });
  await story.ledger.cancel(q, { now: story.now, by: 'operator amina' });
  const config = resolveConfig({
    cwd: story.directory,
    env: { TUMA_HOME: story.directory, TUMA_RATE: '50' },
  });
  const services = await openServices(config, new MemoryLog(), LEDGERS_HERE);
  const app = await startWebServer({
    host: '127.0.0.1',
    port: 4711,
    token: null,
    render: async () => ({ contentType: 'text/plain', body: '' }),
    env: services,
  } as any);
  writeFileSync(
    '/tmp/wt-d-link',
    `http://127.0.0.1:4711/open?token=${(await dashboardToken(config)).reveal()}`,
  );
  let k = 0;
  while (!existsSync('/tmp/wt-d-stop')) {
    await new Promise((r) => setTimeout(r, 700));
    const id = keys[(k++ * 7) % keys.length]!;
    story.now = Date.now();
    if (came[id].to === 'sent') await story.report(`m${n}-${id}`, 'delivered');
  }
  await app.close();
  await services.dispose();
}, 36e5);
