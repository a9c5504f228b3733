import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { Intake } from '../../src/collector/intake.ts';
import { RefusalLog } from '../../src/collector/refusal-log.ts';
import type { CollectorOptions } from '../../src/collector/server.ts';
import { AddressList } from '../../src/domain/numbers/address-list.ts';
import { MemoryLog } from './fake-store.ts';
import { openCollector } from './open-collector.ts';

const TOKEN = 'CANARY_ab12cd34ef56gh78ij90kl';

async function start(options: Partial<CollectorOptions> = {}) {
  const opened = await openCollector({ tokens: [TOKEN], ...options });
  const post = (headers: Record<string, string> = {}) =>
    fetch(opened.url, { method: 'POST', body: 'x', headers });
  return { ...opened, post };
}

const list = (text: string) => AddressList.parse(text);
const forwarded = (value: string) => ({ 'x-forwarded-for': value });

describe('where webhooks may come from [X1]', () => {
  it('is one of the addresses that were named; to others the address does not exist, and the log tells it once', async () => {
    const { collector, store, log, events, post } = await start({ from: list('203.0.113.0/24') });
    const answers = [await post(), await post()];
    expect(answers.map(({ status }) => status)).toEqual([404, 404]);
    expect(await answers[0]?.text()).toBe('not found');
    expect([store.webhooks, events]).toEqual([[], ['foreign', 'foreign']]);
    expect(log.lines).toHaveLength(1);
    expect(log.lines[0]).toContain('127.0.0.1');
    expect(log.lines[0]).not.toContain('CANARY');
    expect((await fetch(`${collector.url}/health`)).status).toBe(200);
  });

  it('is not told by who guesses the address: the log stays silent', async () => {
    const { collector, log } = await start({ from: list('203.0.113.0/24') });
    expect((await fetch(`${collector.url}/webhooks/wrong`, { method: 'POST' })).status).toBe(404);
    expect(log.lines).toEqual([]);
  });

  it('and the provider that posts with the token of another collector is told of once a minute, without that token', async () => {
    const { collector, log, events } = await start();
    const clock = vi.spyOn(performance, 'now').mockReturnValue(0);
    onTestFinished(() => clock.mockRestore());
    const other = `${collector.url}/webhooks/CANARY_of_another_collector?to=254700000001`;
    for (const at of [0, 59_000, 60_001]) {
      clock.mockReturnValue(at);
      expect((await fetch(other, { method: 'POST', body: 'x' })).status).toBe(404);
      // Not the address of a webhook.
      expect((await fetch(`${collector.url}/favicon.ico`)).status).toBe(404);
    }
    expect(events).toEqual(Array(6).fill('not_found'));
    const told = log.lines.map((line) => JSON.parse(line) as Record<string, unknown>);
    const said = { client: '127.0.0.1', message: expect.stringContaining('TUMA_WEBHOOK_TOKEN') };
    expect(told).toEqual([
      expect.objectContaining({ ...said, refused: 1 }),
      expect.objectContaining({ ...said, refused: 2 }),
    ]);
    expect(log.lines.join()).not.toMatch(/CANARY|2547/);
  });

  it('may be this machine', async () => {
    const { store, post } = await start({ from: list('203.0.113.7, 127.0.0.0/8') });
    expect((await post()).status).toBe(200);
    expect(store.webhooks).toHaveLength(1);
  });
});

it('what was refused since the last line is in the next one', () => {
  const log = new MemoryLog();
  const refusals = new RefusalLog(log);
  const clock = vi.spyOn(performance, 'now').mockReturnValue(0);
  onTestFinished(() => clock.mockRestore());
  for (const at of [0, 1, 10_000, 10_001]) {
    clock.mockReturnValue(at);
    refusals.note('not_stored', {});
  }
  expect(log.lines.map((line) => (JSON.parse(line) as { refused: number }).refused)).toEqual([1, 3]);
});

describe('the address of who posts [X6]', () => {
  it.each([
    ['is the socket’s when no proxy is trusted', null, '203.0.113.7', '127.0.0.1'],
    ['is the socket’s when another machine is the proxy', '10.0.0.1', '203.0.113.7', '127.0.0.1'],
    ['is what our proxy saw', '127.0.0.1', '203.0.113.7', '203.0.113.7'],
    [
      'is what our proxy saw, not what was claimed before',
      '127.0.0.1',
      '198.51.100.1, 203.0.113.7',
      '203.0.113.7',
    ],
    [
      'is what the first of our proxies saw',
      '127.0.0.1, 10.0.0.0/8',
      '1.1.1.1, 203.0.113.7, 10.0.0.9',
      '203.0.113.7',
    ],
    ['is IPv6 where it is', '127.0.0.1', '2001:db8::7', '2001:db8::7'],
    ['is plain where a socket for both kinds saw it', '127.0.0.1', '::ffff:203.0.113.7', '203.0.113.7'],
    ['is that of our proxy when it hands on nothing', '127.0.0.1', '', '127.0.0.1'],
    [
      'is that of our proxy when what it hands on is no address',
      '127.0.0.1',
      '203.0.113.7, evil',
      '127.0.0.1',
    ],
  ])('%s', async (_what, proxies, header, stored) => {
    const { store, post } = await start({ proxies: proxies === null ? null : list(proxies) });
    expect((await post(forwarded(header))).status).toBe(200);
    expect(store.webhooks[0]?.ip).toBe(stored);
  });

  it('that is spoofed does not pass the list of those who may post', async () => {
    const from = list('203.0.113.7');
    const [direct, behind] = [await start({ from }), await start({ from, proxies: list('127.0.0.1') })];
    expect((await direct.post(forwarded('203.0.113.7'))).status).toBe(404);
    expect((await behind.post(forwarded('203.0.113.7, 198.51.100.66'))).status).toBe(404);
    expect((await behind.post(forwarded('203.0.113.7'))).status).toBe(200);
  });
});

it('a webhook keeps its place as long as the ledger holds it, and no longer [W11]', async () => {
  const held: (() => void)[] = [];
  const store = () => new Promise<'stored'>((resolve) => held.push(() => resolve('stored')));
  const intake = new Intake({
    store,
    tryStore: async () => 'stored',
    waitingBytes: 1_000_000,
    waiting: 1,
    storeDeadlineMs: 5_000,
    healthDeadlineMs: 5_000,
  });
  const webhook = { method: 'POST', contentType: '', query: 'a=b', body: new Uint8Array(4), ip: '' };
  for (let round = 0; round < 3; round++) {
    const taken = intake.take(webhook);
    expect(await intake.take(webhook)).toBe('crowded');
    held.pop()?.();
    expect(await taken).toBe('stored');
  }
});

describe('/health', () => {
  it('may be asked by HEAD, as monitors do, and is the same then without a body', async () => {
    const { collector, store, post } = await start();
    const ask = async () => {
      const answer = await fetch(`${collector.url}/health`, { method: 'HEAD' });
      return [answer.status, await answer.text()];
    };
    expect(await ask()).toEqual([200, '']);
    store.result = 'failed';
    await post();
    expect(await ask()).toEqual([503, '']);
  });
});

describe('a list of addresses', () => {
  it.each([
    '',
    'x',
    '10.0.0.0/0',
    '10.0.0.0/33',
    '::/0',
    '::/129',
    '10.0.0.0/8/8',
    '10.0.0.0/',
    '10.0.0.0/8x',
    '10.0.0.0/+8',
    '2001:db8::/0032',
    '1.2.3.4,',
    'localhost',
  ])('%j is none', (text) => expect(AddressList.parse(text)).toBeNull());

  it('has what lies in its networks, in either spelling, and nothing else', () => {
    const networks = list('10.0.0.0/8, 192.0.2.1, 2001:db8::/32');
    for (const inside of ['10.255.0.1', '192.0.2.1', '::ffff:10.0.0.1', '2001:db8:ffff::1'])
      expect(networks?.has(inside), inside).toBe(true);
    for (const outside of ['11.0.0.1', '192.0.2.2', '2001:db9::1', '::1', '', 'evil', '10.0.0.1, 1.1.1.1'])
      expect(networks?.has(outside), outside).toBe(false);
  });

  it('has the smallest and the largest networks that there are', () => {
    const networks = list('128.0.0.0/1, 12.100.113.107/32, 2001:db9:1::1/128');
    for (const inside of ['203.100.113.107', '::ffff:203.100.113.107', '12.100.113.107', '2001:db9:1::1'])
      expect(networks?.has(inside), inside).toBe(true);
    for (const outside of ['12.100.113.106', '127.255.255.255', '2001:db9:1::2'])
      expect(networks?.has(outside), outside).toBe(false);
  });
});
