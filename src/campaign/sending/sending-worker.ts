import type { PauseReason } from '../../domain/campaign.ts';
import { strangersWords } from '../../domain/text/mask.ts';
import type { Lease } from '../../ledger/contracts/sending.ts';
import type { SendResult } from '../../provider/provider.ts';
import type { Env } from '../env.ts';
import { type ConfiguredPrices, PriceBook } from '../planning/price-book.ts';
import { ClaimsUnderWay } from './claims-under-way.ts';
import { ConsecutiveFailures } from './consecutive-failures.ts';
import { Dispatcher } from './dispatcher.ts';
import { Health } from './health.ts';
import { KnownCredit } from './known-credit.ts';
import type { AnsweredMessage } from './lease-queue.ts';
import type { Registration } from './registration.ts';

/** The limits of a worker that sends, from the settings. */
export interface SendingOptions {
  /** Requests in flight of this process (`TUMA_CONCURRENCY`). */
  concurrency: number;
  /** The most messages of this process that are `sending` (`TUMA_CLAIM_LIMIT`). */
  claimLimit: number;
  /** Messages a second of the account over all workers (`TUMA_RATE`); null is unlimited. */
  accountRate: number | null;
  /** Rates count segments, as the provider's profile says. Left out: messages. */
  rateBySegment?: boolean;
  /** `TUMA_PRICE`. */
  prices: ConfiguredPrices;
  /** Ends the process, because the ledger is gone for good; its messages are left to the reaper. */
  fatal?: (error: unknown) => void;
  /** Called with every outcome, to count it for /metrics. */
  onAnswer?: (outcome: SendResult['outcome']) => void;
}

/** The parts that the batches of one worker process share. Each part owns its own state. */
export class SendingWorker {
  readonly env: Env;
  readonly options: SendingOptions;
  readonly stopping: AbortSignal;
  readonly registration: Registration;
  readonly dispatcher: Dispatcher;
  readonly claims: ClaimsUnderWay;
  readonly health: Health;
  readonly prices: PriceBook;
  readonly credit = new KnownCredit();
  readonly failures = new ConsecutiveFailures();
  /** Asks for the next batches without waiting for the sweep's time. */
  wakeSweep: () => void = () => undefined;
  /** Monotonic millisecond of the last claim that found messages. */
  lastClaimAt: number;

  constructor(
    env: Env,
    start: { registration: Registration; stopping: AbortSignal; options: SendingOptions },
  ) {
    const { concurrency, claimLimit, accountRate, prices } = start.options;
    this.env = env;
    this.options = start.options;
    this.stopping = start.stopping;
    this.registration = start.registration;
    this.health = new Health(env);
    this.prices = new PriceBook(prices);
    this.lastClaimAt = env.clock.monotonic();
    this.dispatcher = new Dispatcher({
      env,
      health: this.health,
      concurrency,
      claimLimit,
      accountRate,
      onAnswer: (result, message) => this.#answered(result, message),
    });
    const has = this.dispatcher.isWaiting.bind(this.dispatcher);
    this.claims = new ClaimsUnderWay({ env, has });
  }

  /** Notes a claim that found messages. */
  claimed(): void {
    this.lastClaimAt = this.env.clock.monotonic();
  }

  /** Pauses a lease's campaign; `said` are the provider's words about it. A paused campaign stays as it is. */
  async pause({ campaign }: Lease, reason: PauseReason, said = ''): Promise<void> {
    const { ledger, clock, log } = this.env;
    const { n, id, budgetMicro } = campaign;
    const usedUp = reason === 'budget' ? { usedUpMicro: budgetMicro } : {};
    const words = said === '' ? {} : { words: strangersWords(said) };
    const change = { now: clock.now(), by: 'worker', reason, ...usedUp, ...words };
    const paused = await ledger.pause(n, change);
    if (paused) log.warn({ campaign: id, reason, ...words }, 'the campaign is paused');
  }

  #answered(result: SendResult, message: AnsweredMessage): void {
    this.options.onAnswer?.(result.outcome);
    this.credit.answered(result, message);
    if (result.outcome !== 'accepted') return;
    const { costMicro, network } = result;
    const { account, segments } = message;
    if (costMicro !== null) this.prices.saw(account, { costMicro, segments, network });
  }
}
