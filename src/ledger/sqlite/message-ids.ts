import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { MoneyMicro } from '../../domain/money.ts';
import { type Sql, loadStatements } from './statements.ts';

/** The message that a report belongs to. Money in millionths. */
export interface MessageRef {
  campaign: number;
  seq: number;
  /** Of an uncertain message: what is held back for it. */
  reserved?: MoneyMicro;
}

/** How many ids are handled together. */
interface Sizes {
  /** So many wait before they are sorted: of so many, several go to one page of a large index. */
  fresh: number;
  /** Of the sorted ones so many go in with one commit at least, because the claims that the sending waits for stand behind it. */
  aCommit: number;
  /** So few go in at once without holding anybody up. */
  few: number;
}

const SIZES: Sizes = { fresh: 8_192, aCommit: 512, few: 1_024 };
const ALL = Number.MAX_SAFE_INTEGER;

/**
 * Those that are sorted and go in next. They stay in `fresh_id` until all of them are in, because this table is gone with its
 * connection; with a transaction that fails it goes back as the others do. `version` is that of the ledger at the time.
 */
const SORTED_TABLE = `CREATE TEMP TABLE IF NOT EXISTS sorted_id (
  n INTEGER PRIMARY KEY, messageid TEXT NOT NULL, campaign INTEGER NOT NULL, seq INTEGER NOT NULL,
  fresh_to INTEGER NOT NULL, version INTEGER NOT NULL
) STRICT`;

/**
 * Told of an id that more than one message has: the messages of which it was not known yet, some of them twice, and perhaps
 * some of which it was.
 */
type OnRepeated = (messageId: string, messages: MessageRef[]) => void;

type Carrier = MessageRef & { messageId: string };
type Nullable<Row> = { [Column in keyof Row]: Row[Column] | null };

/** The first of the sorted ones, and what holds for all of them. */
interface Sorted {
  first: number;
  /** Up to this n they are all that was in `fresh_id`. */
  freshTo: number;
  version: number;
}

/**
 * The provider's ids, by which reports find messages. Triggers note each message that is given an id; the id itself goes
 * into the index together with many others, sorted, and at the latest when any id is looked for.
 */
export class MessageIds {
  readonly #sql: Sql;
  readonly #version: StatementSync;
  readonly #onRepeated: OnRepeated;
  readonly #sizes: Sizes;
  /** The ledger's version when this connection last had many to put in. */
  #lastVersion: number | null = null;
  /** How many waited when it was last asked whether they are quiet. */
  #lastCount = 0;

  constructor(database: DatabaseSync, onRepeated: OnRepeated, sizes: Sizes = SIZES) {
    database.exec(SORTED_TABLE);
    this.#sql = loadStatements(database, new URL('./message-ids.sql', import.meta.url));
    this.#sql('count_fresh').setReturnArrays(true);
    this.#version = database.prepare('PRAGMA data_version');
    this.#version.setReturnArrays(true);
    this.#onRepeated = onRepeated;
    this.#sizes = sizes;
  }

  /** The messages that have the id, two at most. */
  find(messageId: string): MessageRef[] {
    this.putFresh();
    return this.#withId(messageId, 2);
  }

  /** Every message that has the id. */
  findAll(messageId: string): MessageRef[] {
    this.putFresh();
    return this.#withId(messageId, -1);
  }

  /** Puts in all that wait. */
  putFresh(): void {
    if (this.#countFresh() === 0) return;
    const sorted = this.#sorted();
    if (sorted !== null) this.#put(sorted, ALL);
    const fresh = this.#sort();
    if (fresh !== null) this.#put(fresh, ALL);
  }

  /** The same, unless they are many and come so fast that `putSome` has them soon. */
  putWhenQuiet(): void {
    const count = this.#countFresh();
    const came = count - this.#lastCount;
    this.#lastCount = count;
    const { few } = this.#sizes;
    if (count <= few || (came >= 0 && came <= few)) this.putFresh();
  }

  /**
   * One step of putting in what waits, when so many do that it is worth it. `came`: how many have got their ids since the
   * last step; a step that put in fewer would never be done.
   */
  putSome(came: number): void {
    const sorted = this.#sorted();
    if (sorted !== null) return this.#put(sorted, sorted.first + Math.max(this.#sizes.aCommit, 2 * came) - 1);
    if (this.#countFresh() < this.#sizes.fresh) return;
    const version = this.#dataVersion();
    const alone = version === this.#lastVersion;
    this.#lastVersion = version;
    // Where others write, too, what was sorted would be void by the next step.
    if (alone) this.#sort();
    else this.putFresh();
  }

  /**
   * Null when none is sorted. Where another process has written since, it is dropped and sorted anew: that one may have
   * cleared `fresh_id`, and then other messages have the same n.
   */
  #sorted(): Sorted | null {
    const sorted = this.#firstSorted();
    if (sorted === null || sorted.version === this.#dataVersion()) return sorted;
    this.#sql('drop_sorted').run(ALL);
    return null;
  }

  /** Null when no fresh message has its id any more. */
  #sort(): Sorted | null {
    this.#sql('sort_fresh').run(this.#dataVersion());
    const sorted = this.#firstSorted();
    if (sorted === null) this.#sql('clear_fresh').run(ALL);
    return sorted;
  }

  /** The sorted ones up to this one go into the index. */
  #put({ freshTo }: Sorted, to: number): void {
    this.#sql('put_sorted').run(to);
    const repeated = this.#sql('repeated').all(to) as unknown as Carrier[];
    this.#sql('drop_sorted').run(to);
    if (this.#firstSorted() === null) this.#sql('clear_fresh').run(freshTo);
    for (const [messageId, fresh] of Map.groupBy(repeated, (carrier) => carrier.messageId)) {
      // One more than those is the one that had the id alone until now; of more, all have been told of before.
      this.#onRepeated(messageId, [...fresh, ...this.#withId(messageId, fresh.length + 1)]);
    }
  }

  #firstSorted(): Sorted | null {
    const { first, freshTo, version } = this.#sql('first_sorted').get() as unknown as Nullable<Sorted>;
    if (first === null || freshTo === null || version === null) return null;
    return { first, freshTo, version };
  }

  /** `count` of them, in the order of campaigns and messages; -1: all. */
  #withId(messageId: string, count: number): MessageRef[] {
    return this.#sql('with_id').all(messageId, count) as unknown as MessageRef[];
  }

  #countFresh(): number {
    const [count] = this.#sql('count_fresh').get() as unknown as [number | null];
    return count ?? 0;
  }

  /** Another one as soon as another connection has changed the ledger. */
  #dataVersion(): number {
    const [version] = this.#version.get() as unknown as [number];
    return version;
  }
}
