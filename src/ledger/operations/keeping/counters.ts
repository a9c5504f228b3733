import type { DatabaseSync } from 'node:sqlite';
import type { Memory, Remembered } from '../memory.ts';
import { CampaignSums, COUNTED_COLUMNS, countedMessage, type JustSent } from '../sending/message-sums.ts';
import { type Sql, loadStatements } from '../../statements.ts';

/*
 * Keeps the counters (ledger/counters.ts) while messages change. The changes of one transaction are added up in memory,
 * and written once before its COMMIT: a commit of hundreds of messages writes a few rows.
 */

const cells = (row: 'OLD' | 'NEW') => COUNTED_COLUMNS.map((column) => `${row}.${column}`).join(', ');

/**
 * Tells `count_change` of every change, so no statement can forget to. A trigger of this connection only: the schema
 * must not need a function of Tuma. What happens a million times a campaign tells by itself and is left out here: a
 * claim (`begun`), and the worker's verdict that a message was sent (`sent`).
 */
const TOLD = `
  CREATE TEMP TRIGGER IF NOT EXISTS message_counted AFTER UPDATE OF ${COUNTED_COLUMNS.join(', ')} ON main.message
  WHEN (NEW.state <> 'sending' OR NEW.lost <> OLD.lost)
    AND (OLD.state <> 'sending' OR NEW.state <> 'sent' OR NEW.actor <> 'worker')
  BEGIN SELECT count_change(OLD.campaign, ${cells('OLD')}, ${cells('NEW')}); END`;

/** The changes of a transaction to the counters, by campaign. */
type Changes = Map<number, CampaignSums>;

/** The counters of one connection that writes. */
export class Counters {
  readonly #sql: Sql;
  readonly #changes: Remembered<Changes>;

  constructor(database: DatabaseSync, memory: Memory) {
    this.#sql = loadStatements(database, new URL('./counters.sql', import.meta.url));
    this.#changes = memory.remember<Changes>(new Map());
    memory.beforeCommit(() => this.#write());
    database.function('count_change', { varargs: true }, (campaign, ...both) => {
      const sums = this.#of(Number(campaign));
      sums.add(countedMessage(both, 0), -1);
      sums.add(countedMessage(both, COUNTED_COLUMNS.length), 1);
      return null;
    });
    database.exec(TOLD);
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

  /** Counts a sending message as sent by the worker's verdict. */
  sent(campaign: number, message: JustSent): void {
    this.#of(campaign).addJustSent(message);
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
    for (const [campaign, sums] of this.#changes.value) await this.#add(campaign, sums);
    this.#changes.set(new Map());
  }

  async #add(campaign: number, sums: CampaignSums): Promise<void> {
    for (const [, { kind, messages, cost }] of sums.kinds()) {
      if (messages === 0 && cost === 0) continue;
      const { state, delivery, conflict, writtenOff, retryHelps, reason, network, segments, unknown } = kind;
      const names = [state, delivery, conflict, writtenOff, retryHelps, reason, network, segments, unknown];
      await this.#sql('count').run(campaign, ...names, messages, cost);
    }
    for (const { unit, at, what, messages, first, last } of sums.times())
      if (messages !== 0) await this.#sql('count_time').run(campaign, unit, at, what, messages, first, last);
    for (const { what, bucket, messages } of sums.latencies())
      if (messages !== 0) await this.#sql('count_latency').run(campaign, what, bucket, messages);
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
