import { type Connection, getEach, runEach } from '../../connection.ts';
import type { StateChange } from '../../contracts/records.ts';
import type { NewReply } from '../../contracts/replies.ts';
import { roundsOf } from '../../decide/rounds.ts';
import { type Came, countsFrom, isNewReply, isStopAgain, type KnownReply } from '../../decide/wishes.ts';
import { type Asking, type OptOutBook, repliedWords } from './opt-outs.ts';
import { type Sql, loadStatements } from '../../statements.ts';

/** Replies of people, each stored once, with the campaign that they answer and their wish. */

/** A reply that is older than a campaign's first message by this much does not answer it. */
const CLOCKS_DIFFER_MS = 60_000;

/** A reply of a webhook. Times in milliseconds. */
export interface ArrivedReply extends NewReply, Came {
  webhook: number;
  /** The time of its reading. */
  now: number;
  /** True: its webhook has not come again since it was read, so its wish is known. */
  isReread: boolean;
}

/** The replies and their wishes. */
export class ReplyBook {
  readonly #sql: Sql;
  readonly #optOuts: OptOutBook;

  constructor(database: Connection, optOuts: OptOutBook) {
    this.#sql = loadStatements(database, new URL('./replies.sql', import.meta.url));
    this.#optOuts = optOuts;
  }

  /** Stores replies and their wishes in one commit. A known reply has no effect, except for another STOP. */
  async add(replies: readonly ArrivedReply[]): Promise<void> {
    const keys = ({ identity, mobile }: NewReply) => [`identity ${identity}`, `mobile ${mobile}`];
    for (const round of roundsOf(replies, keys)) await this.#addOnce(round);
  }

  /** No two are one reply, or of one number. */
  async #addOnce(replies: readonly ArrivedReply[]): Promise<void> {
    const known = await getEach(this.#sql<KnownReply>('known_reply'), replies, ({ identity }) => [identity]);
    const fresh = replies.filter((reply, index) => isNewReply(reply, reply.webhook, known[index]));
    const again = await this.#stopsAgain(replies.filter((reply) => !fresh.includes(reply)));
    await this.#store(fresh);
    const counted = [...fresh, ...again];
    const wishes = counted.filter(({ wish }) => wish === 'stop' || wish === 'start');
    const others = counted.filter((reply) => !wishes.includes(reply));
    for (const [receivedAt, same] of Map.groupBy(others, (reply) => reply.receivedAt))
      await this.#optOuts.reconsider(
        same.map(({ mobile }) => mobile),
        receivedAt,
      );
    await this.#ask(wishes);
  }

  async #stopsAgain(replies: readonly ArrivedReply[]): Promise<ArrivedReply[]> {
    const asked = await getEach(this.#sql('asked_before'), replies, ({ mobile, webhook }) => [
      mobile,
      webhook,
    ]);
    return replies.filter((reply, index) => {
      const isAsked = asked[index] !== undefined;
      return isStopAgain(reply, { isReread: reply.isReread, isAsked });
    });
  }

  async #store(replies: readonly ArrivedReply[]): Promise<void> {
    const answered = await getEach(this.#sql('last_written'), replies, ({ mobile, receivedAt, at }) => {
      return [mobile, receivedAt, (at ?? receivedAt) + CLOCKS_DIFFER_MS];
    });
    const rows = replies.map((reply, index) => {
      const { identity, webhook, channel, recordId, mobile, addressee, text, at, receivedAt } = reply;
      const { campaign = null, seq = null } = answered[index] ?? {};
      const said = [channel, recordId, mobile, addressee, text, at, receivedAt, JSON.stringify(reply.detail)];
      return [identity, webhook, ...said, reply.wish, campaign, seq];
    });
    await runEach(this.#sql('add_reply'), rows);
  }

  async senders(): Promise<string[]> {
    return (await this.#sql<{ sender: string }>('senders').all()).map(({ sender }) => sender);
  }

  async #ask(replies: readonly ArrivedReply[]): Promise<void> {
    const late = await getEach(this.#sql('later_stop'), replies, ({ mobile, at }) => [mobile, at]);
    const askings = replies.map((reply, index): Asking => {
      const { mobile, addressee, text, wish, webhook, now } = reply;
      return {
        at: countsFrom(reply, reply, late[index] !== undefined),
        mobile,
        sender: '',
        change: wish === 'stop' ? 'added' : 'removed',
        source: 'reply',
        by: 'reply',
        evidence: repliedWords(text, addressee),
        webhook,
        now,
      };
    });
    await this.#optOuts.ask(askings);
  }

  /** Takes back a webhook's replies and their wishes. Returns the number of replies. */
  async void(webhook: number, change: StateChange): Promise<number> {
    const replies = await this.#sql<{ mobile: string }>('void_replies').all(webhook, change.now);
    await this.#optOuts.voidWebhook(webhook, change);
    const mobiles = new Set(replies.map(({ mobile }) => mobile));
    await this.#optOuts.reconsider([...mobiles], change.now);
    return replies.length;
  }
}
