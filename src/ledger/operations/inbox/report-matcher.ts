import type { Connection } from '../../connection.ts';
import { DELIVERY_RANKS, type Delivery, type NumberEffect } from '../../../domain/message.ts';
import { wordKey } from '../../../domain/text/printable.ts';
import { maskText } from '../../../domain/text/mask.ts';
import { idForm } from '../../../domain/message-id.ts';
import type { NewReport } from '../../contracts/records.ts';
import type { OpenTotals } from '../sending/running-totals.ts';
import { type Member, MessageIds, type MessageRef } from '../planning/message-ids.ts';
import type { OptOutBook } from './opt-outs.ts';
import { type Place, placeOf } from './report-place.ts';
import { type Sql, loadStatements } from '../../statements.ts';
import { filterInOrder, someInOrder } from '../../in-order.ts';

/**
 * Joins reports to messages (report-place.ts). Each joined report recomputes the message's delivery from all
 * its reports, so order, repeats and early arrival change nothing. When a message joins a family of ids, the
 * family's reports get their places anew. So what was joined loosely moves to an exact match that comes later.
 */

/** A report with an unknown id decides an uncertain message only when its attempt is younger than this. */
const UNCERTAIN_SPAN_MS = 72 * 3_600_000;

/** A report that may find its message. Time in milliseconds. */
export interface UnjoinedReport {
  id: number;
  messageId: string;
  delivery: Delivery | null;
  mobile: string | null;
  network: string | null;
  receivedAt: number;
  joined: 'waiting' | 'ambiguous';
}

/** The last checked report; the order is plain id, then report id. */
export interface UnjoinedCursor {
  plainId: string;
  id: number;
}

/** A report with its present place. */
type StoredReport = Omit<UnjoinedReport, 'joined'> &
  ({ joined: 'joined'; campaign: number; seq: number } | { joined: 'waiting' | 'ambiguous' });

type UncertainRef = MessageRef & { claimedAt: number };

interface ReportRow {
  delivery: Delivery;
  reason: string | null;
  effect: NumberEffect | null;
  received_at: number;
}

/** A report of a webhook. */
export type ArrivedReport = NewReport & { webhook: number; receivedAt: number; now: number };

/** Each connection has its own matcher, which remembers for one transaction whether any report is unjoined. */
export class ReportMatcher {
  readonly ids: MessageIds;
  readonly #sql: Sql;
  readonly #openTotals: OpenTotals;
  readonly #optOuts: OptOutBook;
  #somethingWaits = true;

  constructor(
    database: Connection,
    { openTotals, optOuts }: { openTotals: OpenTotals; optOuts: OptOutBook },
  ) {
    this.#sql = loadStatements(database, new URL('./report-matcher.sql', import.meta.url));
    this.ids = new MessageIds(database, (fresh) => this.#onRelated(fresh));
    this.#openTotals = openTotals;
    this.#optOuts = optOuts;
  }

  /** One query per commit tells whether any report is unjoined, so most messages skip their own query. */
  async beginCommit(): Promise<void> {
    this.#somethingWaits = (await this.#sql('anything_unjoined').get()) !== undefined;
  }

  /** Messages with exactly the same id get a flag. The reports that new members may concern are placed anew. */
  async #onRelated(fresh: Member[]): Promise<void> {
    const byId = [...Map.groupBy(fresh, ({ messageId }) => messageId)];
    for (const [messageId, members] of byId) {
      const same = await this.ids.exact(messageId, fresh.length + 1);
      if (same.length < 2) continue;
      for (const { campaign, seq } of [...members, ...same])
        await this.#sql('flag_conflict').run(campaign, seq);
    }
    const [messageId = ''] = byId[0] ?? [];
    if (await someInOrder(byId, ([, members]) => this.#someAreEarly(members)))
      return await this.#placeAgain(await this.#reportsOf(messageId));
    for (const { mobile } of fresh) await this.#placeAgain(await this.#reportsTo(messageId, mobile));
  }

  /**
   * True: the place of a report that names no mobile may change. Behind two others with their id, new messages
   * change only the places of reports that name their mobiles. So a large family costs little.
   */
  async #someAreEarly(fresh: Member[]): Promise<boolean> {
    const [{ messageId, begunAt } = { messageId: '', begunAt: 0 }] = fresh.toSorted(
      (one, other) => one.begunAt - other.begunAt,
    );
    const isNew = new Set(fresh.map(keyOf));
    const before = await this.ids.exact(messageId, isNew.size + 2, begunAt);
    return before.filter((member) => !isNew.has(keyOf(member))).length < 2;
  }

  async #reportsOf(messageId: string): Promise<StoredReport[]> {
    return (await this.#sql('reports_of_family').all(messageId)) as unknown as StoredReport[];
  }

  async #reportsTo(messageId: string, mobile: string): Promise<StoredReport[]> {
    return (await this.#sql('reports_of_family_to').all(messageId, mobile)) as unknown as StoredReport[];
  }

  /** Messages are recomputed once, after all their reports have moved. */
  async #placeAgain(reports: StoredReport[]): Promise<void> {
    const moved = new Map<string, MessageRef>();
    for (const report of reports) {
      const place = await placeOf(report, this.ids);
      const [from, to] = [refOf(report), place.message];
      if (place.joined === report.joined && keyOf(from) === keyOf(to)) continue;
      await this.#setPlace(report.id, place);
      for (const ref of [from, to]) if (ref !== null) moved.set(keyOf(ref), ref);
    }
    for (const ref of moved.values()) await this.recomputeDelivery(ref);
  }

  async #setPlace(report: number, { joined, message }: Place): Promise<void> {
    await this.#sql('set_place').run(report, joined, message?.campaign ?? null, message?.seq ?? null);
  }

  /** Joins the reports that came before the message's id was known. */
  async joinEarly(messageId: string): Promise<void> {
    if (this.#somethingWaits) await this.#joinUnjoined(messageId);
  }

  async #joinUnjoined(messageId: string): Promise<void> {
    const unjoined = (await this.#sql('unjoined_of_family').all(messageId)) as unknown as StoredReport[];
    const waiting = unjoined.filter(({ joined }) => joined === 'waiting');
    if (waiting.length === 0) return;
    await this.#placeAgain(waiting);
  }

  /** Places the reports of an id's family anew, because a message left it or changed its id. */
  async joinAgain(messageId: string, now: number): Promise<void> {
    await this.#placeAgain(await this.#reportsOf(messageId));
    const unjoined = (await this.#sql('unjoined_of_family').all(messageId)) as unknown as UnjoinedReport[];
    for (const report of unjoined) await this.tryJoin(report, now);
  }

  /** Stores a report and joins it when it can be. */
  async add(report: ArrivedReport): Promise<void> {
    const { webhook, messageId, word, reason, effect = null, mobile, network, at, receivedAt } = report;
    const known = report.delivery !== null;
    const delivery = report.delivery ?? (await this.#mapped(word));
    const place = await placeOf(report, this.ids);
    const said = [word, delivery, reason, mobile, network];
    const facts = [webhook, messageId, ...said, at, receivedAt, effect, known ? 1 : 0];
    const ref = [place.message?.campaign ?? null, place.message?.seq ?? null];
    const added = await this.#sql('add_report').get(...facts, place.joined, ...ref);
    if (place.joined === 'joined') return await this.recomputeDelivery(place.message);
    const { joined } = place;
    const stored = { id: Number(added?.['id']), messageId, delivery, mobile, network, receivedAt, joined };
    await this.#tryDecide(stored, { place, now: report.now });
  }

  /** Tries the next `count` unjoined reports after one; `last` is null when there were no more. */
  async tryUnjoined({ after, count, now }: { after: UnjoinedCursor; count: number; now: number }) {
    const found = await this.#sql('unjoined_after').all(after.plainId, after.id, count);
    const unjoined = found as unknown as (UnjoinedReport & UnjoinedCursor)[];
    const joined = (await filterInOrder(unjoined, (report) => this.tryJoin(report, now))).length;
    const last = unjoined.length < count ? null : (unjoined.at(-1) ?? null);
    return { joined, last };
  }

  /** The report gets its message; without one it may decide the only uncertain message to its number. */
  async tryJoin(report: UnjoinedReport, now: number): Promise<boolean> {
    const place = await placeOf(report, this.ids);
    // The place of an ambiguous report changes with its family only, or a purge would give it another.
    if (place.joined !== 'joined' || report.joined === 'ambiguous')
      return await this.#tryDecide(report, { place, now });
    await this.#setPlace(report.id, place);
    await this.recomputeDelivery(place.message);
    return true;
  }

  async #tryDecide(report: UnjoinedReport, { place, now }: { place: Place; now: number }): Promise<boolean> {
    if (place.joined === 'joined' || !place.isStranger) return false;
    const message = await this.#uncertainOf(report);
    if (message === null) return false;
    await this.#decide(message, report, now);
    return true;
  }

  /** Null also when the report may belong to another message to this number. */
  async #uncertainOf({
    messageId,
    mobile,
    delivery,
    receivedAt,
  }: UnjoinedReport): Promise<MessageRef | null> {
    if (mobile === null || delivery === null) return null;
    const since = receivedAt - UNCERTAIN_SPAN_MS;
    const found = (await this.#sql('uncertain_to').all(mobile, since)) as unknown as UncertainRef[];
    const [only, other] = found;
    if (only === undefined || other !== undefined || only.claimedAt > receivedAt) return null;
    if ((await this.#sql('sending_to').get(mobile)) !== undefined) return null;
    const { campaign, seq } = only;
    if ((await this.#sql('unnamed_to').get(mobile, since, campaign, seq)) !== undefined) return null;
    const ids = await this.#sql('ids_to').all(mobile, since);
    return ids.some((row) => idForm(String(row['messageId']), messageId) !== null) ? null : only;
  }

  /** The uncertain message becomes sent and takes all reports with this id; its cost stays unknown. */
  async #decide(
    { campaign, seq, reserved = 0 }: MessageRef,
    report: UnjoinedReport,
    now: number,
  ): Promise<void> {
    const { messageId, network } = report;
    await this.#sql('sent_by_report').run(campaign, seq, messageId, network, now);
    await this.ids.given([{ campaign, seq }]);
    const totals = this.#openTotals();
    const entry = await totals.of(campaign);
    entry.reserved -= reserved;
    entry.assumed += reserved;
    await totals.post(now);
    await this.#placeAgain([report]);
    await this.#joinUnjoined(messageId);
  }

  /** Recomputes a message's delivery and updates the opt-outs and the dead mark of its number. */
  async recomputeDelivery({ campaign, seq }: MessageRef): Promise<void> {
    const reports = (await this.#sql('reports_of').all(campaign, seq)) as unknown as ReportRow[];
    const { delivery, reason, effect, conflict, reportedAt } = deliveryOf(reports);
    // The reason appears in reports and outlives a purge, so it must not hold a number.
    const masked = reason === null ? null : maskText(reason);
    const told = [delivery, masked, conflict ? 1 : 0, reportedAt];
    const changed = await this.#sql('set_delivery').get(campaign, seq, ...told);
    if (changed === undefined) return;
    const mobile = String(changed['mobile']);
    await this.#optOuts.learn({
      mobile,
      campaign,
      seq,
      effect,
      at: reportedAt,
      delivered: delivery === 'delivered',
    });
  }

  /** The delivery state that a person assigned to a word missing from the profile. */
  async #mapped(word: string): Promise<Delivery | null> {
    return ((await this.#sql('mapped_word').get(wordKey(word)))?.['delivery'] ?? null) as Delivery | null;
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

function refOf(report: StoredReport): MessageRef | null {
  return report.joined === 'joined' ? { campaign: report.campaign, seq: report.seq } : null;
}

function keyOf(ref: MessageRef | null): string {
  return ref === null ? '' : `${ref.campaign} ${ref.seq}`;
}
