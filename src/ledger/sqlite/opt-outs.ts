import type { DatabaseSync } from 'node:sqlite';
import { type NumberEffect, isPurged } from '../../domain/message.ts';
import type { StateChange, Suppression } from '../records.ts';
import type { NewOptOut } from '../replies.ts';
import { type Asked, type Failure, type Standing, standingOf } from './opt-outs-fold.ts';
import { type Sql, loadStatements } from './statements.ts';

/** Numbers that must not be sent promotional messages. The claim reads the table `opt_out` itself. */

/** What nobody asks for: these are worked out from `failure`. */
const LEARNED = { optOut: 'report', dead: 'learned' } as const;

/** Opt-outs that come together. Time in milliseconds. */
export interface AddOptOuts {
  entries: NewOptOut[];
  now: number;
}

/** Something that was asked for, with what asked for it. */
export interface Asking extends Omit<Asked, 'evidence'> {
  mobile: string;
  by: string;
  evidence: string | null;
  webhook: number | null;
  /** Of the clock of this process. */
  now: number;
}

/** What the delivery of a message says of its number now. */
export interface Verdict {
  mobile: string;
  campaign: number;
  seq: number;
  /** Null: nothing against it. */
  effect: NumberEffect | null;
  /** When the report came. */
  at: number | null;
  delivered: boolean;
}

interface OptOutRow {
  sender: string;
  source: string;
  at: number;
  evidence: string | null;
}

/** The history of opt-outs and what follows from it, over one connection. */
export class OptOutBook {
  readonly #sql: Sql;

  constructor(database: DatabaseSync) {
    this.#sql = loadStatements(database, new URL('./opt-outs.sql', import.meta.url));
  }

  /** Those of the numbers that must not be written to, and why. */
  suppressed(mobiles: readonly string[], sender: string): Map<string, Suppression> {
    if (this.#sql('anyone').get() === undefined) return new Map();
    const found = this.#sql('suppressed').all(JSON.stringify(mobiles), sender) as unknown as {
      mobile: string;
      reason: Suppression;
    }[];
    return new Map(found.map(({ mobile, reason }) => [mobile, reason]));
  }

  isDead(mobile: string): boolean {
    return this.#sql('is_dead').get(mobile) !== undefined;
  }

  optOutsOf(mobile: string): OptOutRow[] {
    return this.#sql('opt_outs_of').all(mobile) as unknown as OptOutRow[];
  }

  /**
   * Writes down what was asked for, and what follows. A reply counts from when it came; what a person at the keyboard
   * says comes after all that is known, whatever the clocks of other machines said, and so does a STOP where something is
   * known from a time that is still to come: the clock was ahead then. It may have been, too, when a START came that was
   * stored before the STOP and says that it is of later.
   */
  ask({ at: asked, mobile, sender, change, source, by, evidence, webhook, now }: Asking): void {
    this.#sql('write_down_again').run(mobile);
    const latest = this.#latestAt(mobile);
    const isLast = webhook === null || (change === 'added' && latest > now);
    const before = change === 'added' ? this.#returnedAt(mobile, webhook) : asked;
    const at = Math.max(asked, isLast ? latest : before);
    this.#sql('add_event').run(at, mobile, sender, change, source, by, evidence, webhook, null);
    this.#settle(mobile, at);
  }

  /**
   * Notes that a list names a number again which is out already. A list may hold millions of them each week, so the history has
   * it only when something else becomes known of the number: a START that was written before does not undo it.
   */
  sayAgain(entry: NewOptOut, now: number): void {
    const { mobile, source, sender = '', evidence = null } = entry;
    const before = this.optOutsOf(mobile).map(({ at }) => at);
    const at = Math.max(now, this.#latestAt(mobile), ...before);
    this.#sql('set_opt_out').run(mobile, sender, source, at, evidence);
  }

  /** What a webhook asked for no longer counts. */
  voidWebhook(webhook: number, { now, by }: StateChange): void {
    for (const row of this.#sql('asked_by_webhook').all(webhook)) {
      const mobile = String(row['mobile']);
      const { id = null, sender = null, source = null } = row;
      this.#sql('add_event').run(now, mobile, sender, 'voided', source, by, null, webhook, id);
      this.#settle(mobile, now);
    }
  }

  /** Takes in what became of a message. Of most it says nothing, and costs one look. */
  learn({ mobile, campaign, seq, effect, at, delivered }: Verdict): void {
    if (effect !== null && isPurged(mobile)) return;
    if (effect !== null) this.#sql('set_failure').run(mobile, campaign, seq, effect, at);
    else {
      if (this.#sql('any_failure').get(mobile) === undefined) return;
      const dropped = this.#sql('drop_failure').run(mobile, campaign, seq).changes > 0;
      if (!dropped && !delivered) return;
    }
    this.#settle(mobile, at ?? 0);
  }

  /** Works out anew what holds for a number that lives, or does not any more. */
  reconsider(mobile: string, now: number): void {
    if (this.#sql('any_failure').get(mobile) !== undefined) this.#settle(mobile, now);
  }

  #latestAt(mobile: string): number {
    return Number(this.#sql('latest_at').get(mobile)?.['at']);
  }

  /** Of the last START that was stored before this webhook; 0: of none. */
  #returnedAt(mobile: string, webhook: number | null): number {
    return Number(this.#sql('returned_at').get(mobile, webhook)?.['at']);
  }

  #settle(mobile: string, now: number): void {
    this.#sql('write_down_again').run(mobile);
    const standing = standingOf({
      asked: this.#sql('asked').all(mobile) as unknown as Asked[],
      failures: this.#sql('failures_of').all(mobile) as unknown as Failure[],
      aliveAt: () => (this.#sql('alive_at').get(mobile)?.['at'] ?? null) as number | null,
    });
    this.#settleOptOuts(mobile, standing, now);
    this.#settleDead(mobile, standing, now);
  }

  #settleOptOuts(mobile: string, { optOuts }: Standing, now: number): void {
    const before = new Map(this.optOutsOf(mobile).map((row) => [row.sender, row]));
    for (const [sender, { source }] of before) {
      if (optOuts.has(sender)) continue;
      this.#sql('drop_opt_out').run(mobile, sender);
      if (source === LEARNED.optOut) this.#tell({ mobile, sender, source, change: 'removed', at: now });
    }
    for (const [sender, { source, at, evidence }] of optOuts) {
      this.#sql('set_opt_out').run(mobile, sender, source, at, evidence);
      const known = before.get(sender)?.source === source;
      if (source === LEARNED.optOut && !known)
        this.#tell({ mobile, sender, source, change: 'added', at, evidence });
    }
  }

  #settleDead(mobile: string, { dead }: Standing, now: number): void {
    const wasDead = this.isDead(mobile);
    if (dead !== null) this.#sql('set_dead').run(mobile, dead.at, dead.evidence);
    else if (wasDead) this.#sql('drop_dead').run(mobile);
    if (wasDead === (dead !== null)) return;
    const change = wasDead ? 'removed' : 'added';
    const { at = now, evidence = null } = dead ?? {};
    this.#tell({ mobile, sender: '', source: LEARNED.dead, change, at, evidence });
  }

  /** An event for people to read; nothing follows from it. */
  #tell({ mobile, sender, source, change, at, evidence = null }: Telling): void {
    this.#sql('add_event').run(at, mobile, sender, change, source, 'joiner', evidence, null, null);
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
    addOptOuts({ entries, now }: AddOptOuts): number {
      return entries.filter((entry) => add(book, entry, now)).length;
    },

    removeOptOuts({ mobiles, now, by }: StateChange & { mobiles: string[] }): number {
      return mobiles.filter((mobile) => {
        if (book.optOutsOf(mobile).length === 0 && !book.isDead(mobile)) return false;
        const asking = {
          at: now,
          mobile,
          sender: '',
          source: 'operator',
          by,
          evidence: null,
          webhook: null,
          now,
        };
        book.ask({ ...asking, change: 'removed' });
        return true;
      }).length;
    },

    suppressed: ({ mobiles, sender }: { mobiles: string[]; sender: string }) =>
      book.suppressed(mobiles, sender),
  };
}

/**
 * What a reply or a report said can be taken back, so that such an opt-out does not make another one needless. Nor does any other:
 * a START that was written before what is said now, and is read after it, would undo the earlier one.
 */
function add(book: OptOutBook, entry: NewOptOut, now: number): boolean {
  const { mobile, source, sender = '', evidence = null, by = source } = entry;
  const before = book.optOutsOf(mobile).find((row) => row.sender === sender);
  const stands = before !== undefined && before.source !== 'reply' && before.source !== LEARNED.optOut;
  if (stands && source === 'import') book.sayAgain(entry, now);
  else book.ask({ at: now, mobile, sender, change: 'added', source, by, evidence, webhook: null, now });
  return before === undefined;
}
