import type { Connection } from '../../connection.ts';
import { askedAddress } from '../../thread/asked.ts';
import { type NumberEffect, isPurged } from '../../../domain/message.ts';
import type { StateChange, Suppression } from '../../contracts/records.ts';
import type { NewOptOut } from '../../contracts/replies.ts';
import { type Asked, type Failure, mayBeDead, type Standing, standingOf } from './opt-outs-fold.ts';
import { type Sql, loadStatements } from '../../statements.ts';
import { filterInOrder } from '../../in-order.ts';
import { operation } from '../operation.ts';

/** Numbers that must not be sent promotional messages. The claim reads the table `opt_out` itself. */

/** The kept length of a STOP as evidence. No word of a wish is longer. */
const MAX_EVIDENCE_CHARS = 40;

/** The sources that no person asked for; they follow from `failure`. */
const LEARNED = { optOut: 'report', dead: 'learned' } as const;

/** Opt-outs of one call. Time in milliseconds. */
export interface AddOptOuts {
  entries: NewOptOut[];
  now: number;
}

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

interface OptOutRow {
  sender: string;
  source: string;
  at: number;
  evidence: string | null;
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
    const found = (await this.#sql('suppressed').all(JSON.stringify(mobiles), sender)) as unknown as {
      mobile: string;
      reason: Suppression;
    }[];
    return new Map(found.map(({ mobile, reason }) => [mobile, reason]));
  }

  async isDead(mobile: string): Promise<boolean> {
    return (await this.#sql('is_dead').get(mobile)) !== undefined;
  }

  /** A reply that nobody has decided about; undefined: it is in doubt no more. */
  async inDoubt(reply: number): Promise<{ mobile: string; text: string; addressee: string } | undefined> {
    return (await this.#sql('in_doubt').get(reply)) as
      | { mobile: string; text: string; addressee: string }
      | undefined;
  }

  /** True: a reply may ask to stop, and nobody has decided. */
  async isInDoubt(mobile: string): Promise<boolean> {
    return (await this.#sql('is_in_doubt').get(mobile)) !== undefined;
  }

  async optOutsOf(mobile: string): Promise<OptOutRow[]> {
    return (await this.#sql('opt_outs_of').all(mobile)) as unknown as OptOutRow[];
  }

  /**
   * Stores a wish and its consequences. A reply counts from its arrival. An order at the keyboard comes after
   * all known events, even with other clocks. So does a STOP when known events lie in the future, because the
   * clock was ahead then.
   * A STOP also comes after a START that was stored before it but names a later time.
   */
  async ask({
    at: asked,
    mobile,
    sender,
    change,
    source,
    by,
    evidence,
    webhook,
    now,
  }: Asking): Promise<void> {
    await this.#sql('write_down_again').run(mobile);
    const latest = await this.#latestAt(mobile);
    const isLast = webhook === null || (change === 'added' && latest > now);
    const before = change === 'added' ? await this.#returnedAt(mobile, webhook) : asked;
    const at = Math.max(asked, isLast ? latest : before);
    await this.#sql('add_event').run(
      at,
      mobile,
      sender,
      change,
      source,
      by,
      evidence,
      webhook,
      null,
      askedAddress(),
    );
    await this.#settle(mobile, at);
  }

  /**
   * Notes that a list names an opted-out number again. Such a list may hold millions each week. So the
   * history gets it only when another fact about the number comes: an earlier START does not undo it.
   */
  async sayAgain(entry: NewOptOut, now: number): Promise<void> {
    const { mobile, source, sender = '', evidence = null } = entry;
    const before = (await this.optOutsOf(mobile)).map(({ at }) => at);
    const at = Math.max(now, await this.#latestAt(mobile), ...before);
    await this.#sql('set_opt_out').run(mobile, sender, source, at, evidence);
  }

  /** The wishes of this webhook no longer count. */
  async voidWebhook(webhook: number, { now, by }: StateChange): Promise<void> {
    for (const row of await this.#sql('asked_by_webhook').all(webhook)) {
      const mobile = String(row['mobile']);
      const { id = null, sender = null, source = null } = row;
      await this.#sql('add_event').run(
        now,
        mobile,
        sender,
        'voided',
        source,
        by,
        null,
        webhook,
        id,
        askedAddress(),
      );
      await this.#settle(mobile, now);
    }
  }

  /** Notes the delivery of a message. Most deliveries change nothing and cost one look-up. */
  async learn({ mobile, campaign, seq, effect, at, delivered }: Verdict): Promise<void> {
    if (effect !== null && isPurged(mobile)) return;
    if (effect !== null) await this.#sql('set_failure').run(mobile, campaign, seq, effect, at);
    else {
      if ((await this.#sql('any_failure').get(mobile)) === undefined) return;
      const dropped = (await this.#sql('drop_failure').run(mobile, campaign, seq)).changes > 0;
      if (!dropped && !delivered) return;
    }
    await this.#settle(mobile, at ?? 0);
  }

  /** Recomputes the standing of a number that shows life, or no longer does. */
  async reconsider(mobile: string, now: number): Promise<void> {
    if ((await this.#sql('any_failure').get(mobile)) !== undefined) await this.#settle(mobile, now);
  }

  async #latestAt(mobile: string): Promise<number> {
    return Number((await this.#sql('latest_at').get(mobile))?.['at']);
  }

  /** The time of the last START that was stored before this webhook; 0: none. */
  async #returnedAt(mobile: string, webhook: number | null): Promise<number> {
    return Number((await this.#sql('returned_at').get(mobile, webhook))?.['at']);
  }

  async #settle(mobile: string, now: number): Promise<void> {
    await this.#sql('write_down_again').run(mobile);
    const asked = (await this.#sql('asked').all(mobile)) as unknown as Asked[];
    const failures = (await this.#sql('failures_of').all(mobile)) as unknown as Failure[];
    const aliveAt = mayBeDead({ asked, failures }) ? await this.#aliveAt(mobile) : null;
    const standing = standingOf({ asked, failures, aliveAt });
    await this.#settleOptOuts(mobile, standing, now);
    await this.#settleDead(mobile, standing, now);
  }

  async #aliveAt(mobile: string): Promise<number | null> {
    return ((await this.#sql('alive_at').get(mobile))?.['at'] ?? null) as number | null;
  }

  async #settleOptOuts(mobile: string, { optOuts }: Standing, now: number): Promise<void> {
    const before = new Map((await this.optOutsOf(mobile)).map((row) => [row.sender, row]));
    for (const [sender, { source }] of before) {
      if (optOuts.has(sender)) continue;
      await this.#sql('drop_opt_out').run(mobile, sender);
      if (source === LEARNED.optOut) await this.#tell({ mobile, sender, source, change: 'removed', at: now });
    }
    for (const [sender, { source, at, evidence }] of optOuts) {
      await this.#sql('set_opt_out').run(mobile, sender, source, at, evidence);
      const known = before.get(sender)?.source === source;
      if (source === LEARNED.optOut && !known)
        await this.#tell({ mobile, sender, source, change: 'added', at, evidence });
    }
  }

  async #settleDead(mobile: string, { dead }: Standing, now: number): Promise<void> {
    const wasDead = await this.isDead(mobile);
    if (dead !== null) await this.#sql('set_dead').run(mobile, dead.at, dead.evidence);
    else if (wasDead) await this.#sql('drop_dead').run(mobile);
    if (wasDead === (dead !== null)) return;
    const change = wasDead ? 'removed' : 'added';
    const { at = now, evidence = null } = dead ?? {};
    await this.#tell({ mobile, sender: '', source: LEARNED.dead, change, at, evidence });
  }

  /** An event for people to read, without consequences. */
  async #tell({ mobile, sender, source, change, at, evidence = null }: Telling): Promise<void> {
    await this.#sql('add_event').run(
      at,
      mobile,
      sender,
      change,
      source,
      'joiner',
      evidence,
      null,
      null,
      null,
    );
  }
}

interface Telling {
  mobile: string;
  sender: string;
  source: string;
  change: 'added' | 'removed';
  at: number;
  evidence?: string | null;
}

/** Opt-outs (ledger/replies.ts) as operations of the thread. */
export function optOutOperations(book: OptOutBook) {
  return {
    async addOptOuts({ entries, now }: AddOptOuts): Promise<number> {
      return (await filterInOrder(entries, (entry) => add(book, entry, now))).length;
    },

    async removeOptOuts({
      mobiles,
      now,
      by,
      evidence = null,
    }: StateChange & { mobiles: string[]; evidence?: string | null }): Promise<number> {
      return (
        await filterInOrder(mobiles, async (mobile) => {
          if (
            (await book.optOutsOf(mobile)).length === 0 &&
            !(await book.isDead(mobile)) &&
            !(await book.isInDoubt(mobile))
          )
            return false;
          const asking = {
            at: now,
            mobile,
            sender: '',
            source: 'operator',
            by,
            evidence,
            webhook: null,
            now,
          };
          await book.ask({ ...asking, change: 'removed' });
          return true;
        })
      ).length;
    },

    async decideReply({
      reply,
      stop,
      now,
      by,
    }: StateChange & { reply: number; stop: boolean }): Promise<boolean> {
      const found = await book.inDoubt(reply);
      if (found === undefined) return false;
      const { mobile, text, addressee } = found;
      const asking = { at: now, mobile, sender: '', source: 'operator', by, webhook: null, now };
      await book.ask({
        ...asking,
        evidence: repliedWords(text, addressee),
        change: stop ? 'added' : 'removed',
      });
      return true;
    },

    suppressed: operation({ durable: false }, ({ mobiles, sender }: { mobiles: string[]; sender: string }) =>
      book.suppressed(mobiles, sender),
    ),
  };
}

/** The evidence of a wish in a reply: `replied "STOP" to DUKA`. */
export function repliedWords(text: string, addressee: string): string {
  return `replied "${text.trim().slice(0, MAX_EVIDENCE_CHARS)}" to ${addressee}`;
}

/**
 * An opt-out from a reply or a report can be taken back, so it does not make another one needless. An opt-out
 * from a person does not either: a START that was written before it, and is read after it, would undo the
 * earlier one.
 */
async function add(book: OptOutBook, entry: NewOptOut, now: number): Promise<boolean> {
  const { mobile, source, sender = '', evidence = null, by = source } = entry;
  const before = (await book.optOutsOf(mobile)).find((row) => row.sender === sender);
  const stands = before !== undefined && before.source !== 'reply' && before.source !== LEARNED.optOut;
  if (stands && source === 'import') await book.sayAgain(entry, now);
  else await book.ask({ at: now, mobile, sender, change: 'added', source, by, evidence, webhook: null, now });
  return before === undefined;
}
