import type { DatabaseSync } from 'node:sqlite';
import type { StateChange } from '../records.ts';
import type { NewReply } from '../replies.ts';
import type { OptOutBook } from './opt-outs.ts';
import { prepareStatements, type Statements } from './statements.ts';

/** What people wrote to us, each once, with the campaign that they answer, and what they asked for. */

const STATEMENTS = ['add_reply', 'last_written', 'later_stop', 'void_replies'] as const;
/** What is kept of a STOP as evidence: the word, for a wish is never longer. */
const MAX_EVIDENCE_CHARS = 40;

interface Source {
  webhook: number;
  receivedAt: number;
  /** When it is read, perhaps again. */
  now: number;
}

/** The replies, and what they ask for. */
export class ReplyBook {
  readonly #sql: Statements<typeof STATEMENTS>;
  readonly #optOuts: OptOutBook;

  constructor(database: DatabaseSync, optOuts: OptOutBook) {
    this.#sql = prepareStatements(database, new URL('./replies.sql', import.meta.url), STATEMENTS);
    this.#optOuts = optOuts;
  }

  /** Stores a reply and honours its wish, both in this commit. One that is known already does nothing, but for a STOP again. */
  add(reply: NewReply, { webhook, receivedAt, now }: Source): void {
    const { identity, channel, recordId, mobile, addressee, text, at, detail, wish } = reply;
    const answered = this.#sql.last_written.get(mobile, receivedAt);
    const link = [answered?.['campaign'] ?? null, answered?.['seq'] ?? null];
    const said = [channel, recordId, mobile, addressee, text, at, receivedAt, JSON.stringify(detail), wish];
    const isNew = this.#sql.add_reply.get(identity, webhook, ...said, ...link) !== undefined;
    if (!isNew && !this.#isStopAgain(reply, receivedAt)) return;
    if (wish === null) this.#optOuts.reconsider(mobile, receivedAt);
    else this.#ask(reply, { webhook, receivedAt, now });
  }

  #ask(reply: NewReply, { webhook, receivedAt, now }: Source): void {
    const { mobile, addressee, text, at, wish } = reply;
    this.#optOuts.ask({
      at: this.#cameLate(reply) ? Math.min(receivedAt, at ?? receivedAt) : receivedAt,
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

  /** Without a time nobody can tell a repetition from the same word once more: a STOP after a START is one. */
  #isStopAgain({ wish, at, mobile }: NewReply, receivedAt: number): boolean {
    return wish === 'stop' && at === null && this.#optOuts.isOpenTo(mobile, receivedAt);
  }

  /** A START that is posted after a STOP that was written later: it counts from when it was written. */
  #cameLate({ wish, at, mobile }: NewReply): boolean {
    return wish === 'start' && at !== null && this.#sql.later_stop.get(mobile, at) !== undefined;
  }

  /** Takes back what a webhook said: its replies and their wishes. Answers how many replies that were. */
  void(webhook: number, change: StateChange): number {
    const replies = this.#sql.void_replies.all(webhook, change.now);
    this.#optOuts.voidWebhook(webhook, change);
    for (const { mobile = null } of replies) this.#optOuts.reconsider(String(mobile), change.now);
    return replies.length;
  }
}
