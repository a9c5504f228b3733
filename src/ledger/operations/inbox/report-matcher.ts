import { changeEach, type Connection, getEach, runEach } from '../../connection.ts';
import { deliveryOf, type SaidOfDelivery } from '../../decide/delivery.ts';
import {
  type Candidates,
  candidatesOf,
  type Member,
  type Place,
  type PlacedReport,
  placeOf,
} from '../../decide/report-place.ts';
import type { Delivery } from '../../../domain/message.ts';
import { wordKey } from '../../../domain/text/printable.ts';
import { maskText } from '../../../domain/text/mask.ts';
import { idForm, plainId } from '../../../domain/message-id.ts';
import type { MoneyMicro } from '../../../domain/money.ts';
import type { MessagePlace } from '../../contracts/finding.ts';
import type { NewReport } from '../../contracts/records.ts';
import type { OpenTotals } from '../sending/running-totals.ts';
import { MessageIds } from './message-ids.ts';
import type { OptOutBook } from './opt-outs.ts';
import { type Sql, loadStatements } from '../../statements.ts';
import { mapInOrder, someInOrder } from '../../in-order.ts';

/**
 * Joins reports to messages (decide/report-place.ts). Each joined report recomputes the message's delivery from all
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

type UncertainMessage = MessagePlace & { claimedAt: number; reserved: MoneyMicro };

/** A report of a sent message; without a delivery: the message has none. */
type DeliveredRow = MessagePlace & { mobile: string } & (SaidOfDelivery | { delivery: null });

/** A report of a webhook. */
export type ArrivedReport = NewReport & { webhook: number; receivedAt: number; now: number };

/** `known`: its word is in the profile. */
type ReadReport = ArrivedReport & { known: boolean };

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
    return await this.#sql<StoredReport>('reports_of_family').all(messageId);
  }

  async #reportsTo(messageId: string, mobile: string): Promise<StoredReport[]> {
    return await this.#sql<StoredReport>('reports_of_family_to').all(messageId, mobile);
  }

  /** Messages are recomputed once, after all their reports have moved. */
  async #placeAgain(reports: readonly StoredReport[]): Promise<void> {
    const places = await this.#placesOf(reports);
    const placed = reports.map((report, index) => ({ report, place: places[index] as Place }));
    const moved = placed.filter(
      ({ report, place }) => place.joined !== report.joined || keyOf(refOf(report)) !== keyOf(place.message),
    );
    await changeEach(this.#sql('set_place'), moved, ({ report, place }) => placeValues(report.id, place));
    const refs = moved.flatMap(({ report, place }) => [refOf(report), place.message]);
    await this.recomputeDeliveries(refs.filter((ref) => ref !== null));
  }

  /** Joins the reports that came before these ids of messages were known. */
  async joinEarly(messageIds: readonly string[]): Promise<void> {
    if (this.#somethingWaits) await this.#joinWaiting(messageIds);
  }

  async #joinWaiting(messageIds: readonly string[]): Promise<void> {
    const unjoined = await this.#unjoinedOf(messageIds);
    await this.#placeAgain(unjoined.filter(({ joined }) => joined === 'waiting'));
  }

  async #unjoinedOf(messageIds: readonly string[]): Promise<StoredReport[]> {
    const families = [...new Set(messageIds.map(plainId))];
    return await this.#sql<StoredReport>('unjoined_of_families').all(JSON.stringify(families));
  }

  /** Places the reports of an id's family anew, because a message left it or changed its id. */
  async joinAgain(messageId: string, now: number): Promise<void> {
    await this.#placeAgain(await this.#reportsOf(messageId));
    const unjoined = await this.#unjoinedOf([messageId]);
    for (const report of unjoined as UnjoinedReport[]) await this.tryJoin(report, now);
  }

  /** Stores reports and joins those that can be. */
  async add(arrived: readonly ArrivedReport[]): Promise<void> {
    if (arrived.length === 0) return;
    const reports = await this.#withMeanings(arrived);
    const places = await this.#placesOf(reports);
    const placed = reports.map((report, index) => ({ report, ...(places[index] as Place) }));
    await this.#store(placed);
    await this.recomputeDeliveries(placed.flatMap(({ message }) => (message === null ? [] : [message])));
    const strangers = placed.filter((each) => each.joined !== 'joined' && each.isStranger);
    await this.#decideUncertain(strangers.map(({ report }) => report));
  }

  async #store(placed: readonly (Place & { report: ReadReport })[]): Promise<void> {
    const rows = placed.map(({ report, joined, message }) => {
      const { webhook, messageId, word, delivery, reason, mobile, network, at, receivedAt } = report;
      const said = [word, delivery, reason, mobile, network, at, receivedAt, report.effect ?? null];
      const ref = [message?.campaign ?? null, message?.seq ?? null];
      return [webhook, messageId, ...said, report.known ? 1 : 0, joined, ...ref];
    });
    await runEach(this.#sql('add_report'), rows);
  }

  /** A word that the profile does not know has the meaning that a person gave it. */
  async #withMeanings(reports: readonly ArrivedReport[]): Promise<ReadReport[]> {
    const words = reports.flatMap(({ delivery, word }) => (delivery === null ? [wordKey(word)] : []));
    const keys = [...new Set(words)];
    const found = await getEach(this.#sql('mapped_word'), keys, (key) => [key]);
    const meanings = new Map(keys.map((key, index) => [key, found[index]?.['delivery'] ?? null]));
    return reports.map((report) => {
      const known = report.delivery !== null;
      const meaning = known ? report.delivery : meanings.get(wordKey(report.word));
      return { ...report, known, delivery: (meaning ?? null) as Delivery | null };
    });
  }

  /** The places of reports, in their order. Nearly always a family has one message, and one look serves all. */
  async #placesOf(reports: readonly PlacedReport[]): Promise<Place[]> {
    const family = this.#sql<Member & { shared: number }>('sole_of_family');
    const sole = await getEach(family, reports, ({ messageId }) => [messageId]);
    return await mapInOrder(reports.entries(), async ([index, report]) => {
      const member = sole[index];
      return member?.shared === 1
        ? placeOf(report, await this.#candidatesOf(report))
        : placeOf(report, candidatesOf(report, member));
    });
  }

  /** Where the family has several messages. */
  async #candidatesOf({ messageId, mobile, receivedAt }: PlacedReport): Promise<Candidates> {
    const exact = await this.ids.exact(messageId, 2);
    return {
      exact,
      begun: exact.length < 2 ? [] : await this.ids.exact(messageId, 2, receivedAt),
      to: mobile === null ? [] : await this.ids.familyTo(messageId, mobile),
    };
  }

  /** Each of these may decide an uncertain message to its mobile. Hardly any number has one. */
  async #decideUncertain(reports: readonly ArrivedReport[]): Promise<void> {
    const uncertain = await this.#mayBeUncertain(reports);
    const able = reports.filter((_, index) => uncertain[index] === true);
    for (const [webhook, now] of new Map(able.map((report) => [report.webhook, report.now]))) {
      const strangers = await this.#sql<UnjoinedReport>('strangers_of').all(webhook);
      for (const report of strangers) await this.tryJoin(report, now);
    }
  }

  /** Tries the next `count` unjoined reports after one; `last` is null when there were no more. */
  async tryUnjoined({ after, count, now }: { after: UnjoinedCursor; count: number; now: number }) {
    const place = [after.plainId, after.id, count];
    const unjoined = await this.#sql<UnjoinedReport & UnjoinedCursor>('unjoined_after').all(...place);
    let joined = 0;
    for (const report of await this.#able(unjoined)) if (await this.tryJoin(report, now)) joined += 1;
    const last = unjoined.length < count ? null : (unjoined.at(-1) ?? null);
    return { joined, last };
  }

  /** Those that may find a message. After many kills thousands find none, and one look serves all. */
  async #able<Report extends UnjoinedReport>(reports: readonly Report[]): Promise<Report[]> {
    const members = await getEach(this.#sql('sole_of_family'), reports, ({ messageId }) => [messageId]);
    const uncertain = await this.#mayBeUncertain(reports);
    return reports.filter((_, index) => members[index] !== undefined || uncertain[index] === true);
  }

  /** Which of the reports may decide an uncertain message to their number. */
  async #mayBeUncertain(
    reports: readonly Pick<UnjoinedReport, 'mobile' | 'receivedAt' | 'delivery'>[],
  ): Promise<boolean[]> {
    const found = await getEach(this.#sql('uncertain_to'), reports, ({ mobile, receivedAt }) => {
      return [mobile, receivedAt - UNCERTAIN_SPAN_MS];
    });
    return reports.map(({ delivery }, index) => delivery !== null && found[index] !== undefined);
  }

  /** The report gets its message; without one it may decide the only uncertain message to its number. */
  async tryJoin(report: UnjoinedReport, now: number): Promise<boolean> {
    const [place] = (await this.#placesOf([report])) as [Place];
    // The place of an ambiguous report changes with its family only, or a purge would give it another.
    if (place.joined !== 'joined' || report.joined === 'ambiguous')
      return await this.#tryDecide(report, { place, now });
    await this.#sql('set_place').run(...placeValues(report.id, place));
    await this.recomputeDeliveries([place.message]);
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
  }: UnjoinedReport): Promise<UncertainMessage | null> {
    if (mobile === null || delivery === null) return null;
    const since = receivedAt - UNCERTAIN_SPAN_MS;
    const found = await this.#sql<UncertainMessage>('uncertain_to').all(mobile, since);
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
    { campaign, seq, reserved }: UncertainMessage,
    report: UnjoinedReport,
    now: number,
  ): Promise<void> {
    const { messageId, network } = report;
    await this.#sql('sent_by_report').run(campaign, seq, messageId, network, now);
    await this.ids.given([{ campaign, seq, messageId }]);
    const totals = this.#openTotals();
    const entry = await totals.of(campaign);
    entry.reserved -= reserved;
    entry.assumed += reserved;
    await totals.post(now);
    await this.#placeAgain([report]);
    await this.#joinWaiting([messageId]);
  }

  /** Recomputes deliveries of messages, and updates the opt-outs and the dead marks of their numbers. */
  async recomputeDeliveries(messages: readonly MessagePlace[]): Promise<void> {
    if (messages.length === 0) return;
    const refs = new Map(messages.map((ref) => [keyOf(ref), [ref.campaign, ref.seq]]));
    const rows = await this.#sql<DeliveredRow>('delivered_messages').all(JSON.stringify([...refs.values()]));
    const byMessage = Map.groupBy(rows, keyOf);
    const computed = [...byMessage.values()].flatMap(([first, ...others]) => {
      if (first === undefined) return [];
      const { campaign, seq, mobile } = first;
      const reports = [first, ...others].filter((row) => row.delivery !== null);
      return [{ campaign, seq, mobile, ...deliveryOf(reports) }];
    });
    await runEach(this.#sql('set_delivery'), computed, (message) => {
      const { campaign, seq, delivery, reason, conflict, reportedAt } = message;
      // The reason appears in reports and outlives a purge, so it must not hold a number.
      const masked = reason === null ? null : maskText(reason);
      return [campaign, seq, delivery, masked, conflict ? 1 : 0, reportedAt];
    });
    await this.#optOuts.learn(
      computed.map(({ campaign, seq, mobile, delivery, effect, reportedAt }) => {
        return { mobile, campaign, seq, effect, at: reportedAt, delivered: delivery === 'delivered' };
      }),
    );
  }
}

function placeValues(report: number, { joined, message }: Place) {
  return [report, joined, message?.campaign ?? null, message?.seq ?? null] as const;
}

function refOf(report: StoredReport): MessagePlace | null {
  return report.joined === 'joined' ? { campaign: report.campaign, seq: report.seq } : null;
}

function keyOf(ref: MessagePlace | null): string {
  return ref === null ? '' : `${ref.campaign} ${ref.seq}`;
}
