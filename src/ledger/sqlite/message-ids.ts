import type { DatabaseSync } from 'node:sqlite';
import type { MessageRef } from './joiner.ts';
import { prepareStatements, type Statements } from './statements.ts';

/** So many wait at most: sorted they go into a large index several to a page, and it takes some hundredths of a second. */
const MOST_FRESH = 8_192;

const STATEMENTS = ['count_fresh', 'put_fresh', 'repeated', 'clear_fresh', 'with_id'] as const;

/**
 * Told of an id that more than one message has: the messages of which it was not known yet, some of them twice, and perhaps
 * some of which it was.
 */
type OnRepeated = (messageId: string, messages: MessageRef[]) => void;

type Carrier = MessageRef & { messageId: string };

/**
 * The provider's ids, by which reports find messages. Triggers note each message that is given an id; the id itself goes
 * into the index together with many others, sorted, and at the latest when any id is looked for.
 */
export class MessageIds {
  readonly #sql: Statements<typeof STATEMENTS>;
  readonly #onRepeated: OnRepeated;

  constructor(database: DatabaseSync, onRepeated: OnRepeated) {
    this.#sql = prepareStatements(database, new URL('./message-ids.sql', import.meta.url), STATEMENTS);
    this.#sql.count_fresh.setReturnArrays(true);
    this.#onRepeated = onRepeated;
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

  /** Puts in what waits when it is `least` ids or more. */
  putFresh(least = 1): void {
    if (this.#countFresh() < least) return;
    this.#sql.put_fresh.run();
    const repeated = this.#sql.repeated.all() as unknown as Carrier[];
    this.#sql.clear_fresh.run();
    for (const [messageId, fresh] of Map.groupBy(repeated, (carrier) => carrier.messageId)) {
      // One more than those is the one that had the id alone until now; of more, all have been told of before.
      this.#onRepeated(messageId, [...fresh, ...this.#withId(messageId, fresh.length + 1)]);
    }
  }

  /** The same when so many wait that it is worth it. */
  putMany(): void {
    this.putFresh(MOST_FRESH);
  }

  /** `count` of them, in the order of campaigns and messages; -1: all. */
  #withId(messageId: string, count: number): MessageRef[] {
    return this.#sql.with_id.all(messageId, count) as unknown as MessageRef[];
  }

  #countFresh(): number {
    const [count] = this.#sql.count_fresh.get() as unknown as [number | null];
    return count ?? 0;
  }
}
