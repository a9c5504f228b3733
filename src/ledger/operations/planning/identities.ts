import { type Connection, runEach, type Values } from '../../connection.ts';
import { MOST_ROWS } from './batches.ts';
import type { CampaignRecords } from './campaigns.ts';
import {
  codeOf,
  FIRST_WINDOW_ROWS,
  type Identity,
  IdentityFilter,
  IdentityWindow,
  WINDOW_ROWS,
} from './identity-window.ts';
import { type Sql, loadStatements } from '../../statements.ts';

/**
 * Identities of drafts. Inserts in the order of the file would touch nearly every page of a large table with
 * each commit. That takes half of a plan's time. So a window of identities stays in memory, where duplicates
 * are found.
 * A full window is inserted in sorted order while the next one fills, the same number with each addition. The
 * schema refuses to launch a draft with a missing identity.
 */

/** The parts that every draft works with. */
interface Records extends Pick<CampaignRecords, 'lastSeq'> {
  sql: Sql;
}

/** The parts that the operations on drafts share. */
export class DraftIdentities {
  readonly #records: Records;
  readonly #windowRows: number;
  #open: OpenDraft | null = null;

  constructor(database: Connection, { lastSeq }: Pick<CampaignRecords, 'lastSeq'>, windowRows = WINDOW_ROWS) {
    this.#windowRows = windowRows;
    const sql = loadStatements(database, new URL('./identities.sql', import.meta.url));
    this.#records = { sql, lastSeq };
  }

  /** The identities of a draft that gets more messages. */
  async of(campaign: number): Promise<OpenDraft> {
    if (this.#open !== null && (await this.#open.isCurrent(campaign))) return this.#open;
    const draft = new OpenDraft(this.#records, campaign, this.#windowRows);
    await draft.begin();
    this.#open = draft;
    return draft;
  }

  /** Inserts some waiting identities. Returns true when every message of the draft has its identity. */
  async finishSome(campaign: number): Promise<boolean> {
    if (this.#open === null || !(await this.#open.isCurrent(campaign))) {
      if ((await this.#records.sql('is_complete').get(campaign)) === undefined)
        await this.#records.sql('put_missing').get(campaign);
    } else if (!(await this.#open.finishSome())) return false;
    this.#open = null;
    return true;
  }

  /** Inserts the identities of messages that are in the ledger already. */
  async putSpan(campaign: number, [first, last]: readonly [first: number, last: number]): Promise<void> {
    await this.#records.sql('put_span').run(campaign, first, last);
  }

  /** False: there were none to discard. */
  async discardSome(campaign: number): Promise<boolean> {
    this.#open = null;
    return (await this.#records.sql('discard').run(campaign, MOST_ROWS)).changes > 0;
  }
}

type SeqIdentity = Identity & { seq: number };

/** The one draft whose identities are partly in memory. */
export class OpenDraft {
  readonly #sql: Sql;
  readonly #records: Records;
  readonly #campaign: number;
  readonly #windowRows: number;
  readonly #filter = new IdentityFilter();
  #lastSeq = 0;
  #filling: IdentityWindow | null = null;
  #leaving: IdentityWindow | null = null;
  /** A transaction was undone if the ledger lacks the identity of this message. */
  #lastPut: number | null = null;

  constructor(records: Records, campaign: number, windowRows: number) {
    const { sql } = records;
    this.#sql = sql;
    this.#records = records;
    this.#windowRows = windowRows;
    this.#campaign = campaign;
  }

  /** Inserts all earlier identities of the draft, in the rare case that another plan came between. */
  async begin(): Promise<void> {
    this.#lastSeq = await this.#records.lastSeq(this.#campaign);
    if (this.#lastSeq === 0) return;
    const first = await this.#sql('put_missing').get(this.#campaign);
    if (first !== undefined) this.#lastPut = Number(first['seq']);
    let after = 0;
    while (after < this.#lastSeq) {
      const page = (await this.#sql('some_of').all(
        this.#campaign,
        after,
        MOST_ROWS,
      )) as unknown as SeqIdentity[];
      for (const identity of page) this.#filter.add(codeOf(identity));
      after = page.at(-1)?.seq ?? this.#lastSeq;
    }
  }

  get lastSeq(): number {
    return this.#lastSeq;
  }

  /** False for another draft, and when one of this draft's transactions was undone. */
  async isCurrent(campaign: number): Promise<boolean> {
    if (campaign !== this.#campaign || (await this.#records.lastSeq(campaign)) !== this.#lastSeq)
      return false;
    return this.#lastPut === null || (await this.#sql('is_put').get(campaign, this.#lastPut)) !== undefined;
  }

  /**
   * Adds the identity of the next message and returns null. For a duplicate it returns the line of the
   * earlier message. `store` is called before earlier messages are read.
   */
  async add(identity: Identity, store: () => Promise<void>): Promise<number | null> {
    const coded = codeOf(identity);
    if (this.#filter.add(coded)) {
      await store();
      const line = await this.#lineOf(identity);
      if (line !== null) return line;
    }
    if (this.#filling?.isFull === true) await this.#turn();
    this.#filling ??= new IdentityWindow(this.#lastSeq + 1, this.#nextRows());
    this.#filling.add(coded);
    this.#lastSeq += 1;
    return null;
  }

  /** Inserts up to `count` of the waiting identities, in order. Returns true when none is left. */
  async put(count: number): Promise<boolean> {
    const rows: Values[] = [];
    for (let left = count; left > 0 && this.#leaving !== null; left--) {
      const next = this.#leaving.take();
      if (next === null) {
        this.#leaving = null;
        break;
      }
      const { code, mark, seq } = next;
      // Set before the insert: when that is undone, this draft is no longer current.
      this.#lastPut = seq;
      if (mark === 0) rows.push([this.#campaign, String(code), seq]);
      else await this.#sql('put_span').run(this.#campaign, seq, seq);
    }
    await runEach(this.#sql('put'), rows);
    return this.#leaving === null;
  }

  /** Inserts some waiting identities when no more messages come. Returns true when none is left. */
  async finishSome(): Promise<boolean> {
    if (!(await this.put(MOST_ROWS))) return false;
    await this.#turn();
    return await this.put(MOST_ROWS);
  }

  async #turn(): Promise<void> {
    await this.put(Infinity);
    this.#leaving = this.#filling;
    this.#filling = null;
  }

  #nextRows(): number {
    return this.#leaving === null ? Math.min(FIRST_WINDOW_ROWS, this.#windowRows) : this.#windowRows;
  }

  async #lineOf(identity: Identity): Promise<number | null> {
    const { mobile, key, occurrence } = identity;
    const coded = codeOf(identity);
    for (const window of [this.#filling, this.#leaving]) {
      for (const seq of window?.seqsOf(coded) ?? []) {
        const found = await this.#sql('line_at').get(this.#campaign, seq, mobile, key, occurrence);
        if (found !== undefined) return Number(found['line']);
      }
    }
    const found = await this.#sql('line_of').get(this.#campaign, mobile, key, occurrence);
    return found === undefined ? null : Number(found['line']);
  }
}
