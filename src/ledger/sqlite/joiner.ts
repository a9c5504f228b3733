import type { DatabaseSync } from 'node:sqlite';
import { DELIVERY_RANKS, type Delivery } from '../../domain/message.ts';
import type { NewReport } from '../records.ts';
import type { MoneyRecords } from './money.ts';
import { prepareStatements } from './statements.ts';

/**
 * Joins reports to messages. A message's delivery is worked out anew from all its reports whenever one is joined, so
 * order, repeats and early arrival cannot matter. An id that two messages carry joins nothing.
 */

/** A report without a known id decides an uncertain message only when its attempt is younger than this. */
const UNCERTAIN_SPAN_MS = 72 * 3_600_000;

export interface WaitingReport {
  id: number;
  messageId: string;
  delivery: Delivery | null;
  mobile: string | null;
  network: string | null;
  receivedAt: number;
}

/** A place among the waiting reports, which are looked through in order of id. */
export type WaitingCursor = Pick<WaitingReport, 'id' | 'messageId'>;

interface MessageRef {
  campaign: number;
  seq: number;
}

interface ReportRow {
  delivery: Delivery;
  reason: string | null;
  received_at: number;
}

export type Joiner = ReturnType<typeof reportJoiner>;

export function reportJoiner(database: DatabaseSync, money: MoneyRecords) {
  const sql = prepareStatements(database, new URL('./joiner.sql', import.meta.url), [
    'anything_waiting',
    'id_is_known',
    'with_id',
    'flag_conflict',
    'joined_reports',
    'waiting_with_id',
    'set_ambiguous',
    'set_joined',
    'reports_of',
    'set_delivery',
    'uncertain_to',
    'sending_to',
    'sent_by_report',
    'waiting_after',
    'add_report',
  ]);
  let somethingWaits = true;

  function refold({ campaign, seq }: MessageRef): void {
    const reports = sql.reports_of.all(campaign, seq) as unknown as ReportRow[];
    const { delivery, reason, conflict, reportedAt } = deliveryOf(reports);
    sql.set_delivery.run(campaign, seq, delivery, reason, conflict ? 1 : 0, reportedAt);
  }

  function join(report: number, { campaign, seq }: MessageRef): void {
    sql.set_joined.run(report, campaign, seq);
    refold({ campaign, seq });
  }

  /** By id; else an unknown id decides the one uncertain message to the number that it names. */
  function tryJoin(report: WaitingReport, now: number): boolean {
    const [only, other] = sql.with_id.all(report.messageId) as unknown as MessageRef[];
    if (other !== undefined) {
      sql.set_ambiguous.run(report.id);
      return false;
    }
    const found = only ?? decideUncertain(report, now);
    if (found === null) return false;
    join(report.id, found);
    return true;
  }

  function decideUncertain(report: WaitingReport, now: number): MessageRef | null {
    const { mobile, delivery, receivedAt } = report;
    if (mobile === null || delivery === null) return null;
    const since = receivedAt - UNCERTAIN_SPAN_MS;
    const [only, other] = sql.uncertain_to.all(mobile, since, receivedAt) as unknown as (MessageRef & {
      reserved: number;
    })[];
    if (only === undefined || other !== undefined) return null;
    if (sql.sending_to.get(mobile) !== undefined) return null;
    const books = money.openBooks();
    const entry = books.of(only.campaign);
    entry.reserved -= only.reserved;
    entry.assumed += only.reserved;
    books.post(now);
    sql.sent_by_report.run(only.campaign, only.seq, report.messageId, report.network, now);
    joinAll(report.messageId, only);
    return only;
  }

  function joinAll(messageId: string, message: MessageRef): void {
    for (const row of sql.waiting_with_id.all(messageId)) {
      sql.set_joined.run(Number(row['id']), message.campaign, message.seq);
    }
    refold(message);
  }

  return {
    /** Asks once a commit whether any report waits at all, so that usually no message asks. */
    beginCommit(): void {
      somethingWaits = sql.anything_waiting.get() !== undefined;
    },

    /**
     * Whether another message carries this id already. If so that one is flagged, and what was joined by the id becomes
     * ambiguous: a claim that fits two messages says nothing of either.
     */
    markConflict(messageId: string, self: MessageRef): boolean {
      if (sql.id_is_known.get(messageId) === undefined) return false;
      const others = sql.with_id.all(messageId) as unknown as MessageRef[];
      const twins = others.filter(({ campaign, seq }) => campaign !== self.campaign || seq !== self.seq);
      if (twins.length === 0) return false;
      sql.flag_conflict.run(messageId);
      for (const twin of twins) {
        const joined = sql.joined_reports.all(twin.campaign, twin.seq, messageId);
        for (const row of joined) sql.set_ambiguous.run(Number(row['id']));
        if (joined.length > 0) refold(twin);
      }
      return true;
    },

    /** Joins the reports that came before the message's id was known. */
    joinEarly(messageId: string): void {
      if (!somethingWaits) return;
      for (const row of sql.waiting_with_id.all(messageId)) {
        const [only, other] = sql.with_id.all(messageId) as unknown as MessageRef[];
        if (other !== undefined) sql.set_ambiguous.run(Number(row['id']));
        else if (only !== undefined) join(Number(row['id']), only);
      }
    },

    /** Stores a report and joins it when it can be. */
    add(report: NewReport & { webhook: number; receivedAt: number; now: number }): void {
      const { webhook, messageId, word, delivery, reason, mobile, network, at, receivedAt } = report;
      const { lastInsertRowid } = sql.add_report.run(
        webhook,
        messageId,
        word,
        delivery,
        reason,
        mobile,
        network,
        at,
        receivedAt,
      );
      tryJoin({ id: Number(lastInsertRowid), messageId, delivery, mobile, network, receivedAt }, report.now);
    },

    /** Tries the next `count` waiting reports after one; `last` is null when there were no more. */
    tryWaiting({ after, count, now }: { after: WaitingCursor; count: number; now: number }) {
      const waiting = sql.waiting_after.all(after.messageId, after.id, count) as unknown as WaitingReport[];
      const joined = waiting.filter((report) => tryJoin(report, now)).length;
      const last = waiting.length < count ? null : (waiting.at(-1) ?? null);
      return { joined, last };
    },
  };
}

/** The fold of 3.8: commutative, associative, idempotent. Of equal ranks the earliest report speaks. */
export function deliveryOf(reports: ReportRow[]) {
  const ordered = [...reports].sort(
    (a, b) =>
      DELIVERY_RANKS[b.delivery] - DELIVERY_RANKS[a.delivery] ||
      a.received_at - b.received_at ||
      (a.reason ?? '').localeCompare(b.reason ?? ''),
  );
  const seen = new Set(reports.map(({ delivery }) => delivery));
  return {
    delivery: ordered[0]?.delivery ?? ('pending' as const),
    reason: ordered[0]?.reason ?? null,
    conflict: seen.has('delivered') && seen.has('undelivered'),
    reportedAt: ordered[0]?.received_at ?? null,
  };
}
