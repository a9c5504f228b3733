import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { openLedgerHere, openReaderHere } from '../support/ledger-here.ts';
import { startReportLoop } from '../../src/campaign/inbound/webhook-loop.ts';
import { storeWebhook, tryStore } from '../../src/campaign/inbound/store-webhook.ts';
import { startCollector } from '../../src/collector/server.ts';
import { resolveConfig } from '../../src/config/config.ts';
import { AddressList } from '../../src/domain/numbers/address-list.ts';
import { webhookReading } from '../../src/runtime/profile-settings.ts';
import { systemClock } from '../../src/system/clock.ts';
import { makeTempDir } from '../support/temp-home.ts';
import { waitFor } from '../support/wait-for.ts';
import { MemoryLog } from './fake-store.ts';
import { claimCampaign, mobileOf } from './sent-campaign.ts';

/* Somebody has learned the address of the webhooks, and posts what he likes from an address of his own. */

const TOKEN = 'ab12cd34ef56gh78ij90kl';
const FORGER = '198.51.100.66';
const PROVIDER = '203.0.113.7';
const MESSAGES = 20;
const FORGERIES = 1_000;

async function open() {
  const file = join(makeTempDir(), 'ledger.db');
  const ledger = await openLedgerHere(file);
  const reader = await openReaderHere(file);
  const log = new MemoryLog();
  const collector = await startCollector({
    host: '127.0.0.1',
    port: 0,
    answer: 'OK',
    tokens: [TOKEN],
    proxies: AddressList.parse('127.0.0.1'),
    store: (received) => storeWebhook({ clock: systemClock, ledger }, received),
    tryStore: () => tryStore({ clock: systemClock, ledger }),
    log,
  });
  const { parse, wishOf } = webhookReading(resolveConfig({ cwd: '/', env: {} }));
  const loop = startReportLoop({ clock: systemClock, ledger, log }, { parse, wishOf });
  onTestFinished(async () => {
    await loop.stop();
    await collector.close();
    await reader.close();
    await ledger.close();
  });
  const post = async (from: string, body: object) => {
    const headers = { 'x-forwarded-for': from, 'content-type': 'application/json' };
    const url = `${collector.url}/webhooks/${TOKEN}`;
    return (await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) })).status;
  };
  const allRead = () =>
    waitFor(
      async () => {
        loop.wake();
        return (await reader.webhookCounts()).new === 0;
      },
      { what: 'every webhook to be read' },
    );
  return { ledger, reader, log, post, allRead };
}

it('a thousand forgeries move no state but the delivery, make no message, and are taken back by their address [X2 X3]', async () => {
  const { ledger, reader, log, post, allRead } = await open();
  const campaign = await claimCampaign(ledger, MESSAGES);
  for (let seq = 1; seq <= MESSAGES; seq++) await campaign.accept(seq, `id-${seq}`);
  for (let seq = 1; seq <= 10; seq++)
    await post(PROVIDER, { messageid: `id-${seq}`, description: 'DeliveredToTerminal' });
  await allRead();
  const look = async () => {
    const rows = await reader.messages({ campaign: campaign.n, afterSeq: 0, limit: 1_000, states: null });
    return rows.map(({ seq, state, messageId, costMicro, delivery, reason }) => {
      return { seq, state, messageId, costMicro, delivery, reason };
    });
  };
  const optOuts = () => reader.optOuts({ after: null, limit: 1_000 });
  const before = await look();

  const statuses = await Promise.all(
    Array.from({ length: FORGERIES }, (_, index) => post(FORGER, forgery(index))),
  );
  expect(new Set(statuses)).toEqual(new Set([200]));
  await allRead();
  const forged = await look();
  const withoutDelivery = (rows: typeof before) =>
    rows.map(({ delivery: _delivery, reason: _reason, ...rest }) => rest);
  expect(withoutDelivery(forged)).toEqual(withoutDelivery(before));
  expect(forged).not.toEqual(before);
  expect(log.lines.join('\n')).toMatch(/opt.?out|STOP/i);

  expect(await optOuts()).toHaveLength(MESSAGES);
  await ledger.voidWebhooks({ ip: FORGER, since: null, now: Date.now(), by: 'test' });
  expect(await look()).toEqual(before);
  expect(await optOuts()).toEqual([]);
  expect(await reader.violations(null)).toEqual([]);
});

/** Ids that nobody gave out, ids of real messages in every way to fail or succeed, made-up messages, and STOPs. */
function forgery(index: number): object {
  const seq = (Math.floor(index / 5) % MESSAGES) + 1;
  const word = ['DeliveredToTerminal', 'AbsentSubscriber', 'UserNotExist', 'Rejected'][index % 4];
  switch (index % 5) {
    case 0:
      return { messageid: `forged-${index}`, description: word };
    case 1:
      return { messageid: `id-${seq}`, description: word, n: index };
    case 2:
      return { messageid: `forged-${index}`, mobile: mobileOf(seq), description: word };
    case 3:
      return { messageid: `new-${index}`, mobile: '254799999999', description: word, cost: '999.00' };
    default:
      return {
        event: 'sms.received',
        mobile: mobileOf(seq),
        shortcode: 'DUKA',
        message: 'STOP',
        received_at: new Date(Date.UTC(2026, 10, 20, 0, 0, index)).toISOString(),
      };
  }
}
