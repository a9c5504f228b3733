import type { Campaign } from '../../domain/campaign.ts';
import type { Template } from '../../domain/text/template.ts';
import type { MoneyMicro } from '../../domain/money.ts';
import type { SendResult } from '../../provider/provider.ts';
import { Dispatcher } from './dispatcher.ts';
import type { Env } from '../env.ts';
import { Health } from './health.ts';
import type { Answered } from './lease-queue.ts';
import { type ConfiguredPrices, PriceBook } from '../planning/price-book.ts';
import type { WireNote } from './wire-note.ts';

/** The limits of a worker that sends, from the settings. */
export interface SendingOptions {
  /** Requests in flight of this process (`TUMA_CONCURRENCY`). */
  concurrency: number;
  /** Most messages `sending` of this process (`TUMA_CLAIM_LIMIT`). */
  claimLimit: number;
  /** Messages a second of the account over all workers (`TUMA_RATE`); null is unlimited. */
  accountRate: number | null;
  /** Rates count segments, as the provider's profile says. Left out: messages. */
  rateBySegment?: boolean;
  /** `TUMA_PRICE`. */
  prices: ConfiguredPrices;
  /** Ends the process: the ledger is gone for good, and what this process holds is the reaper's. */
  fatal?: (error: unknown) => void;
  /** Counts what happens, for /metrics. */
  counted?: (event: 'claimed' | SendResult['outcome'], count: number) => void;
}

/** What the batches of one worker process share: its identity in the ledger, its places, its view of the provider. */
export class SendingWorker {
  readonly env: Env;
  readonly dispatcher: Dispatcher;
  readonly health: Health;
  readonly prices: PriceBook;
  readonly templates = new TemplateCache();
  readonly claimLimit: number;
  readonly accountRate: number | null;
  readonly rateBySegment: boolean;
  readonly stopping: AbortSignal;
  /** What is on the wire; another note, of another number, after this process was taken for dead. */
  note: WireNote;
  /** Balance calls in a row that could not be read. */
  unreadableBalances = 0;
  /** Batches in a row that failed, by campaign. */
  readonly failures = new Map<number, number>();
  /** The credit that must be exceeded before campaigns of an account that are paused for balance go on. None: one try is worth it. */
  readonly creditAtPause = new Map<string, MoneyMicro>();
  /** Since when an account is tried again, in monotonic milliseconds, while nothing of it was accepted. */
  readonly tryingSince = new Map<string, number>();
  /** Accounts that were charged since their last balance reading with nothing in flight. */
  readonly unread = new Set<string>();
  /** Asks for the next batches without waiting for the sweep's time. */
  wakeSweep: () => void = () => undefined;
  /** Monotonic millisecond of the last claim that found something. */
  lastClaimAt: number;
  readonly fatal: NonNullable<SendingOptions['fatal']>;
  #counted: NonNullable<SendingOptions['counted']>;

  constructor(env: Env, start: { note: WireNote; stopping: AbortSignal; options: SendingOptions }) {
    const { options } = start;
    this.env = env;
    this.note = start.note;
    this.stopping = start.stopping;
    this.claimLimit = options.claimLimit;
    this.accountRate = options.accountRate;
    this.rateBySegment = options.rateBySegment ?? false;
    this.lastClaimAt = env.clock.monotonic();
    this.fatal = options.fatal ?? (() => undefined);
    this.#counted = options.counted ?? (() => undefined);
    this.health = new Health(env);
    this.prices = new PriceBook(options.prices);
    this.dispatcher = new Dispatcher({
      env,
      health: this.health,
      concurrency: options.concurrency,
      claimLimit: options.claimLimit,
      accountRate: options.accountRate,
      seen: (result, message) => this.#saw(result, message),
    });
  }

  /** The ledger's number for this process; another one after it was taken for dead. */
  get id(): number {
    return this.note.worker;
  }

  /** Notes a claim that found messages. */
  claimed(count: number): void {
    this.lastClaimAt = this.env.clock.monotonic();
    this.#counted('claimed', count);
  }

  #saw(result: SendResult, { segments, account, dispatchedAt }: Answered): void {
    this.#counted(result.outcome, 1);
    this.unread.add(account);
    if (result.outcome === 'refused' && result.refusal === 'credit')
      this.#creditRefused(account, dispatchedAt);
    if (result.outcome !== 'accepted') return;
    if (this.tryingSince.size > 0) this.tryingSince.delete(account);
    const { costMicro, network } = result;
    if (costMicro !== null) this.prices.saw(account, { costMicro, segments, network });
  }

  /** What is known of the credit may be of before a top-up, and this answer as well. Only a try that is refused proves more. */
  #creditRefused(account: string, dispatchedAt: number): void {
    const since = this.tryingSince.get(account);
    if (since === undefined || dispatchedAt < since) this.creditAtPause.delete(account);
  }
}

/** Compiled templates of the campaigns under way. */
class TemplateCache {
  #templates = new Map<number, Template>();

  of(campaign: Campaign, compile: () => Template): Template {
    const known = this.#templates.get(campaign.n);
    if (known !== undefined) return known;
    if (this.#templates.size >= MOST_TEMPLATES) this.#templates.clear();
    const template = compile();
    this.#templates.set(campaign.n, template);
    return template;
  }
}

const MOST_TEMPLATES = 64;
