import type { DatabaseSync } from 'node:sqlite';
import type { StateChange } from '../records.ts';
import type { NewReply } from '../replies.ts';
import type { OptOutBook } from './opt-outs.ts';
import { type Sql, loadStatements } from './statements.ts';

/** What people wrote to us, each once, with the campaign that they answer, and what they asked for. */

/** What is kept of a STOP as evidence: no word of a wish is longer. */
const MAX_EVIDENCE_CHARS = 40;

/** When a webhook came, milliseconds. */
export interface Came {
  /** Of one that may be a reply: when the same bytes came last. */
  receivedAt: number;
  /** When they came first. */
  firstAt: number;
}

interface Source extends Came {
  webhook: number;
  /** When it is read. */
  now: number;
  /** It has not come again since it was read: what it asked for is known. */
  isReread?: boolean;
}

/** The replies, and what they ask for. */
export class ReplyBook {
  readonly #sql: Sql;
  readonly #optOuts: OptOutBook;

  constructor(database: DatabaseSync, optOuts: OptOutBook) {
    this.#sql = loadStatements(database, new URL('./replies.sql', import.meta.url));
    this.#optOuts = optOuts;
  }

  /** Stores a reply and honours its wish, both in this commit. One that is known already does nothing, but for a STOP again. */
  add(reply: NewReply, source: Source): void {
    const { webhook, receivedAt } = source;
    const { identity, channel, recordId, mobile, addressee, text, at, detail, wish } = reply;
    const answered = this.#sql('last_written').get(mobile, receivedAt);
    const link = [answered?.['campaign'] ?? null, answered?.['seq'] ?? null];
    const said = [channel, recordId, mobile, addressee, text, at, receivedAt, JSON.stringify(detail), wish];
    const isNew = this.#sql('add_reply').get(identity, webhook, ...said, ...link) !== undefined;
    if (!isNew && !this.#isStopAgain(reply, source)) return;
    if (wish === null) this.#optOuts.reconsider(mobile, receivedAt);
    else this.#ask(reply, source);
  }

  #ask(reply: NewReply, source: Source): void {
    const { mobile, addressee, text, wish } = reply;
    const { webhook, now } = source;
    this.#optOuts.ask({
      at: this.#countsFrom(reply, source),
      mobile,
      sender: '',
      change: wish === 'stop' ? 'added' : 'removed',
      source: 'reply',
      by: 'reply',
      evidence: `replied "${text.trim().slice(0, MAX_EVIDENCE_CHARS)}" to ${addressee}`,
      webhook,
      now,
    });
  }

  /**
   * Without a time nobody can tell a repetition from the same word once more. It is written down even of somebody who is
   * out: a START that came in between may be read only after it.
   */
  #isStopAgain({ wish, at, mobile }: NewReply, { webhook, isReread = false }: Source): boolean {
    if (wish !== 'stop' || at !== null) return false;
    return !isReread || this.#sql('asked_before').get(mobile, webhook) === undefined;
  }

  /**
   * Counts from when it came first, because a START that is only repeated lets nobody back in; a STOP without a time from when
   * it came last. A START that is posted after an opt-out of later than it was written counts from when it was written.
   */
  #countsFrom({ wish, at, mobile }: NewReply, { receivedAt, firstAt }: Source): number {
    if (wish === 'stop') return at === null ? receivedAt : firstAt;
    const cameLate = at !== null && this.#sql('later_stop').get(mobile, at) !== undefined;
    return cameLate ? Math.min(firstAt, at) : firstAt;
  }

  /** Takes back what a webhook said: its replies and their wishes. Returns how many replies that were. */
  void(webhook: number, change: StateChange): number {
    const replies = this.#sql('void_replies').all(webhook, change.now);
    this.#optOuts.voidWebhook(webhook, change);
    for (const { mobile = null } of replies) this.#optOuts.reconsider(String(mobile), change.now);
    return replies.length;
  }
}
