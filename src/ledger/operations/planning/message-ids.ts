import type { DatabaseSync } from 'node:sqlite';
import type { Statement } from '../../connection.ts';
import type { MoneyMicro } from '../../../domain/money.ts';
import { type Sql, loadStatements } from '../../statements.ts';

/** The message that a report belongs to. Money in millionths. */
export interface MessageRef {
  campaign: number;
  seq: number;
  /** The money reserved for an uncertain message. */
  reserved?: MoneyMicro;
}

/** A message with an id of the provider. */
export interface Member extends MessageRef {
  messageId: string;
  mobile: string;
  /** The time of its claim in milliseconds; 0: nobody knows it. */
  begunAt: number;
}

/** The numbers of ids that are handled together. */
interface Sizes {
  /** This many wait before they are sorted, so that several go to one page of a large index. */
  fresh: number;
  /** The least number of sorted ids per commit. It is small, because claims wait for the commit. */
  aCommit: number;
  /** This few are inserted at once, because the delay is small. */
  few: number;
}

const SIZES: Sizes = { fresh: 8_192, aCommit: 512, few: 1_024 };
const ALL = Number.MAX_SAFE_INTEGER;

/**
 * The sorted ids that are inserted next. They also stay in `fresh_id` until all are inserted, because this
 * table ends with its connection. A failed transaction undoes both. `version` is the ledger's version at the
 * time of sorting.
 */
const SORTED_TABLE = `CREATE TEMP TABLE IF NOT EXISTS sorted_id (
  n INTEGER PRIMARY KEY, plain_id TEXT NOT NULL, messageid TEXT NOT NULL, campaign INTEGER NOT NULL,
  seq INTEGER NOT NULL, fresh_to INTEGER NOT NULL, version INTEGER NOT NULL
) STRICT`;

/** Called with new members of one family that has other members, too. A member may come twice. */
type OnRelated = (fresh: Member[]) => Promise<void>;

type Nullable<Row> = { [Column in keyof Row]: Row[Column] | null };

/** The first sorted id, and the facts of all sorted ids. */
interface Sorted {
  first: number;
  /** The sorted ids are all ids that were in `fresh_id` up to this n. */
  freshTo: number;
  version: number;
}

/**
 * The provider's ids. Reports find messages by them. A family is all messages whose ids differ only in case or
 * leading zeros. Triggers note each message that gets an id. The ids are sorted and inserted into the index
 * together, at the latest when a report looks for one.
 */
export class MessageIds {
  readonly #sql: Sql;
  readonly #version: Statement;
  readonly #onRelated: OnRelated;
  readonly #sizes: Sizes;
  /** The ledger's version when this connection last had many ids to insert. */
  #lastVersion: number | null = null;
  /** The number of waiting ids at the last call of `putWhenQuiet`. */
  #lastCount = 0;

  constructor(database: DatabaseSync, onRelated: OnRelated, sizes: Sizes = SIZES) {
    database.exec(SORTED_TABLE);
    this.#sql = loadStatements(database, new URL('./message-ids.sql', import.meta.url));
    this.#sql('count_fresh').setReturnArrays(true);
    this.#version = database.prepare('PRAGMA data_version');
    this.#version.setReturnArrays(true);
    this.#onRelated = onRelated;
    this.#sizes = sizes;
  }

  /** Of the id's family at most `count` members; -1: all. Ids that wait for the index are left out. */
  async family(messageId: string, count: number): Promise<Member[]> {
    return (await this.#sql('family').all(messageId, count)) as unknown as Member[];
  }

  /** The members of the id's family to a mobile. */
  async familyTo(messageId: string, mobile: string): Promise<Member[]> {
    return (await this.#sql('family_to').all(messageId, mobile)) as unknown as Member[];
  }

  /** Messages with exactly this id, begun until a moment: at most `count`. */
  async exact(messageId: string, count: number, begunUntil = ALL): Promise<Member[]> {
    return (await this.#sql('exact').all(messageId, begunUntil, count)) as unknown as Member[];
  }

  /** Inserts all waiting ids. */
  async putFresh(): Promise<void> {
    if ((await this.#countFresh()) === 0) return;
    const sorted = await this.#sorted();
    if (sorted !== null) await this.#put(sorted, ALL);
    const fresh = await this.#sort();
    if (fresh !== null) await this.#put(fresh, ALL);
  }

  /** Inserts all waiting ids, unless they are many and arrive so fast that `putSome` inserts them soon. */
  async putWhenQuiet(): Promise<void> {
    const count = await this.#countFresh();
    const came = count - this.#lastCount;
    this.#lastCount = count;
    const { few } = this.#sizes;
    if (count <= few || (came >= 0 && came <= few)) await this.putFresh();
  }

  /**
   * One step of inserting, when enough ids wait. `came` is the number of ids since the last step; a step must
   * insert more than that to reach the end.
   */
  async putSome(came: number): Promise<void> {
    const sorted = await this.#sorted();
    if (sorted !== null)
      return await this.#put(sorted, sorted.first + Math.max(this.#sizes.aCommit, 2 * came) - 1);
    if ((await this.#countFresh()) < this.#sizes.fresh) return;
    const version = await this.#dataVersion();
    const alone = version === this.#lastVersion;
    this.#lastVersion = version;
    // If other connections write, too, the sorted ids would be void by the next step.
    if (alone) await this.#sort();
    else await this.putFresh();
  }

  /**
   * Null: none is sorted. After a write by another process the sorted ids are dropped and sorted again. That
   * process may have cleared `fresh_id`, and then other messages have the same n.
   */
  async #sorted(): Promise<Sorted | null> {
    const sorted = await this.#firstSorted();
    if (sorted === null || sorted.version === (await this.#dataVersion())) return sorted;
    await this.#sql('drop_sorted').run(ALL);
    return null;
  }

  /** Null: no fresh message still has its id. */
  async #sort(): Promise<Sorted | null> {
    await this.#sql('sort_fresh').run(await this.#dataVersion());
    const sorted = await this.#firstSorted();
    if (sorted === null) await this.#sql('clear_fresh').run(ALL);
    return sorted;
  }

  /** Inserts the sorted ids up to `to` into the index. */
  async #put({ freshTo }: Sorted, to: number): Promise<void> {
    await this.#sql('put_sorted').run(to);
    const related = (await this.#sql('related').all(to)) as unknown as (Member & { plainId: string })[];
    await this.#sql('drop_sorted').run(to);
    if ((await this.#firstSorted()) === null) await this.#sql('clear_fresh').run(freshTo);
    for (const fresh of Map.groupBy(related, ({ plainId }) => plainId).values()) await this.#onRelated(fresh);
  }

  async #firstSorted(): Promise<Sorted | null> {
    const { first, freshTo, version } = (await this.#sql(
      'first_sorted',
    ).get()) as unknown as Nullable<Sorted>;
    if (first === null || freshTo === null || version === null) return null;
    return { first, freshTo, version };
  }

  async #countFresh(): Promise<number> {
    const [count] = (await this.#sql('count_fresh').get()) as unknown as [number | null];
    return count ?? 0;
  }

  /** Changes when another connection has changed the ledger. */
  async #dataVersion(): Promise<number> {
    const [version] = (await this.#version.get()) as unknown as [number];
    return version;
  }
}
