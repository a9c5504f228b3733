import { describe, expect, it } from 'vitest';
import type { Env } from '../../../src/campaign/env.ts';
import {
  type ParseWebhook,
  processWebhooks,
  type UnderstoodWebhook,
} from '../../../src/campaign/inbound/process-webhooks.ts';
import { readStored, startReportLoop } from '../../../src/campaign/inbound/webhook-loop.ts';
import { storeWebhook } from '../../../src/campaign/inbound/store-webhook.ts';
import { TumaError } from '../../../src/domain/errors.ts';
import type { Ledger } from '../../../src/ledger/contracts/ledger.ts';
import type { NewReport, StoredWebhook } from '../../../src/ledger/contracts/records.ts';
import { systemClock } from '../../../src/system/clock.ts';
import { MemoryLog } from '../../collector/fake-store.ts';
import { waitFor } from '../../support/wait-for.ts';

type Recorded = Parameters<Ledger['recordReports']>[0][number];

/** The webhooks' part of a ledger, in memory: what is tested here is who is recorded when, not how. */
class FakeLedger {
  waiting: StoredWebhook[] = [];
  recorded: Recorded[] = [];
  /** The error that recording this webhook meets. */
  faults = new Map<number, Error>();
  /** Also when only `not_understood` is recorded. */
  hopeless = false;
  /** How many each look found, and where the test notes one, a pause. */
  pages: (number | 'pause')[] = [];
  joins = 0;

  add(webhook: number, body: string): void {
    const { buffer } = new TextEncoder().encode(body);
    const received = { receivedAt: 1, method: 'POST', contentType: '', query: '', ip: '::1' };
    this.waiting.push({ webhook, body: new Uint8Array(buffer), ...received });
  }

  newWebhooks = async (limit: number) => {
    this.pages.push(Math.min(limit, this.waiting.length));
    return this.waiting.slice(0, limit);
  };

  recordReports = async (records: readonly Recorded[]) => {
    for (const { webhook, kind } of records) {
      const fault = this.faults.get(webhook);
      if (fault !== undefined && (this.hopeless || kind !== 'not_understood')) throw fault;
    }
    this.recorded.push(...records);
    const done = new Set(records.map(({ webhook }) => webhook));
    this.waiting = this.waiting.filter(({ webhook }) => !done.has(webhook));
  };

  senders = async () => [];

  joinWaiting = async () => {
    this.joins++;
    return 3;
  };
}

const REPORT: NewReport = {
  messageId: '1',
  word: 'DELIVRD',
  delivery: 'delivered',
  reason: null,
  mobile: null,
  network: null,
  at: null,
};
const parse: ParseWebhook = ({ body }) => ({
  kind: 'report',
  reports: [{ ...REPORT, messageId: Buffer.from(body).toString() }],
});

function setUp() {
  const ledger = new FakeLedger();
  const log = new MemoryLog();
  const env = { clock: systemClock, ledger: ledger as unknown as Ledger, log } satisfies Partial<Env>;
  return { ledger, log, env };
}

describe('reading the store', () => {
  it('records each webhook with what it says, a page at a time', async () => {
    const { ledger, env } = setUp();
    for (const webhook of [1, 2, 3]) ledger.add(webhook, `id-${webhook}`);
    const processed: UnderstoodWebhook[] = [];
    const options = { parse, limit: 2, processed: (each: UnderstoodWebhook) => void processed.push(each) };
    expect(await processWebhooks(env, options)).toBe(2);
    expect(ledger.recorded.map(({ webhook, reports }) => [webhook, reports[0]?.messageId])).toEqual([
      [1, 'id-1'],
      [2, 'id-2'],
    ]);
    expect(await processWebhooks(env, options)).toBe(1);
    expect(processed).toHaveLength(3);
  });

  it('hands over what belongs together at once, and does not wait for it to be durable before the next', async () => {
    const { ledger, env } = setUp();
    for (let webhook = 1; webhook <= 300; webhook += 1) ledger.add(webhook, 'x');
    const handedOver: number[] = [];
    let release: () => void = () => undefined;
    const commit = new Promise<void>((resolve) => {
      release = resolve;
    });
    ledger.recordReports = async (records) => {
      handedOver.push(records.length);
      await commit;
    };
    const done = processWebhooks(env, { parse, limit: 300 });
    await waitFor(() => handedOver.length === 3, { what: 'all to be handed over' });
    release();
    expect(await done).toBe(300);
    // Each is a webhook with one report.
    expect(handedOver).toEqual([128, 128, 44]);
  });

  it('files a webhook that cannot be recorded as not understood, and records its neighbours [I14]', async () => {
    const { ledger, env, log } = setUp();
    for (const webhook of [1, 2, 3]) ledger.add(webhook, 'x');
    ledger.faults.set(2, new Error('a constraint that nobody thought of'));
    expect(await processWebhooks(env, { parse, limit: 10 })).toBe(3);
    const kinds = new Map(ledger.recorded.map(({ webhook, kind }) => [webhook, kind]));
    expect([kinds.get(1), kinds.get(2), kinds.get(3)]).toEqual(['report', 'not_understood', 'report']);
    expect(ledger.waiting).toEqual([]);
    expect(log.lines).toHaveLength(1);
  });

  it('says that a webhook could not even be filed away, and has recorded its neighbours [I14]', async () => {
    const { ledger, env } = setUp();
    for (const webhook of [1, 2, 3]) ledger.add(webhook, 'x');
    ledger.faults.set(2, new Error('a constraint that nobody thought of'));
    ledger.hopeless = true;
    await expect(processWebhooks(env, { parse, limit: 10 })).rejects.toThrow('a constraint');
    expect(ledger.recorded.map(({ webhook }) => webhook)).toEqual([1, 3]);
    expect(ledger.waiting.map(({ webhook }) => webhook)).toEqual([2]);
  });

  it('never files a webhook away because the ledger was busy; it is read again [I14]', async () => {
    const { ledger, env } = setUp();
    for (const webhook of [1, 2]) ledger.add(webhook, 'x');
    ledger.faults.set(1, new TumaError('ledger_busy', { message: 'busy' }));
    await expect(processWebhooks(env, { parse, limit: 10 })).rejects.toMatchObject({ code: 'ledger_busy' });
    expect(ledger.recorded).toEqual([]);
    ledger.faults.clear();
    await processWebhooks(env, { parse, limit: 10 });
    expect(ledger.recorded.map(({ webhook, kind }) => [webhook, kind])).toEqual([
      [1, 'report'],
      [2, 'report'],
    ]);
  });
});

describe('the loop', () => {
  it('reads full pages one after another without a pause, until the store is empty', async () => {
    const { ledger, env } = setUp();
    for (let webhook = 1; webhook <= 1_700; webhook++) ledger.add(webhook, String(webhook));
    const clock = {
      ...systemClock,
      sleep: (ms: number, signal?: AbortSignal) => {
        ledger.pages.push('pause');
        return systemClock.sleep(ms, signal);
      },
    };
    const loop = startReportLoop({ ...env, clock }, { parse });
    await waitFor(() => ledger.waiting.length === 0, { what: 'an empty store' });
    expect(ledger.pages.slice(0, 4)).toEqual([500, 500, 500, 200]);
    await loop.stop();
  });

  it('reads what an earlier process left, and joins what it left waiting [W3]', async () => {
    const { ledger, env } = setUp();
    ledger.add(1, 'left');
    const loop = startReportLoop(env, { parse });
    await waitFor(() => ledger.joins > 0 && ledger.recorded.length === 1, { what: 'both' });
    await loop.stop();
  });

  it('looks at once when it is woken', async () => {
    const { ledger, env } = setUp();
    // A pause that never ends by itself.
    const clock = {
      ...systemClock,
      sleep: (_ms: number, signal?: AbortSignal) =>
        new Promise<void>((resolve) => {
          if (signal?.aborted === true) resolve();
          signal?.addEventListener('abort', () => resolve());
        }),
    };
    const loop = startReportLoop({ ...env, clock }, { parse });
    await waitFor(() => ledger.pages.length === 1, { what: 'the first look' });
    for (const round of [2, 3]) {
      ledger.add(round, 'x');
      loop.wake();
      await waitFor(() => ledger.pages.length === round && ledger.waiting.length === 0, { what: 'a look' });
    }
    await loop.stop();
  });

  it('takes a STOP for one, and tells whoever watches when many come at once [I9 X3]', async () => {
    const { ledger, env, log } = setUp();
    for (let webhook = 1; webhook <= 60; webhook++) ledger.add(webhook, 'Stop');
    const reply = { channel: 'sms', recordId: null, addressee: '22141', at: null, time: '' } as const;
    const parseReply: ParseWebhook = ({ body }) => ({
      kind: 'reply',
      reports: [],
      replies: [{ ...reply, mobile: '254712345678', text: Buffer.from(body).toString(), detail: {} }],
    });
    const wishOf = (text: string) => (text === 'Stop' ? ('stop' as const) : null);
    let processed = 0;
    const options = { parse: parseReply, wishOf, processed: () => void (processed += 1) };
    const loop = startReportLoop(env, options);
    await waitFor(() => processed === 60, { what: 'all to be read' });
    await loop.stop();
    expect(new Set(ledger.recorded.map(({ replies }) => replies?.[0]?.wish))).toEqual(new Set(['stop']));
    expect(log.lines).toHaveLength(1);
  });

  it('goes on after a round that failed', async () => {
    const { ledger, env, log } = setUp();
    ledger.add(1, 'x');
    ledger.faults.set(1, new TumaError('ledger_full', { message: 'full' }));
    const loop = startReportLoop(env, { parse });
    await waitFor(() => log.lines.length > 0, { what: 'the failure to be logged' });
    ledger.faults.clear();
    await waitFor(() => ledger.recorded.length === 1, { what: 'the next round' });
    await loop.stop();
  });

  it('has ended when stop resolves', async () => {
    const { ledger, env } = setUp();
    const loop = startReportLoop(env, { parse });
    await loop.stop();
    const looks = ledger.pages.length;
    ledger.add(1, 'x');
    loop.wake();
    await systemClock.sleep(0);
    expect([ledger.pages.length, ledger.recorded]).toEqual([looks, []]);
  });
});

describe('what is read before a worker sends', () => {
  it('is all that was stored before, also when a round fails [I9]', async () => {
    const { ledger, env, log } = setUp();
    for (let webhook = 1; webhook <= 700; webhook++) ledger.add(webhook, String(webhook));
    const { newWebhooks } = ledger;
    let looks = 0;
    ledger.newWebhooks = async (limit) => {
      if (++looks === 2) throw new TumaError('ledger_busy', { message: 'busy' });
      return newWebhooks(limit);
    };
    await readStored(env, { parse });
    expect([ledger.recorded.length, ledger.waiting.length, log.lines.length]).toEqual([700, 0, 1]);
  });

  it('does not put sending off for good when the ledger does not answer', async () => {
    const { ledger, env } = setUp();
    ledger.newWebhooks = () => new Promise(() => undefined);
    const waits: number[] = [];
    const clock = { ...systemClock, sleep: async (ms: number) => void waits.push(ms) };
    await readStored({ ...env, clock }, { parse });
    expect(waits).toEqual([5_000]);
  });
});

describe('storing a webhook', () => {
  const received = {
    method: 'POST',
    contentType: 'x'.repeat(500),
    query: '',
    body: new Uint8Array([1]),
    ip: '::1',
  };

  it('says that it is stored only after the ledger did', async () => {
    const stored: object[] = [];
    const ledger = {
      storeWebhook: async (webhook: object) => void stored.push(webhook),
    } as unknown as Ledger;
    const clock = { ...systemClock, now: () => 42 };
    expect(await storeWebhook({ clock, ledger }, received)).toBe('stored');
    expect(stored).toEqual([{ ...received, contentType: 'x'.repeat(200), receivedAt: 42 }]);
  });

  it.each([
    [new TumaError('ledger_busy', { message: '' }), 'busy'],
    [new TumaError('ledger_full', { message: '' }), 'full'],
    [new TumaError('ledger_invalid', { message: '' }), 'failed'],
    [new Error('anything else'), 'failed'],
  ])('says why it is not: %s', async (error, result) => {
    const refusing = async () => {
      throw error;
    };
    const ledger = { storeWebhook: refusing } as unknown as Ledger;
    expect(await storeWebhook({ clock: systemClock, ledger }, received)).toBe(result);
  });
});
