import * as fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openLedgerHere, openReaderHere } from '../support/ledger-here.ts';
import { type RunningReportLoop, startReportLoop } from '../../src/campaign/inbound/webhook-loop.ts';
import { storeWebhook, tryStore } from '../../src/campaign/inbound/store-webhook.ts';
import { MOST_BODY_BYTES } from '../../src/collector/server.ts';
import { type Collector, startCollector } from '../../src/collector/server.ts';
import type { Ledger } from '../../src/ledger/contracts/ledger.ts';
import type { LedgerReader, MessageRow } from '../../src/ledger/contracts/reader.ts';
import { defaultProfile } from '../../src/provider/profiles/default.ts';
import { webhookParser } from '../../src/provider/webhooks/read-webhook.ts';
import { systemClock } from '../../src/system/clock.ts';
import { newLedgerFile } from '../support/new-ledger-file.ts';
import { waitFor } from '../support/wait-for.ts';
import { MemoryLog } from './fake-store.ts';
import { claimCampaign, mobileOf } from './sent-campaign.ts';

const TOKEN = 'ab12cd34ef56gh78ij90kl';

let ledger: Ledger;
let reader: LedgerReader;
let collector: Collector;
let loop: RunningReportLoop | null = null;
let log: MemoryLog;

beforeEach(async () => {
  const file = await newLedgerFile();
  log = new MemoryLog();
  ledger = await openLedgerHere(file);
  reader = await openReaderHere(file);
  collector = await startCollector({
    host: '127.0.0.1',
    port: 0,
    answer: 'OK',
    tokens: [TOKEN],
    store: (received) => storeWebhook({ clock: systemClock, ledger }, received),
    tryStore: () => tryStore({ clock: systemClock, ledger }),
    log,
  });
});

afterEach(async () => {
  await loop?.stop();
  loop = null;
  await collector.close();
  await reader.close();
  await ledger.close();
});

const parse = webhookParser(defaultProfile.reports, { country: 'KE' });

function startJoining(): void {
  loop = startReportLoop({ clock: systemClock, ledger, log }, { parse });
}

async function post(payload: object): Promise<number> {
  const url = `${collector.url}/webhooks/${TOKEN}`;
  return (await fetch(url, { method: 'POST', body: JSON.stringify(payload) })).status;
}

const report = (messageid: string, description: string) => post({ messageid, description });

/** Every raw webhook has been read. */
async function allRead(): Promise<void> {
  const read = async () => {
    loop?.wake();
    return (await reader.webhookCounts()).new === 0;
  };
  await waitFor(read, { what: 'every webhook to be read' });
}

async function messages(campaign: number): Promise<MessageRow[]> {
  return reader.messages({ campaign, afterSeq: 0, limit: 10_000, states: null });
}

async function deliveries(campaign: number) {
  return (await messages(campaign)).map((message) => message.delivery);
}

describe('a delivery report', () => {
  it('that comes late, for a message that was sent, sets its delivery and its reason', async () => {
    const campaign = await claimCampaign(ledger, 3);
    for (const seq of [1, 2, 3]) await campaign.accept(seq, `id-${seq}`);
    startJoining();
    expect(await report('id-1', 'DeliveredToTerminal')).toBe(200);
    expect(await report('id-2', 'AbsentSubscriber')).toBe(200);
    await allRead();
    expect(await deliveries(campaign.n)).toEqual(['delivered', 'undelivered', 'pending']);
    expect((await messages(campaign.n))[1]?.reason).toBe('absent');
    expect(await reader.violations(null)).toEqual([]);
  });

  it.each([
    ['in an array', '[', ']'],
    ['in a wrapper', '{"data":[', ']}'],
    ['behind empty ones', `[${'{},'.repeat(12_000)}`, ']'],
  ])('is read though it comes with as many others as a body can hold (%s)', async (_where, begin, end) => {
    const one = (id: number) => `{"id":${id},"status":"a"}`;
    const ids: number[] = [];
    for (let size = begin.length + end.length; ; ids.push(ids.length + 1)) {
      size += one(ids.length + 1).length + 1;
      if (size > MOST_BODY_BYTES) break;
    }
    const body = begin + ids.map(one).join(',') + end;
    startJoining();
    expect((await fetch(`${collector.url}/webhooks/${TOKEN}`, { method: 'POST', body })).status).toBe(200);
    await allRead();
    expect(await reader.webhookCounts()).toMatchObject({ waiting: ids.length, notUnderstood: 0 });
  });

  it('that comes before our own answer is kept, and joined when the id is known [W6]', async () => {
    const campaign = await claimCampaign(ledger, 1);
    startJoining();
    await report('id-1', 'DeliveredToTerminal');
    await allRead();
    expect(await deliveries(campaign.n)).toEqual([null]);
    expect((await reader.webhookCounts()).waiting).toBe(1);
    await campaign.accept(1, 'id-1');
    await waitFor(async () => (await deliveries(campaign.n))[0] === 'delivered', {
      what: 'the early report',
    });
    expect((await reader.webhookCounts()).waiting).toBe(0);
  });

  it('that comes before the campaign that it will belong to is kept, and joined in the end [W6]', async () => {
    startJoining();
    await report('id-1', 'DeliveredToTerminal');
    await report('id-2', 'AbsentSubscriber');
    await allRead();
    const campaign = await claimCampaign(ledger, 2);
    expect(await deliveries(campaign.n)).toEqual([null, null]);
    for (const seq of [1, 2]) await campaign.accept(seq, `id-${seq}`);
    await waitFor(async () => (await reader.webhookCounts()).waiting === 0, { what: 'the early reports' });
    expect(await deliveries(campaign.n)).toEqual(['delivered', 'undelivered']);
    expect(await reader.violations(null)).toEqual([]);
  });

  it('that was acknowledged by a process that then ended is joined by the next one [W3]', async () => {
    const campaign = await claimCampaign(ledger, 1);
    await campaign.accept(1, 'id-1');
    expect(await report('id-1', 'DeliveredToTerminal')).toBe(200);
    expect(await deliveries(campaign.n)).toEqual(['pending']);
    startJoining();
    await allRead();
    expect(await deliveries(campaign.n)).toEqual(['delivered']);
  });

  it('that comes ten times at once has one effect [W4]', async () => {
    const campaign = await claimCampaign(ledger, 1);
    await campaign.accept(1, 'id-1');
    const twin = startReportLoop({ clock: systemClock, ledger, log }, { parse });
    startJoining();
    const statuses = await Promise.all(
      Array.from({ length: 10 }, () => report('id-1', 'DeliveredToTerminal')),
    );
    expect(new Set(statuses)).toEqual(new Set([200]));
    await allRead();
    await twin.stop();
    expect(await reader.webhookCounts()).toMatchObject({ report: 1, waiting: 0 });
    expect(await deliveries(campaign.n)).toEqual(['delivered']);
  });

  it('gives the same end in every order, with repeats, early and late [W5 I7]', async () => {
    const words = ['SentToNetwork', 'DeliveredToTerminal', 'AbsentSubscriber', 'Unknown'];
    const orders = fc.sample(fc.shuffledSubarray(words, { minLength: words.length }), {
      numRuns: 12,
      seed: 4,
    });
    const campaign = await claimCampaign(ledger, orders.length);
    startJoining();
    for (const [index, order] of orders.entries()) {
      const id = `id-${index + 1}`;
      const early = index % 3;
      const other = () =>
        post({ messageid: id, description: 'AbsentSubscriber', mobile: '+254 799 999 999' });
      if (index % 2 === 0) await other();
      for (const word of order.slice(0, early)) await report(id, word);
      await campaign.accept(index + 1, id);
      for (const word of [...order.slice(early), order[0] ?? '']) await report(id, word);
      if (index % 2 === 1) await other();
    }
    await allRead();
    await waitFor(async () => (await reader.webhookCounts()).waiting === 0, {
      what: 'early ones to be joined',
    });
    expect(new Set(await deliveries(campaign.n))).toEqual(new Set(['delivered']));
    expect((await reader.tallies(campaign.n, 0)).delivery.conflict).toBe(orders.length);
    expect((await reader.mismatchedReports(1)).count).toBe(orders.length);
    expect(await reader.violations(null)).toEqual([]);
  });

  it('with an unknown id waits, is counted, and changes nothing [W7 X2]', async () => {
    const campaign = await claimCampaign(ledger, 2);
    await campaign.accept(1, 'id-1');
    const before = await messages(campaign.n);
    startJoining();
    for (let forged = 0; forged < 20; forged++) await report(`forged-${forged}`, 'DeliveredToTerminal');
    await report('ID-1', 'DeliveredToTerminal');
    await report('id-10', 'DeliveredToTerminal');
    await allRead();
    expect(await messages(campaign.n)).toEqual(before);
    expect((await reader.webhookCounts()).waiting).toBe(22);
  });

  it('of last week changes nothing when all of them are posted again [W12]', async () => {
    const campaign = await claimCampaign(ledger, 2);
    for (const seq of [1, 2]) await campaign.accept(seq, `id-${seq}`);
    startJoining();
    const postAll = async () => {
      await report('id-1', 'DeliveredToTerminal');
      await report('id-2', 'AbsentSubscriber');
      await report('id-3', 'DeliveredToTerminal');
      await allRead();
      return { messages: await messages(campaign.n), counts: await reader.webhookCounts() };
    };
    const first = await postAll();
    expect(first.messages.map((message) => message.delivery)).toEqual(['delivered', 'undelivered']);
    expect(await postAll()).toEqual(first);
  });

  it('with a word that nobody knows is kept and moves nothing', async () => {
    const campaign = await claimCampaign(ledger, 1);
    await campaign.accept(1, 'id-1');
    startJoining();
    await report('id-1', 'Teleported');
    await report('id-1', '32');
    await allRead();
    expect(await deliveries(campaign.n)).toEqual(['pending']);
    expect(await reader.webhookCounts()).toMatchObject({ report: 2, waiting: 0 });
  });

  it('with a local number decides the one uncertain message to it', async () => {
    const campaign = await claimCampaign(ledger, 2);
    await campaign.lose(1);
    await campaign.accept(2, 'id-2');
    startJoining();
    const mobile = `0${mobileOf(1).slice(3)}`;
    await post({ messageid: 'id-unheard-of', description: 'DeliveredToTerminal', mobile });
    await allRead();
    const [first] = await messages(campaign.n);
    expect(first).toMatchObject({
      state: 'sent',
      delivery: 'delivered',
      messageId: 'id-unheard-of',
      costMicro: null,
    });
    expect(await reader.violations(null)).toEqual([]);
  });

  it('is joined although everything around it is nonsense [I14]', async () => {
    const campaign = await claimCampaign(ledger, 1);
    await campaign.accept(1, 'id-1');
    const url = `${collector.url}/webhooks/${TOKEN}`;
    for (const body of [
      '{"a":',
      '',
      '[[[[',
      '\u0000\u0001',
      '{"event":"sms.received","mobile":"1","message":"x"}',
    ])
      expect((await fetch(url, { method: 'POST', body })).status).toBe(200);
    await report('id-1', 'DeliveredToTerminal');
    expect((await fetch(`${url}?event=account.updated&x=1`)).status).toBe(200);
    startJoining();
    await allRead();
    expect(await deliveries(campaign.n)).toEqual(['delivered']);
    expect(await reader.webhookCounts()).toMatchObject({ report: 1, reply: 1, other: 1, notUnderstood: 4 });
  });

  it('of 1,000 is never lost once it was acknowledged, and all are joined [I6]', async () => {
    const campaign = await claimCampaign(ledger, 1_000);
    await Promise.all(
      Array.from({ length: 1_000 }, (_, index) => campaign.accept(index + 1, `id-${index + 1}`)),
    );
    startJoining();
    let acknowledged = 0;
    for (let from = 0; from < 1_000; from += 200) {
      const page = Array.from({ length: 200 }, (_, index) => `id-${from + index + 1}`);
      const statuses = await Promise.all(page.map((id) => report(id, 'DeliveredToTerminal')));
      acknowledged += statuses.filter((status) => status === 200).length;
    }
    expect(acknowledged).toBe(1_000);
    await allRead();
    expect((await reader.tallies(campaign.n, 0)).delivery).toMatchObject({ delivered: 1_000, pending: 0 });
    expect(log.lines).toEqual([]);
  });
});

describe('a ledger that is gone [W13]', () => {
  it('gets nobody a 2xx', async () => {
    expect(await report('id-1', 'DeliveredToTerminal')).toBe(200);
    await ledger.close();
    expect(await report('id-2', 'DeliveredToTerminal')).toBe(503);
    expect(await reader.webhookCounts()).toMatchObject({ new: 1 });
  });
});
