import { type Connection, getEach, runEach } from '../../connection.ts';
import { type NumberEffect, isPurged } from '../../../domain/message.ts';
import type { OptOutSource, WishSource } from '../../../domain/opt-out-source.ts';
import type { Suppression } from '../../../domain/row-reason.ts';
import type { StateChange } from '../../contracts/records.ts';
import type { NewOptOut, ReplyLedger, ReplyRow } from '../../contracts/replies.ts';
import type { CampaignRecords } from '../planning/campaigns.ts';
import { roundsOf } from '../../decide/rounds.ts';
import {
  type Asked,
  changesOf,
  type Failure,
  mayBeDead,
  standingOf,
  type StandingChanges,
  type StoredOptOut,
  type StoredStanding,
} from '../../decide/standing.ts';
import { timeOf } from '../../decide/wishes.ts';
import { type Sql, loadStatements } from '../../statements.ts';
import { operation } from '../operation.ts';

/** Numbers that must not be sent promotional messages. The claim reads the table `opt_out` itself. */

/** The kept length of a STOP as evidence. No word of a wish is longer. */
const MAX_EVIDENCE_CHARS = 40;

/** A wish, with its source. */
export interface Asking extends Omit<Asked, 'evidence'> {
  mobile: string;
  by: string;
  evidence: string | null;
  webhook: number | null;
  /** The clock of this process. */
  now: number;
}

/** The effect of a message's delivery on its number. */
export interface Verdict {
  mobile: string;
  campaign: number;
  seq: number;
  /** Null: no bad news. */
  effect: NumberEffect | null;
  /** The arrival time of the report. */
  at: number | null;
  delivered: boolean;
}

/** The history of opt-outs and its consequences, over one connection. */
export class OptOutBook {
  readonly #sql: Sql;

  constructor(database: Connection) {
    this.#sql = loadStatements(database, new URL('./opt-outs.sql', import.meta.url));
  }

  /** The suppressed numbers among these, with reasons. */
  async suppressed(mobiles: readonly string[], sender: string): Promise<Map<string, Suppression>> {
    if ((await this.#sql('anyone').get()) === undefined) return new Map();
    const found = await this.#sql<{ mobile: string; reason: Suppression }>('suppressed').all(
      JSON.stringify(mobiles),
      sender,
    );
    return new Map(found.map(({ mobile, reason }) => [mobile, reason]));
  }

  /** A reply that nobody has decided about; undefined: it is in doubt no more. */
  async inDoubt(reply: number): Promise<Pick<ReplyRow, 'mobile' | 'text' | 'addressee'> | undefined> {
    return await this.#sql<Pick<ReplyRow, 'mobile' | 'text' | 'addressee'>>('in_doubt').get(reply);
  }

  /** The stored opt-outs of numbers. A number without any is left out. */
  async optOutsOf(mobiles: readonly string[]): Promise<Map<string, StoredOptOut[]>> {
    return byMobile(await this.#sql<OfNumber<StoredOptOut>>('opt_outs_of').all(JSON.stringify(mobiles)));
  }

  /** The numbers among these that are opted out, dead or in doubt. */
  async notable(mobiles: readonly string[]): Promise<string[]> {
    const optOuts = await this.optOutsOf(mobiles);
    const dead = await getEach(this.#sql('is_dead'), mobiles, (mobile) => [mobile]);
    const inDoubt = await getEach(this.#sql('is_in_doubt'), mobiles, (mobile) => [mobile]);
    return mobiles.filter(
      (mobile, index) => optOuts.has(mobile) || dead[index] !== undefined || inDoubt[index] !== undefined,
    );
  }

  /** Stores wishes in their order, and their consequences. */
  async ask(askings: readonly Asking[]): Promise<void> {
    for (const round of roundsOf(askings, ({ mobile }) => [mobile])) await this.#askOnce(round);
  }

  /** No two are of one number. */
  async #askOnce(askings: readonly Asking[]): Promise<void> {
    const mobiles = askings.map(({ mobile }) => mobile);
    await this.#writeDownAgain(mobiles);
    const latest = await this.#latestAt(mobiles);
    const returned = await getEach(
      this.#sql<{ at: number }>('returned_at'),
      askings,
      ({ mobile, webhook }) => [mobile, webhook],
    );
    const events = askings.map((asking, index) => {
      const known = { latestAt: latest[index] ?? 0, returnedAt: returned[index]?.at ?? 0 };
      return { ...asking, at: timeOf(asking, known) };
    });
    await this.#addEvents(events);
    await this.#settle(new Map(events.map(({ mobile, at }) => [mobile, at])));
  }

  /**
   * Notes that a list names opted-out numbers again. Such a list may hold millions each week. So the
   * history gets it only when another fact about the number comes: an earlier START does not undo it.
   * No two entries are of one number.
   */
  async sayAgain(entries: readonly NewOptOut[], now: number): Promise<void> {
    const mobiles = entries.map(({ mobile }) => mobile);
    const before = await this.optOutsOf(mobiles);
    const latest = await this.#latestAt(mobiles);
    const rows = entries.map(({ mobile, source, sender = '', evidence = null }, index) => {
      const known = (before.get(mobile) ?? []).map(({ at }) => at);
      return [mobile, sender, source, Math.max(now, latest[index] ?? 0, ...known), evidence];
    });
    await runEach(this.#sql('set_opt_out'), rows);
  }

  /** The wishes of this webhook no longer count. */
  async voidWebhook(webhook: number, { now, by }: StateChange): Promise<void> {
    const wishes = await this.#sql<VoidedWish>('asked_by_webhook').all(webhook);
    const event = { at: now, change: 'voided' as const, by, evidence: null, webhook };
    await this.#addEvents(wishes.map(({ id, ...wish }) => ({ ...wish, ...event, voids: id })));
    const numbers = new Map(wishes.map(({ mobile }) => [mobile, now]));
    await this.#writeDownAgain([...numbers.keys()]);
    await this.#settle(numbers);
  }

  /** Notes the deliveries of messages, each of another message. Most change nothing and cost one look-up. */
  async learn(verdicts: readonly Verdict[]): Promise<void> {
    const bad = verdicts.filter(({ effect, mobile }) => effect !== null && !isPurged(mobile));
    await runEach(this.#sql('set_failure'), bad, ({ mobile, campaign, seq, effect, at }) => [
      mobile,
      campaign,
      seq,
      effect,
      at,
    ]);
    const good = verdicts.filter(({ effect }) => effect === null);
    const refs = good.map(({ mobile, campaign, seq }) => [mobile, campaign, seq]);
    const failing = await getEach(this.#sql<Failing>('failing'), refs);
    const owns = failing.map((row) => row?.own ?? null);
    const recovered = refs.filter((_, index) => owns[index] === 1);
    await runEach(this.#sql('drop_failure'), recovered);
    const better = good.filter(
      ({ delivered }, index) => owns[index] === 1 || (owns[index] === 0 && delivered),
    );
    const numbers = new Map([...bad, ...better].map(({ mobile, at }) => [mobile, at ?? 0]));
    await this.#writeDownAgain([...numbers.keys()]);
    await this.#settle(numbers);
  }

  /** Recomputes the standing of numbers that show life, or no longer do. */
  async reconsider(mobiles: readonly string[], now: number): Promise<void> {
    const failing = await getEach(this.#sql<Failing>('failing'), mobiles, (mobile) => [mobile, 0, 0]);
    const numbers = mobiles.filter((_, index) => (failing[index]?.own ?? null) !== null);
    await this.#writeDownAgain(numbers);
    await this.#settle(new Map(numbers.map((mobile) => [mobile, now])));
  }

  async #writeDownAgain(mobiles: readonly string[]): Promise<void> {
    await runEach(this.#sql('write_down_again'), mobiles, (mobile) => [mobile]);
  }

  async #latestAt(mobiles: readonly string[]): Promise<number[]> {
    const latest = await getEach(this.#sql<{ at: number }>('latest_at'), mobiles, (mobile) => [mobile]);
    return latest.map((row) => row?.at ?? 0);
  }

  /** Makes the stored standing of numbers the one that follows from their facts. Each has the time of the change. */
  async #settle(numbers: ReadonlyMap<string, number>): Promise<void> {
    if (numbers.size === 0) return;
    const mobiles = [...numbers.keys()];
    const json = JSON.stringify(mobiles);
    const asked = byMobile(await this.#sql<OfNumber<Asked>>('asked').all(json));
    const failures = byMobile(await this.#sql<OfNumber<Failure>>('failures_of').all(json));
    const facts = mobiles.map((mobile) => ({
      mobile,
      asked: asked.get(mobile) ?? [],
      failures: failures.get(mobile) ?? [],
    }));
    const aliveAt = await this.#aliveAt(facts.filter(mayBeDead).map(({ mobile }) => mobile));
    const optOuts = await this.optOutsOf(mobiles);
    const dead = await getEach(this.#sql('is_dead'), mobiles, (mobile) => [mobile]);
    const changes = facts.map(({ mobile, ...of }, index) => {
      const standing = standingOf({ ...of, aliveAt: aliveAt.get(mobile) ?? null });
      const stored = { optOuts: optOuts.get(mobile) ?? [], isDead: dead[index] !== undefined };
      return { mobile, stored, ...changesOf(stored, standing, numbers.get(mobile) ?? 0) };
    });
    await this.#write(changes);
  }

  async #aliveAt(mobiles: readonly string[]): Promise<Map<string, number | null>> {
    const alive = this.#sql<{ at: number | null }>('alive_at');
    const found = await getEach(alive, mobiles, (mobile) => [mobile]);
    return new Map(mobiles.map((mobile, index) => [mobile, found[index]?.at ?? null]));
  }

  async #write(changes: readonly NumberChanges[]): Promise<void> {
    const dropped = changes.flatMap((each) => each.dropped.map((sender) => [each.mobile, sender]));
    await runEach(this.#sql('drop_opt_out'), dropped);
    const kept = changes.flatMap(({ mobile, kept: optOuts }) =>
      optOuts.map(({ sender, source, at, evidence }) => [mobile, sender, source, at, evidence]),
    );
    await runEach(this.#sql('set_opt_out'), kept);
    const dead = changes.flatMap(({ mobile, dead: death }) =>
      death === null ? [] : [[mobile, death.at, death.evidence]],
    );
    await runEach(this.#sql('set_dead'), dead);
    const alive = changes.filter(({ stored, dead: death }) => stored.isDead && death === null);
    await runEach(this.#sql('drop_dead'), alive, ({ mobile }) => [mobile]);
    const of = { by: 'joiner', webhook: null };
    await this.#addEvents(
      changes.flatMap(({ mobile, learned }) => learned.map((event) => ({ ...event, mobile, ...of }))),
    );
  }

  async #addEvents(events: readonly OptOutEvent[]): Promise<void> {
    const rows = events.map((event) => {
      const { at, mobile, sender, change, source, by, evidence, webhook, voids = null } = event;
      return [at, mobile, sender, change, source, by, evidence, webhook, voids];
    });
    await runEach(this.#sql('add_event'), rows);
  }
}

interface OptOutEvent {
  at: number;
  mobile: string;
  sender: string;
  change: 'added' | 'removed' | 'voided';
  source: OptOutSource;
  by: string;
  evidence: string | null;
  webhook: number | null;
  /** Of `voided`: the event that no longer counts. */
  voids?: number;
}

type NumberChanges = StandingChanges & { mobile: string; stored: StoredStanding };

/** 1: this message is one of the number's failures; null: the number has none. */
type Failing = { own: 0 | 1 | null };

interface VoidedWish {
  id: number;
  mobile: string;
  sender: string;
  source: WishSource;
}

type OfNumber<Found> = Found & { mobile: string };

function byMobile<Found>(rows: readonly OfNumber<Found>[]): Map<string, OfNumber<Found>[]> {
  return Map.groupBy(rows, ({ mobile }) => mobile);
}

/** What people ask by hand, each order an entry of the audit. */
export function optOutOperations(
  book: OptOutBook,
  campaigns: Pick<CampaignRecords, 'audit'>,
): Pick<ReplyLedger, 'addOptOuts' | 'removeOptOuts' | 'decideReply' | 'suppressed'> {
  const order = async (askings: readonly Asking[]): Promise<void> => {
    await book.ask(askings);
    await note(campaigns, askings);
  };
  return {
    async addOptOuts(entries, now) {
      let count = 0;
      for (const round of roundsOf(entries, ({ mobile }) => [mobile])) {
        const optOuts = await book.optOutsOf(round.map(({ mobile }) => mobile));
        const before = ({ mobile, sender = '' }: NewOptOut) =>
          optOuts.get(mobile)?.find((optOut) => optOut.sender === sender);
        const { again = [], anew = [] } = Object.groupBy(round, (entry) =>
          isRepeated(entry, before(entry)) ? 'again' : 'anew',
        );
        await book.sayAgain(again, now);
        await order(anew.map((entry) => askingOf(entry, now)));
        count += round.filter((entry) => before(entry) === undefined).length;
      }
      return count;
    },

    async removeOptOuts(mobiles, { now, by, evidence = null }) {
      const notable = await book.notable([...new Set(mobiles)]);
      const asking = { at: now, sender: '', source: 'operator' as const, by, evidence, webhook: null, now };
      await order(notable.map((mobile) => ({ ...asking, mobile, change: 'removed' })));
      return notable.length;
    },

    async decideReply({ reply, stop, now, by }) {
      const found = await book.inDoubt(reply);
      if (found === undefined) return false;
      const { mobile, text, addressee } = found;
      const asking = { at: now, mobile, sender: '', source: 'operator' as const, by, webhook: null, now };
      const evidence = repliedWords(text, addressee);
      await order([{ ...asking, evidence, change: stop ? 'added' : 'removed' }]);
      return true;
    },

    suppressed: operation({ durable: false }, ({ mobiles, sender }) => book.suppressed(mobiles, sender)),
  };
}

/** The evidence of a wish in a reply: `replied "STOP" to DUKA`. */
export function repliedWords(text: string, addressee: string): string {
  return `replied "${text.trim().slice(0, MAX_EVIDENCE_CHARS)}" to ${addressee}`;
}

function askingOf({ sender = '', ...entry }: NewOptOut, now: number): Asking {
  const { mobile, source, by = source, evidence } = entry;
  const asked = { at: now, mobile, sender, source, by, webhook: null, now };
  return { ...asked, change: 'added', evidence: evidence ?? null };
}

/**
 * True: a list says again what stands. An opt-out from a reply or a report can be taken back, so it does not make another
 * one needless. An opt-out from a person does not either: a START that was written before it, and is read after it, would
 * undo the earlier one.
 */
function isRepeated({ source }: NewOptOut, known: StoredOptOut | undefined): boolean {
  if (known === undefined || source !== 'import') return false;
  return known.source !== 'reply' && known.source !== 'report';
}

/** The entry of the audit; of a single number also which one, and why. */
async function note({ audit }: Pick<CampaignRecords, 'audit'>, askings: readonly Asking[]): Promise<void> {
  const [first, ...others] = askings;
  if (first === undefined || (first.source !== 'operator' && first.source !== 'import')) return;
  const { mobile, source, change, by, evidence, now } = first;
  const one = others.length === 0 ? { mobile, evidence } : {};
  const verb = change === 'added' ? 'add opt-outs' : 'remove opt-outs';
  await audit({ now, by, verb, campaign: null, detail: { numbers: askings.length, ...one, source } });
}
