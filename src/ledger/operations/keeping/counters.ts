import { type Connection, runEach, type Soon } from '../../connection.ts';
import type { Memory, Remembered } from '../memory.ts';
import { CampaignSums, type JustSent } from './message-sums.ts';
import { type CountedSpan, countedMessages } from './counted-messages.ts';
import { type Sql, loadStatements } from '../../statements.ts';

/*
 * Keeps the counters (contracts/counters.ts) while messages change. The changes of one transaction are added up in memory,
 * and written once before its COMMIT: a commit of hundreds of messages writes a few rows. Statements tell their changes
 * by their headers (counted-statements.ts). What happens a million times a campaign the operations tell themselves: a new
 * message, a claim, and the worker's verdict that a message was sent.
 */

/** The changes of a transaction to the counters, by campaign. */
type Changes = Map<number, CampaignSums>;

/** The counters of one connection that writes. */
export class Counters {
  readonly #sql: Sql;
  readonly #messages: ReturnType<typeof countedMessages>;
  readonly #changes: Remembered<Changes>;

  constructor(database: Connection, memory: Memory) {
    this.#sql = loadStatements(database, new URL('./counters.sql', import.meta.url));
    this.#messages = countedMessages(database);
    this.#changes = memory.remember<Changes>(new Map());
    memory.beforeCommit(() => this.#write());
  }

  /** Counts these messages as they are before the change, and behind it. No two of the spans meet. */
  async around<Result>(spans: readonly CountedSpan[], change: () => Soon<Result>): Promise<Result> {
    await this.#count(spans, -1);
    const result = await change();
    await this.#count(spans, 1);
    return result;
  }

  /** Counts messages that were queued before the last statement. */
  async leftQueue(places: readonly (readonly [campaign: number, seq: number])[]): Promise<void> {
    const messages = await this.#messages.at(places);
    for (const [index, [campaign]] of places.entries()) {
      const message = messages[index];
      if (!message) continue;
      this.#of(campaign).addWaiting('queued', message.segments, -1);
      this.#of(campaign).add(message, 1);
    }
  }

  /** Counts new messages as they are now. */
  async entered(span: CountedSpan): Promise<void> {
    await this.#count([span], 1);
  }

  async #count(spans: readonly CountedSpan[], by: 1 | -1): Promise<void> {
    const alone = spans.filter(([, first, last]) => first === last);
    const found = await this.#messages.at(alone.map(([campaign, seq]) => [campaign, seq]));
    for (const [index, [campaign]] of alone.entries()) {
      const message = found[index];
      if (message) this.#of(campaign).add(message, by);
    }
    for (const span of spans)
      if (span[1] < span[2]) await this.#messages.each(span, (message) => this.#of(span[0]).add(message, by));
  }

  /** Counts new messages of a campaign, or of a draft, by the segments of each. They are queued. */
  born(campaign: number, segments: Iterable<number>): void {
    const sums = this.#of(campaign);
    for (const [each, messages] of countEach(segments)) sums.addWaiting('queued', each, messages);
  }

  /** Counts claimed messages by the segments of each: they were queued, and are sending. */
  begun(campaign: number, segments: Iterable<number>): void {
    const sums = this.#of(campaign);
    for (const [each, messages] of countEach(segments)) {
      sums.addWaiting('queued', each, -messages);
      sums.addWaiting('sending', each, messages);
    }
  }

  /** Counts sending messages as sent by the worker's verdict, which was recorded `at` (milliseconds). */
  sent(campaign: number, messages: readonly JustSent[], at: number): void {
    this.#of(campaign).addJustSent(messages, at);
  }

  /** Removes the counters of a draft that is discarded. */
  async forget(campaign: number): Promise<void> {
    this.#changes.own(emptied).delete(campaign);
    await this.#sql('forget_counts').run(campaign);
    await this.#sql('forget_times').run(campaign);
    await this.#sql('forget_latencies').run(campaign);
  }

  #of(campaign: number): CampaignSums {
    const changes = this.#changes.own(emptied);
    let sums = changes.get(campaign);
    if (sums === undefined) changes.set(campaign, (sums = new CampaignSums()));
    return sums;
  }

  async #write(): Promise<void> {
    for (const [campaign, sums] of this.#changes.value) await this.#writeSums(campaign, sums);
    this.#changes.set(new Map());
  }

  async #writeSums(campaign: number, sums: CampaignSums): Promise<void> {
    const kinds = [...sums.kinds()].map(([, sum]) => sum);
    const changed = kinds.filter(({ messages, cost }) => messages !== 0 || cost !== 0);
    await runEach(this.#sql('count'), changed, ({ kind, messages, cost }) => {
      const { state, delivery, conflict, writtenOff, retryHelps, reason, network, segments, unknown } = kind;
      const names = [state, delivery, conflict, writtenOff, retryHelps, reason, network, segments, unknown];
      return [campaign, ...names, messages, cost];
    });
    const times = [...sums.times()].filter(({ messages }) => messages !== 0);
    await runEach(this.#sql('count_time'), times, ({ unit, at, what, messages, first, last }) => {
      return [campaign, unit, at, what, messages, first, last];
    });
    const latencies = [...sums.latencies()].filter(({ messages }) => messages !== 0);
    await runEach(this.#sql('count_latency'), latencies, ({ what, bucket, messages }) => {
      return [campaign, what, bucket, messages];
    });
  }
}

function countEach(values: Iterable<number>): Map<number, number> {
  const counts = new Map<number, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return counts;
}

/** Nothing waits at a mark of the memory: what an operation changed is written before the next mark. */
function emptied(changes: Changes): Changes {
  if (changes.size > 0) throw new Error('counters wait at a mark of the memory');
  return new Map();
}
