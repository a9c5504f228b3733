import type { DatabaseSync } from 'node:sqlite';
import { DELIVERY_RANKS, type Delivery, type NumberEffect } from '../../domain/message.ts';
import { wordKey } from '../../domain/text/printable.ts';
import { maskText } from '../../domain/text/mask.ts';
import { namesAnother } from '../../domain/numbers/mobile-text.ts';
import type { NewReport } from '../records.ts';
import type { OpenTotals } from './running-totals.ts';
import { MessageIds, type MessageRef } from './message-ids.ts';
import type { OptOutBook } from './opt-outs.ts';
import { type Sql, loadStatements } from './statements.ts';

/**
 * Joins reports to messages. Each joined report recomputes the message's delivery from all its reports, so
 * order, repeats and early arrival change nothing. A report is ambiguous when two messages carry its id, or
 * when its mobile differs from the message's.
 */

/** A report with an unknown id decides an uncertain message only when its attempt is younger than this. */
const UNCERTAIN_SPAN_MS = 72 * 3_600_000;

/** A report that may find its message. Time in milliseconds. */
export interface WaitingReport {
  id: number;
  messageId: string;
  delivery: Delivery | null;
  mobile: string | null;
  network: string | null;
  receivedAt: number;
}

/** The last checked report; the order is message id, then report id. */
export type WaitingCursor = Pick<WaitingReport, 'id' | 'messageId'>;

type NamedReport = Pick<WaitingReport, 'id' | 'mobile'>;
type UncertainRef = MessageRef & { claimedAt: number };

interface ReportRow {
  delivery: Delivery;
  reason: string | null;
  effect: NumberEffect | null;
  received_at: number;
}

/** A report of a webhook. */
export type ArrivedReport = NewReport & { webhook: number; receivedAt: number; now: number };

/** Each connection has its own matcher, which remembers for one transaction whether any report waits. */
export class ReportMatcher {
  readonly ids: MessageIds;
  readonly #sql: Sql;
  readonly #openTotals: OpenTotals;
  readonly #optOuts: OptOutBook;
  #somethingWaits = true;

  constructor(
    database: DatabaseSync,
    { openTotals, optOuts }: { openTotals: OpenTotals; optOuts: OptOutBook },
  ) {
    this.#sql = loadStatements(database, new URL('./report-matcher.sql', import.meta.url));
    this.ids = new MessageIds(database, (messageId, messages) => this.#markRepeated(messageId, messages));
    this.#openTotals = openTotals;
    this.#optOuts = optOuts;
  }

  /** One query per commit tells whether any report waits, so most messages skip their own query. */
  beginCommit(): void {
    this.#somethingWaits = this.#sql('anything_waiting').get() !== undefined;
  }

  /** Messages with the same id get a flag, and all reports with that id become ambiguous. */
  #markRepeated(messageId: string, messages: MessageRef[]): void {
    for (const carrier of messages) {
      const { campaign, seq } = carrier;
      this.#sql('flag_conflict').run(campaign, seq);
      const joined = this.#sql('joined_reports').all(campaign, seq, messageId);
      for (const row of joined) this.#sql('set_ambiguous').run(Number(row['id']));
      if (joined.length > 0) this.recomputeDelivery(carrier);
    }
    for (const row of this.#sql('waiting_with_id').all(messageId))
      this.#sql('set_ambiguous').run(Number(row['id']));
  }

  /** Joins the reports that came before the message's id was known. */
  joinEarly(messageId: string): void {
    if (this.#somethingWaits) this.#joinWaiting(messageId);
  }

  #joinWaiting(messageId: string): void {
    const waiting = this.#sql('waiting_with_id').all(messageId) as unknown as NamedReport[];
    if (waiting.length === 0) return;
    const [only, other] = this.ids.find(messageId);
    if (only === undefined || other !== undefined) return;
    for (const report of waiting) this.#join(report, only);
  }

  /** Stores a report and joins it when it can be. */
  add(report: ArrivedReport): void {
    const { webhook, messageId, word, reason, effect = null, mobile, network, at, receivedAt } = report;
    const known = report.delivery !== null;
    const delivery = report.delivery ?? this.#mapped(word);
    const said = [word, delivery, reason, mobile, network];
    const inserted = [webhook, messageId, ...said, at, receivedAt, effect, known ? 1 : 0];
    const { lastInsertRowid } = this.#sql('add_report').run(...inserted);
    const id = Number(lastInsertRowid);
    this.tryJoin({ id, messageId, delivery, mobile, network, receivedAt }, report.now);
  }

  /** Tries the next `count` waiting reports after one; `last` is null when there were no more. */
  tryWaiting({ after, count, now }: { after: WaitingCursor; count: number; now: number }) {
    const found = this.#sql('waiting_after').all(after.messageId, after.id, count);
    const waiting = found as unknown as WaitingReport[];
    const joined = waiting.filter((report) => this.tryJoin(report, now)).length;
    const last = waiting.length < count ? null : (waiting.at(-1) ?? null);
    return { joined, last };
  }

  /** The report joins by id; an unknown id decides the only uncertain message to its number. */
  tryJoin(report: WaitingReport, now: number): boolean {
    const [only, other] = this.ids.find(report.messageId);
    if (other !== undefined) {
      this.#sql('set_ambiguous').run(report.id);
      return false;
    }
    if (only !== undefined) return this.#join(report, only);
    const message = this.#uncertainOf(report);
    if (message === null) return false;
    this.#decide(message, report, now);
    return true;
  }

  /** Null also when the report may belong to another message to this number. */
  #uncertainOf({ mobile, delivery, receivedAt }: WaitingReport): MessageRef | null {
    if (mobile === null || delivery === null) return null;
    const since = receivedAt - UNCERTAIN_SPAN_MS;
    const found = this.#sql('uncertain_to').all(mobile, since) as unknown as UncertainRef[];
    const [only, other] = found;
    if (only === undefined || other !== undefined || only.claimedAt > receivedAt) return null;
    if (this.#sql('sending_to').get(mobile) !== undefined) return null;
    const { campaign, seq } = only;
    const unnamed = this.#sql('unnamed_to').get(mobile, since, campaign, seq);
    return unnamed === undefined ? only : null;
  }

  /** The uncertain message becomes sent and takes all reports with this id; its cost stays unknown. */
  #decide(
    { campaign, seq, reserved = 0 }: MessageRef,
    { messageId, network }: WaitingReport,
    now: number,
  ): void {
    this.#sql('sent_by_report').run(campaign, seq, messageId, network, now);
    const totals = this.#openTotals();
    const entry = totals.of(campaign);
    entry.reserved -= reserved;
    entry.assumed += reserved;
    totals.post(now);
    this.#joinWaiting(messageId);
  }

  /** False: the report names another mobile, so it becomes ambiguous. */
  #join({ id, mobile }: NamedReport, message: MessageRef): boolean {
    const { campaign, seq } = message;
    if (mobile !== null && namesAnother(this.#mobileOf(message), mobile)) {
      this.#sql('set_ambiguous').run(id);
      return false;
    }
    this.#sql('set_joined').run(id, campaign, seq);
    this.recomputeDelivery(message);
    return true;
  }

  #mobileOf({ campaign, seq }: MessageRef): string {
    return String(this.#sql('mobile_of').get(campaign, seq)?.['mobile']);
  }

  /** Recomputes a message's delivery and updates the opt-outs and the dead mark of its number. */
  recomputeDelivery({ campaign, seq }: MessageRef): void {
    const reports = this.#sql('reports_of').all(campaign, seq) as unknown as ReportRow[];
    const { delivery, reason, effect, conflict, reportedAt } = deliveryOf(reports);
    // The reason appears in reports and outlives a purge, so it must not hold a number.
    const masked = reason === null ? null : maskText(reason);
    const told = [delivery, masked, conflict ? 1 : 0, reportedAt];
    const changed = this.#sql('set_delivery').get(campaign, seq, ...told);
    if (changed === undefined) return;
    const mobile = String(changed['mobile']);
    this.#optOuts.learn({
      mobile,
      campaign,
      seq,
      effect,
      at: reportedAt,
      delivered: delivery === 'delivered',
    });
  }

  /** The delivery state that a person assigned to a word missing from the profile. */
  #mapped(word: string): Delivery | null {
    return (this.#sql('mapped_word').get(wordKey(word))?.['delivery'] ?? null) as Delivery | null;
  }
}

/** Order and repeats change nothing: the highest rank wins, and the earliest report breaks a tie. */
export function deliveryOf(reports: ReportRow[]) {
  const ordered = [...reports].sort(
    (a, b) =>
      DELIVERY_RANKS[b.delivery] - DELIVERY_RANKS[a.delivery] ||
      a.received_at - b.received_at ||
      (a.reason ?? '').localeCompare(b.reason ?? '') ||
      (a.effect ?? '').localeCompare(b.effect ?? ''),
  );
  const seen = new Set(reports.map(({ delivery }) => delivery));
  return {
    delivery: ordered[0]?.delivery ?? ('pending' as const),
    reason: ordered[0]?.reason ?? null,
    effect: ordered[0]?.effect ?? null,
    conflict: seen.has('delivered') && seen.has('undelivered'),
    reportedAt: ordered[0]?.received_at ?? null,
  };
}
