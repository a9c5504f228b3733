import { expect, it, onTestFinished } from 'vitest';
import { startReportLoop } from '../../../src/campaign/inbound/webhook-loop.ts';
import { storeWebhook, tryStore } from '../../../src/campaign/inbound/store-webhook.ts';
import { startCollector } from '../../../src/collector/server.ts';
import { wishReader } from '../../../src/domain/text/opt-out-words.ts';
import { defaultProfile } from '../../../src/provider/profiles/default.ts';
import { replyHint, webhookParser } from '../../../src/provider/webhooks/read-webhook.ts';
import { systemClock } from '../../../src/system/clock.ts';
import { MemoryLog } from '../../collector/fake-store.ts';
import { waitFor } from '../../support/wait-for.ts';
import { openEngine, type Engine } from './engine.ts';
import { ScriptedProvider } from './scripted-provider.ts';

const TOKEN = 'ab12cd34ef56gh78ij90kl';
const AT_MOST_LATER_MS = 5_000;

/** A collector and the loop that reads what it stored. Answers how to post to it. */
async function openInbox({ ledger }: Engine) {
  const log = new MemoryLog();
  const mayBeReply = replyHint(defaultProfile.reports);
  const collector = await startCollector({
    host: '127.0.0.1',
    port: 0,
    answer: 'OK',
    tokens: [TOKEN],
    store: (received) => storeWebhook({ clock: systemClock, ledger }, received, mayBeReply),
    tryStore: () => tryStore({ clock: systemClock, ledger }),
    log,
  });
  const { words: stop, return_words: start } = defaultProfile.opt_out;
  const options = {
    parse: webhookParser(defaultProfile.reports, { country: 'KE' }),
    wishOf: wishReader({ stop, start }),
  };
  const loop = startReportLoop({ clock: systemClock, ledger, log }, options);
  onTestFinished(async () => {
    await loop.stop();
    await collector.close();
  });
  return (body: object) =>
    fetch(`${collector.url}/webhooks/${TOKEN}`, { method: 'POST', body: JSON.stringify(body) });
}

it('no request starts for a number later than 5 s after its STOP was answered, in the middle of a campaign [I9 S9]', async () => {
  const engine = await openEngine();
  const post = await openInbox(engine);
  const started = new Map<string, number>();
  const provider = new ScriptedProvider();
  const send = provider.send.bind(provider);
  provider.send = (request) => {
    started.set(request.mobile, performance.now());
    return send(request);
  };
  const campaign = await engine.launch(400, { ratePerSecond: 80 });
  await engine.start(provider);
  await waitFor(() => started.size > 20, { what: 'the campaign to be on its way' });
  // However long the posts take on a busy machine, the last ones are still to come when they say STOP.
  const rateOf = (ratePerSecond: number) =>
    engine.ledger.setRate(campaign.n, { now: Date.now(), by: 'operator', ratePerSecond });
  await rateOf(10);

  // The next ones to be sent, and some that come late.
  const next = Math.max(...[...started.keys()].map(Number)) + 1;
  const stopped = [next, next + 5, 254_700_000_398, 254_700_000_399].map(String);
  const answeredAt = new Map<string, number>();
  for (const mobile of stopped) {
    // Reports that wait must not hold a STOP up.
    await Promise.all(
      Array.from({ length: 50 }, (_, index) =>
        post({ messageid: `${mobile}-${index}`, description: 'Sent' }),
      ),
    );
    const reply = { event: 'sms.inbound', mobile: `+${mobile}`, shortcode: 'DUKA', message: 'Acha!' };
    expect((await post({ ...reply, received_at: new Date().toISOString() })).status).toBe(200);
    answeredAt.set(mobile, performance.now());
  }
  await waitFor(async () => (await engine.reader.webhookCounts()).new === 0, {
    what: 'all to be read',
  });
  await rateOf(400);
  const { messages } = await engine.until(campaign, 'finished');

  for (const mobile of stopped) {
    const late = (started.get(mobile) ?? 0) - (answeredAt.get(mobile) ?? 0);
    expect(late, mobile).toBeLessThan(AT_MOST_LATER_MS);
  }
  for (const mobile of stopped.slice(2)) expect(started.has(mobile), mobile).toBe(false);
  expect(messages.skipped).toBe(stopped.filter((mobile) => !started.has(mobile)).length);
  expect(messages.sent + messages.skipped).toBe(400);
  const rows = await engine.reader.messages({
    campaign: campaign.n,
    afterSeq: 0,
    limit: 500,
    states: ['skipped'],
  });
  expect(new Set(rows.map(({ reason }) => reason))).toEqual(new Set(['opted out']));
});
