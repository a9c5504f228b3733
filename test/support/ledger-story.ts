import type { CampaignSettings } from '../../src/domain/campaign.ts';
import type { Delivery } from '../../src/domain/message.ts';
import type { Wish } from '../../src/domain/text/opt-out-words.ts';
import type { Ledger } from '../../src/ledger/contracts/ledger.ts';
import type { LedgerReader } from '../../src/ledger/contracts/reader.ts';
import type { NewMessage, UploadCounts } from '../../src/ledger/contracts/records.ts';
import type { Evidence, Outcome } from '../../src/ledger/contracts/sending.ts';
import { atFileEnd } from './file-end.ts';
import { openLedgerHere, openReaderHere } from './ledger-here.ts';
import { newLedgerFile } from './new-ledger-file.ts';
import { makeTempDir } from './temp-home.ts';

/** When stories begin: Friday 27 November 2026, 09:00 in Nairobi. */
export const T0 = Date.UTC(2026, 10, 27, 6);
const PRICE = 800_000;
/** Rows that the ledger takes at once. */
const MOST_ROWS = 5_000;

const SETTINGS: CampaignSettings = {
  zone: 'Africa/Nairobi',
  currency: 'KES',
  window: null,
  ratePerSecond: null,
  retry: { attempts: 5, firstMs: 30_000, mostMs: 600_000 },
  batchSize: 4,
  header: ['Phone', 'First name'],
  columns: { mobile: 'Phone', name: 'First name' },
  gsmSafe: false,
  optOutText: '',
};

export interface LaunchOptions {
  id?: string;
  name?: string;
  messages?: number;
  account?: string;
  rows?: Partial<NewMessage>[];
  counts?: Partial<UploadCounts>;
  /** The hash of its contacts. */
  contacts?: string;
  settings?: Partial<CampaignSettings>;
  budgetMicro?: number;
  estimatedMicro?: number;
  startAt?: number;
  by?: string;
}

/** What came of one message: the rest of an Outcome is filled in. */
export type Came =
  | {
      to: 'sent';
      messageId?: string;
      network?: string | null;
      costMicro?: number | null;
      segments?: number;
      sendMs?: number;
      flags?: string[];
    }
  | { to: 'rejected'; reason?: string; retryHelps?: boolean }
  | { to: 'uncertain'; reason?: string; evidence?: Evidence }
  | { to: 'queued'; reason?: string };

/** A real ledger in a directory of its own, told through its contract, with a clock that only the test moves. */
export class LedgerStory {
  now = T0;
  readonly directory = makeTempDir();
  file!: string;
  ledger!: Ledger;
  worker = 0;
  #reader: LedgerReader | null = null;
  #attempts = new Map<string, number>();

  static async begin(): Promise<LedgerStory> {
    const story = new LedgerStory();
    story.file = await newLedgerFile(story.directory);
    story.ledger = await openLedgerHere(story.file);
    const process = { bootId: 'b', pidNamespace: 'p', pid: 1, startTicks: '1', roles: 'worker' };
    story.worker = await story.ledger.registerWorker(process, story.now);
    opened.add(story);
    return story;
  }

  async reader(): Promise<LedgerReader> {
    this.#reader ??= await openReaderHere(this.file);
    return this.#reader;
  }

  /** A draft without messages. */
  async draft(options: LaunchOptions = {}): Promise<number> {
    const { id = 'bf-1', name = 'black-friday', settings, contacts = 'c' } = options;
    const { n } = await this.ledger.createDraft({
      id,
      name,
      kind: 'promotional',
      sender: 'DUKA',
      template: 'Hi <<name>>',
      settings: { ...SETTINGS, ...settings },
      hashes: { job: id, template: 'b', contacts },
      now: this.now,
    });
    return n;
  }

  async launch(options: LaunchOptions = {}): Promise<number> {
    const { messages = 4, account = 'acc', startAt } = options;
    const n = await this.draft(options);
    const given = options.rows ?? Array.from({ length: messages }, () => ({}));
    const rows = given.map((row, index) => storyRow(index, row));
    for (let from = 0; from < rows.length; from += MOST_ROWS)
      await this.ledger.addMessages(n, rows.slice(from, from + MOST_ROWS), { now: this.now });
    const counts = {
      read: rows.length,
      planned: rows.length,
      unchanged: 0,
      duplicate: 0,
      invalid: 0,
      suppressed: 0,
    };
    await this.ledger.activate({
      campaign: n,
      account,
      budgetMicro: options.budgetMicro ?? null,
      estimatedMicro: options.estimatedMicro ?? null,
      ...(options.estimatedMicro === undefined ? {} : { priceMicro: priceOf(options.estimatedMicro, rows) }),
      startAt: startAt ?? null,
      startDeadlineMs: 0,
      counts: { ...counts, ...options.counts },
      now: this.now,
      by: options.by ?? 'test',
    });
    return n;
  }

  /** Puts every message that may go on the wire. Answers their numbers. */
  async claim({ priceMicro = PRICE }: { priceMicro?: number | null } = {}): Promise<number[]> {
    const claimed: number[] = [];
    for (const { batch, epoch } of await this.ledger.dueBatches({ now: this.now, perCampaign: 1_000 })) {
      const { worker, now } = this;
      const lease = await this.ledger.leaseBatch({ batch, epoch, worker, now, leaseMs: 60_000 });
      if (lease === null) throw new Error('the batch was not leased');
      const { messages } = await this.ledger.claim({
        batch,
        epoch: lease.epoch,
        worker,
        limit: 1_000,
        fromSeq: lease.firstSeq,
        now,
        windowClosesAt: null,
        ceilingMicro: 1e12,
        priceMicro,
        claimNumber: 1,
        accountRate: null,
      });
      for (const { seq, attempt } of messages) {
        this.#attempts.set(`${lease.campaign.n} ${seq}`, attempt);
        claimed.push(seq);
      }
      await this.ledger.releaseBatch({ ...lease, now });
    }
    return claimed;
  }

  /** Records what came of claimed messages, by their number. */
  async record(campaign: number, came: Record<number, Came>): Promise<void> {
    const outcomes = Object.entries(came).map(([seq, what]) => this.#outcome(campaign, Number(seq), what));
    const results = await this.ledger.recordOutcomes({
      worker: this.worker,
      now: this.now,
      outcomes,
      pauses: [],
    });
    if (results.includes('stale')) throw new Error('an outcome was stale');
  }

  /** A delivery report comes in and is joined. */
  async report(messageId: string, delivery: Delivery | null, reason: string | null = null): Promise<void> {
    const body = Buffer.from(`${messageId} ${delivery} ${this.now}`);
    await this.ledger.storeWebhook({
      receivedAt: this.now,
      method: 'POST',
      contentType: 'text/plain',
      query: '',
      body,
      ip: '127.0.0.1',
    });
    for (const { webhook } of await this.ledger.newWebhooks(100)) {
      const report = {
        messageId,
        word: delivery ?? '?',
        delivery,
        reason,
        mobile: null,
        network: null,
        at: this.now,
      };
      await this.ledger.recordReports([{ webhook, kind: 'report', reports: [report], now: this.now }]);
    }
  }

  /** A person writes to us. */
  async reply(mobile: string, text: string, wish: Wish | null = null): Promise<void> {
    const body = Buffer.from(`${mobile} ${text} ${this.now}`);
    const how = { method: 'POST', contentType: 'text/plain', query: '', ip: '127.0.0.1' };
    await this.ledger.storeWebhook({ receivedAt: this.now, body, ...how });
    for (const { webhook } of await this.ledger.newWebhooks(100)) {
      const identity = `sms:${webhook}`;
      const reply = { channel: 'sms', identity, recordId: null, mobile, addressee: 'DUKA', text } as const;
      const replies = [{ ...reply, at: this.now, detail: {}, wish }];
      await this.ledger.recordReports([{ webhook, kind: 'reply', reports: [], replies, now: this.now }]);
    }
  }

  /** The balance is read: nothing else happens meanwhile. */
  async readBalance(creditMicro: number, account = 'acc'): Promise<void> {
    const begun = await this.ledger.beginReading(account, this.now);
    await this.ledger.recordReading({ account, begun, at: this.now, creditMicro });
  }

  async end(): Promise<void> {
    await this.#reader?.close();
    await this.ledger.close();
  }

  #outcome(campaign: number, seq: number, what: Came): Outcome {
    const attempt = this.#attempts.get(`${campaign} ${seq}`);
    if (attempt === undefined) throw new Error(`message ${seq} was not claimed`);
    const base = { campaign, seq, attempt, sendMs: 100, evidence: null };
    if (what.to === 'sent') {
      const id = { messageId: `m${campaign}-${seq}`, network: '1', costMicro: PRICE };
      return { ...base, ...id, segments: 1, flags: [], ...what };
    }
    // A story may give any text as a reason, because a file that others wrote may hold it.
    if (what.to === 'rejected')
      return { ...base, reason: 'invalid mobile', retryHelps: false, ...what } as Outcome;
    if (what.to === 'uncertain') return { ...base, reason: 'no answer', ...what } as Outcome;
    return { ...base, reason: 'throttled', notBefore: this.now, countsAsTry: true, ...what } as Outcome;
  }
}

const opened = new Set<LedgerStory>();
atFileEnd(async () => {
  for (const story of opened) await story.end();
  opened.clear();
});

/** Of a segment, as a launch has it from its estimate. */
function priceOf(estimatedMicro: number, rows: NewMessage[]): number {
  return Math.ceil(estimatedMicro / rows.reduce((sum, { segments }) => sum + segments, 0));
}

function storyRow(index: number, row: Partial<NewMessage>): NewMessage {
  const mobile = row.mobile ?? `2547${String(index + 1).padStart(8, '0')}`;
  return {
    line: index + 2,
    mobile,
    key: '',
    occurrence: '',
    fields: [mobile, `Name ${index + 1}`],
    segments: 1,
    ...row,
  };
}
