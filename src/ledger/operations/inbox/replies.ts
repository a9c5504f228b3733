import type { Connection } from '../../connection.ts';
import type { StateChange } from '../../contracts/records.ts';
import type { NewReply } from '../../contracts/replies.ts';
import { type OptOutBook, repliedWords } from './opt-outs.ts';
import { type Sql, loadStatements } from '../../statements.ts';

/** Replies of people, each stored once, with the campaign that they answer and their wish. */

/** A reply that is older than a campaign's first message by this much does not answer it. */
const CLOCKS_DIFFER_MS = 60_000;

/** The arrival times of a webhook, in milliseconds. */
export interface Came {
  /** The last arrival of the same bytes, if they may be a reply. */
  receivedAt: number;
  /** The first arrival. */
  firstAt: number;
}

interface Source extends Came {
  webhook: number;
  /** The time of its reading. */
  now: number;
  /** True: it has not come again since it was read, so its wish is known. */
  isReread?: boolean;
}

/** The replies and their wishes. */
export class ReplyBook {
  readonly #sql: Sql;
  readonly #optOuts: OptOutBook;

  constructor(database: Connection, optOuts: OptOutBook) {
    this.#sql = loadStatements(database, new URL('./replies.sql', import.meta.url));
    this.#optOuts = optOuts;
  }

  /** Stores a reply and its wish in one commit. A known reply has no effect, except for another STOP. */
  async add(reply: NewReply, source: Source): Promise<void> {
    const { webhook, receivedAt } = source;
    const { identity, channel, recordId, mobile, addressee, text, at, detail, wish } = reply;
    const answered = await this.#sql('last_written').get(
      mobile,
      receivedAt,
      (at ?? receivedAt) + CLOCKS_DIFFER_MS,
    );
    const link = [answered?.['campaign'] ?? null, answered?.['seq'] ?? null];
    const said = [channel, recordId, mobile, addressee, text, at, receivedAt, JSON.stringify(detail), wish];
    const isNew = (await this.#sql('add_reply').get(identity, webhook, ...said, ...link)) !== undefined;
    if (!isNew && !(await this.#isStopAgain(reply, source))) return;
    if (wish === null || wish === 'maybe_stop') await this.#optOuts.reconsider(mobile, receivedAt);
    else await this.#ask(reply, source);
  }

  async senders(): Promise<string[]> {
    return (await this.#sql('senders').all()).map(({ sender = null }) => String(sender));
  }

  async #ask(reply: NewReply, source: Source): Promise<void> {
    const { mobile, addressee, text, wish } = reply;
    const { webhook, now } = source;
    await this.#optOuts.ask({
      at: await this.#countsFrom(reply, source),
      mobile,
      sender: '',
      change: wish === 'stop' ? 'added' : 'removed',
      source: 'reply',
      by: 'reply',
      evidence: repliedWords(text, addressee),
      webhook,
      now,
    });
  }

  /**
   * Without a time, a repeated webhook looks like a new STOP. It is stored even for an opted-out number,
   * because a START in between may be read only after it.
   */
  async #isStopAgain(
    { wish, at, mobile }: NewReply,
    { webhook, isReread = false }: Source,
  ): Promise<boolean> {
    if (wish !== 'stop' || at !== null) return false;
    return !isReread || (await this.#sql('asked_before').get(mobile, webhook)) === undefined;
  }

  /**
   * A reply counts from its first arrival, because a repeated START lets nobody back in. A STOP without a
   * time counts from its last arrival. A START that arrives after a later opt-out counts from its own time.
   */
  async #countsFrom({ wish, at, mobile }: NewReply, { receivedAt, firstAt }: Source): Promise<number> {
    if (wish === 'stop') return at === null ? receivedAt : firstAt;
    const cameLate = at !== null && (await this.#sql('later_stop').get(mobile, at)) !== undefined;
    return cameLate ? Math.min(firstAt, at) : firstAt;
  }

  /** Takes back a webhook's replies and their wishes. Returns the number of replies. */
  async void(webhook: number, change: StateChange): Promise<number> {
    const replies = await this.#sql('void_replies').all(webhook, change.now);
    await this.#optOuts.voidWebhook(webhook, change);
    for (const { mobile = null } of replies) await this.#optOuts.reconsider(String(mobile), change.now);
    return replies.length;
  }
}
