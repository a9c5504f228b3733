import type { DatabaseSync } from 'node:sqlite';
import type { MessageRef } from './joiner.ts';
import { prepareStatements, type Statements } from './statements.ts';

/** So many wait at most: sorted they go into a large index several to a page, and it takes some hundredths of a second. */
const MOST_FRESH = 8_192;

const STATEMENTS = ['count_fresh', 'put_fresh', 'repeated', 'clear_fresh', 'with_id', 'all_with_id'] as const;

/**
 * The provider's ids, by which reports find messages. Triggers note each message that is given an id; the id itself goes
 * into the index together with many others, sorted, and at the latest when any id is looked for.
 */
export class MessageIds {
  readonly #sql: Statements<typeof STATEMENTS>;
  /** Told of an id that a second message turned out to have. */
  readonly #onRepeated: (messageId: string) => void;

  constructor(database: DatabaseSync, onRepeated: (messageId: string) => void) {
    this.#sql = prepareStatements(database, new URL('./message-ids.sql', import.meta.url), STATEMENTS);
    this.#sql.count_fresh.setReturnArrays(true);
    this.#onRepeated = onRepeated;
  }

  /** The messages that have the id, two at most. */
  find(messageId: string): MessageRef[] {
    this.putFresh();
    return this.#sql.with_id.all(messageId) as unknown as MessageRef[];
  }

  /** Every message that has the id. */
  findAll(messageId: string): MessageRef[] {
    this.putFresh();
    return this.#sql.all_with_id.all(messageId) as unknown as MessageRef[];
  }

  /** Puts in what waits when it is `least` ids or more. */
  putFresh(least = 1): void {
    if (this.#countFresh() < least) return;
    this.#sql.put_fresh.run();
    const repeated = this.#sql.repeated.all().map((row) => String(row['messageid']));
    this.#sql.clear_fresh.run();
    for (const messageId of repeated) this.#onRepeated(messageId);
  }

  /** The same when so many wait that it is worth it. */
  putMany(): void {
    this.putFresh(MOST_FRESH);
  }

  #countFresh(): number {
    const [count] = this.#sql.count_fresh.get() as unknown as [number | null];
    return count ?? 0;
  }
}
