import { expect } from 'vitest';
import type { Campaign, CampaignKind, CampaignSettings } from '../../src/domain/campaign.ts';
import type { Ledger } from '../../src/ledger/contracts/ledger.ts';
import type { LedgerReader, MessageRow } from '../../src/ledger/contracts/reader.ts';
import type { NewMessage, NewReport } from '../../src/ledger/contracts/records.ts';
import type { NewReply } from '../../src/ledger/contracts/replies.ts';
import type {
  Claim,
  ClaimedMessage,
  ClaimRequest,
  Lease,
  Outcome,
} from '../../src/ledger/contracts/sending.ts';

/** One database under test. */
export interface OpenLedger {
  ledger: Ledger;
  /** A second connection to the same database, as another process has it. */
  another(): Promise<Ledger>;
  reader(): Promise<LedgerReader>;
  /** Plain SQL behind the ledger's back, with ? for values: what the database itself refuses is seen here. */
  sql(text: string, values?: (string | number | null)[]): Promise<Record<string, unknown>[]>;
  /** The names of all tables. */
  tables(): Promise<string[]>;
  close(): Promise<void>;
}

export type Open = () => Promise<OpenLedger>;

export const ACCOUNT = 'C-100';
export const KES = 1_000_000;
/** The price of a segment in these tests. */
export const PRICE = 0.8 * KES;
export const START = 1_790_000_000_000;

export const SETTINGS: CampaignSettings = {
  zone: 'Africa/Nairobi',
  currency: 'KES',
  window: null,
  ratePerSecond: null,
  retry: { attempts: 5, firstMs: 30_000, mostMs: 600_000 },
  batchSize: 10,
  header: ['mobile', 'name'],
  columns: {},
  gsmSafe: false,
  optOutText: '',
};

export interface LaunchOptions {
  name?: string;
  account?: string;
  kind?: CampaignKind;
  settings?: Partial<CampaignSettings>;
  budgetMicro?: number | null;
  /** The price a segment that the launch was confirmed with. */
  priceMicro?: number;
  startAt?: number | null;
  /** What the ledger had audited when the launch looked. */
  since?: number;
  segments?: number;
  firstMobile?: number;
}

/** What was read in a webhook. */
interface Said {
  reports?: (Partial<NewReport> & { messageId: string })[];
  replies?: NewReply[];
  ip?: string;
}

let ids = 0;

/** A ledger with a clock, and the few moves that most tests make. */
export class World {
  readonly open: OpenLedger;
  readonly ledger: Ledger;
  now = START;
  #reader: Promise<LedgerReader> | null = null;

  constructor(open: OpenLedger) {
    this.open = open;
    this.ledger = open.ledger;
  }

  get operator() {
    return { now: this.now, by: 'operator' };
  }

  async draft(count: number, options: LaunchOptions = {}): Promise<Campaign> {
    const { name = 'promo', kind = 'transactional', settings, segments = 1, firstMobile = 1 } = options;
    ids += 1;
    const draft = await this.ledger.createDraft({
      id: `${name}-${ids}`,
      name,
      kind,
      sender: 'DUKA',
      template: 'Hi <<name>>',
      settings: { ...SETTINGS, ...settings },
      hashes: { job: 'j', template: 't', contacts: `c${ids}` },
      now: this.now,
    });
    const rows = Array.from({ length: count }, (_, index) => row(index + 1, { segments, firstMobile }));
    for (let from = 0; from < count; from += 5_000) {
      await this.ledger.addMessages(draft.n, rows.slice(from, from + 5_000), { now: this.now });
    }
    return draft;
  }

  activate(campaign: Campaign, planned: number, options: LaunchOptions = {}) {
    return this.ledger.activate({
      ...this.operator,
      campaign: campaign.n,
      account: options.account ?? ACCOUNT,
      budgetMicro: options.budgetMicro ?? null,
      estimatedMicro: null,
      ...(options.since === undefined ? {} : { since: options.since }),
      ...(options.priceMicro === undefined ? {} : { priceMicro: options.priceMicro }),
      startAt: options.startAt ?? null,
      startDeadlineMs: 7_200_000,
      counts: counts(planned),
    });
  }

  async launch(count: number, options: LaunchOptions = {}): Promise<Campaign> {
    const draft = await this.draft(count, options);
    expect(await this.activate(draft, count, options)).toEqual({ activated: true });
    return (await this.ledger.campaign(draft.n)) as Campaign;
  }

  worker(pid = 1): Promise<number> {
    const identity = { bootId: 'boot', pidNamespace: 'ns', pid, startTicks: '7', roles: 'worker' };
    return this.ledger.registerWorker(identity, this.now);
  }

  /** Leases the batch that is due first. */
  async lease(worker: number, leaseMs = 60_000): Promise<Lease> {
    const [due] = await this.ledger.dueBatches({ now: this.now, perCampaign: 1 });
    if (due === undefined) throw new Error('no batch is due');
    const lease = await this.ledger.leaseBatch({ ...due, worker, now: this.now, leaseMs });
    if (lease === null) throw new Error('the batch could not be leased');
    return lease;
  }

  claim(lease: Lease, worker: number, options: Partial<ClaimRequest> = {}): Promise<Claim> {
    return this.ledger.claim({
      batch: lease.batch,
      epoch: lease.epoch,
      worker,
      limit: 128,
      fromSeq: lease.firstSeq,
      now: this.now,
      windowClosesAt: null,
      ceilingMicro: 1_000_000 * KES,
      priceMicro: PRICE,
      claimNumber: 1,
      accountRate: null,
      ...options,
    });
  }

  record(worker: number, outcomes: Outcome[], pauses: { campaign: number; reason: 'balance' }[] = []) {
    return this.ledger.recordOutcomes({ worker, now: this.now, outcomes, pauses });
  }

  /** Launches, leases and claims everything: messages 1 to `count`, sending. */
  async sending(count: number, options: LaunchOptions = {}) {
    const campaign = await this.launch(count, {
      ...options,
      settings: { batchSize: 1_000, ...options.settings },
    });
    const worker = await this.worker();
    const lease = await this.lease(worker);
    const { messages } = await this.claim(lease, worker, { limit: Math.max(128, count) });
    expect(messages).toHaveLength(count);
    return { campaign, worker, lease, messages };
  }

  async message(campaign: number, seq: number): Promise<MessageRow> {
    const [found] = await this.messages(campaign, { afterSeq: seq - 1, limit: 1 });
    return found as MessageRow;
  }

  async messages(campaign: number, page: { afterSeq?: number; limit?: number } = {}): Promise<MessageRow[]> {
    const reader = await this.reader();
    return reader.messages({ campaign, afterSeq: 0, limit: 100_000, states: null, ...page });
  }

  /** One for the whole test: it starts a thread. */
  reader(): Promise<LedgerReader> {
    this.#reader ??= this.open.reader();
    return this.#reader;
  }

  async states(campaign: number): Promise<Record<string, number>> {
    const all = await this.messages(campaign);
    return Object.fromEntries(
      Object.entries(Object.groupBy(all, ({ state }) => state)).map(([state, rows]) => [state, rows.length]),
    );
  }

  async column(table: string, column: string, where: string): Promise<unknown> {
    const [found] = await this.open.sql(`SELECT ${column} AS value FROM ${table} WHERE ${where}`);
    return found?.['value'];
  }

  /** The different values of a column, sorted. */
  async values(table: string, column: string, where = 'TRUE'): Promise<unknown[]> {
    const found = await this.open.sql(
      `SELECT DISTINCT ${column} AS value FROM ${table} WHERE ${where} ORDER BY 1`,
    );
    return found.map(({ value }) => value);
  }

  /** Webhooks that come and are not understood. */
  async storeUnread(count: number): Promise<void> {
    for (let nth = 0; nth < count; nth += 1) {
      ids += 1;
      await this.ledger.storeWebhook({
        receivedAt: this.now,
        method: 'POST',
        contentType: 'text/plain',
        query: '',
        body: new TextEncoder().encode(`unread ${ids}`),
        ip: '127.0.0.1',
      });
    }
    for (const { webhook } of await this.ledger.newWebhooks(count))
      await this.ledger.recordReports([{ webhook, kind: 'not_understood', reports: [], now: this.now }]);
  }

  /** One report, by way of a webhook of its own. */
  async report(report: Partial<NewReport> & { messageId: string }): Promise<void> {
    ids += 1;
    const body = new TextEncoder().encode(`report ${ids}`);
    await this.ledger.storeWebhook({
      receivedAt: this.now,
      method: 'POST',
      contentType: 'application/json',
      query: '',
      body,
      ip: '127.0.0.1',
    });
    const stored = await this.ledger.newWebhooks(100);
    const webhook = stored.at(-1)?.webhook ?? 0;
    const plain = { word: 'DeliveredToTerminal', delivery: 'delivered', reason: null, mobile: null } as const;
    const reports = [{ ...plain, network: null, at: null, ...report }];
    await this.ledger.recordReports([{ webhook, kind: 'report', reports, now: this.now }]);
  }

  /** A webhook with whatever was read in it. Answers its id. */
  async post(said: Said): Promise<number> {
    const [webhook = 0] = await this.postAll([said]);
    return webhook;
  }

  /** Webhooks that are recorded together. Answers their ids. */
  async postAll(all: readonly Said[]): Promise<number[]> {
    for (const { ip = '127.0.0.1' } of all) {
      ids += 1;
      await this.ledger.storeWebhook({
        receivedAt: this.now,
        method: 'POST',
        contentType: 'application/json',
        query: '',
        body: new TextEncoder().encode(`post ${ids}`),
        ip,
      });
    }
    const webhooks = (await this.ledger.newWebhooks(100)).slice(-all.length).map(({ webhook }) => webhook);
    const plain = { word: 'Failed', delivery: 'undelivered', reason: null, mobile: null } as const;
    await this.ledger.recordReports(
      all.map(({ reports = [], replies = [] }, index) => ({
        webhook: webhooks[index] ?? 0,
        kind: replies.length > 0 ? 'reply' : 'report',
        reports: reports.map((report) => ({ ...plain, network: null, at: null, ...report })),
        replies,
        now: this.now,
      })),
    );
    return webhooks;
  }

  /** Everything that `tuma verify` checks. */
  async verify(): Promise<void> {
    expect(await (await this.reader()).violations(null)).toEqual([]);
  }

  async close(): Promise<void> {
    await (await this.reader()).close();
    await this.open.close();
  }
}

export function row(line: number, options: { segments?: number; firstMobile?: number } = {}): NewMessage {
  const { segments = 1, firstMobile = 1 } = options;
  const mobile = `2547${String(firstMobile + line - 1).padStart(8, '0')}`;
  return { line, mobile, key: '', occurrence: '', fields: [mobile, `Name ${line}`], segments };
}

export function counts(planned: number) {
  return { read: planned, planned, unchanged: 0, duplicate: 0, invalid: 0, suppressed: 0 };
}

export interface Sent {
  messageId?: string;
  network?: string | null;
  costMicro?: number | null;
}

/** The verdict "accepted". */
export function sent(campaign: Campaign, message: ClaimedMessage, facts: Sent = {}): Outcome {
  const { messageId = `id-${campaign.n}-${message.seq}`, costMicro = PRICE, network = '1' } = facts;
  return {
    ...verdict(campaign, message),
    to: 'sent',
    messageId,
    network,
    costMicro,
    segments: message.segments,
    flags: [],
  };
}

export function uncertain(campaign: Campaign, message: ClaimedMessage): Outcome {
  return { ...verdict(campaign, message), to: 'uncertain', reason: 'no answer in time' };
}

export function rejected(campaign: Campaign, message: ClaimedMessage, retryHelps = false): Outcome {
  return { ...verdict(campaign, message), to: 'rejected', reason: 'invalid mobile', retryHelps };
}

export function requeued(campaign: Campaign, message: ClaimedMessage, notBefore = 0): Outcome {
  return { ...verdict(campaign, message), to: 'queued', reason: 'throttled', notBefore, countsAsTry: true };
}

function verdict(campaign: Campaign, { seq, attempt }: ClaimedMessage) {
  return { campaign: campaign.n, seq, attempt, sendMs: 12, evidence: null };
}
