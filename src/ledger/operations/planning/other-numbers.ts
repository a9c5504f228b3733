import { type Connection, runEach } from '../../connection.ts';
import type { ReminderIdentity } from '../../contracts/schedules.ts';
import type { MessagePlace } from '../../contracts/finding.ts';
import type { PurgedReminders } from './purged-reminders.ts';
import { mapInOrder } from '../../in-order.ts';
import { type Sql, loadStatements } from '../../statements.ts';

/**
 * Contacts with several phone columns. A reminder that went to one number of a person, or may have, is not put back
 * at another one. An upload and a plan look at all numbers themselves (reminders.ts). This is for the messages that a
 * person puts back later, and for answers that are taken back. Numbers that once stood in one row are one person's.
 */

/** A message that a person put back, and the rule of its campaign. */
interface PutBack extends MessagePlace {
  now: number;
  /** 1: reminders have a key, and a key has only one date. */
  keyed: number;
}

/** A reminder, and the campaigns in which its person is looked for. */
interface Reminder extends ReminderIdentity {
  name: string;
  keyed: number;
}

/** Finds messages of the same person at other numbers. */
export class OtherNumbers {
  readonly #sql: Sql;

  constructor(database: Connection) {
    this.#sql = loadStatements(database, new URL('./other-numbers.sql', import.meta.url));
  }

  /** False: no contact of the ledger has several numbers. */
  async areKnown(): Promise<boolean> {
    return (await this.#sql('any').get()) !== undefined;
  }

  /** Adds to the other numbers of messages; `others`: a JSON array. */
  async addEach(messages: readonly (MessagePlace & { others: string })[]): Promise<void> {
    const several = messages.filter(({ others }) => others !== '[]');
    await runEach(this.#sql('add'), several, ({ campaign, seq, others }) => [campaign, seq, others]);
  }

  /** Skips a queued reminder that its person got before a purge. */
  async skipPurged({ campaign, seq, now, keyed }: PutBack, purged: PurgedReminders): Promise<boolean> {
    const { name, numbers, key, occurrence, since } = await this.#personOf({ campaign, seq });
    const about = keyed === 1 ? null : occurrence;
    if (!(await purged.has({ name, numbers, key, occurrence: about, since }))) return false;
    return (await this.#sql('skip_purged').run(campaign, seq, now)).changes > 0;
  }

  /** `numbersOf` for each of many. */
  async numbersOfEach(reminders: readonly Reminder[]): Promise<string[]> {
    if (await this.areKnown()) return await mapInOrder(reminders, (reminder) => this.numbersOf(reminder));
    return reminders.map(({ mobile, others = [] }) => JSON.stringify([mobile, ...others]));
  }

  /** JSON of the row's numbers, and of all that ever stood in one row with them for this reminder. */
  async numbersOf({ name, mobile, others = [], key, occurrence, keyed }: Reminder): Promise<string> {
    const numbers = new Set([mobile, ...others]);
    // A phone may be replaced twice, so the numbers beside each new one count, too.
    let fresh = (await this.areKnown()) ? [...numbers] : [];
    while (fresh.length > 0) {
      const rows = await this.#sql('beside').all(name, JSON.stringify(fresh), key, occurrence, keyed);
      fresh = rows.map((row) => String(row['mobile'])).filter((beside) => !numbers.has(beside));
      for (const number of fresh) numbers.add(number);
    }
    return JSON.stringify([...numbers]);
  }

  /** Skips a queued reminder that another number got or gets. `isRetry`: a rejected one counts if it is newer. */
  async skipReminded(
    { campaign, seq, now, keyed }: PutBack,
    { isRetry }: { isRetry: boolean },
  ): Promise<boolean> {
    const messages = await this.#samePerson({ campaign, seq });
    if (messages === null) return false;
    const rule = [now, keyed, isRetry ? 1 : 0];
    return (await this.#sql('skip_reminded').run(campaign, seq, messages, ...rule)).changes > 0;
  }

  /** The message to the number that the last upload gave this reminder; null: none. */
  async movedTo({ campaign, seq, now, keyed }: PutBack): Promise<{ seq: number; notBefore: number } | null> {
    const messages = await this.#samePerson({ campaign, seq });
    if (messages === null) return null;
    const moved = await this.#sql('moved_to').get(campaign, seq, messages, now, keyed);
    return (moved as { seq: number; notBefore: number } | undefined) ?? null;
  }

  /** Skips the waiting copies of a reminder that is uncertain again, and returns them. */
  async skipWaiting({ campaign, seq }: MessagePlace, now: number): Promise<MessagePlace[]> {
    const messages = await this.#samePerson({ campaign, seq });
    if (messages === null) return [];
    const skipped = await this.#sql('skip_waiting').all(campaign, seq, messages, now);
    return skipped.map((row) => ({ campaign, seq: Number(row['seq']) }));
  }

  /** JSON of messages in campaigns of the name; null: no contact of the ledger has several numbers. */
  async #samePerson({ campaign, seq }: MessagePlace): Promise<string | null> {
    if (!(await this.areKnown())) return null;
    const { name, numbers, key } = await this.#personOf({ campaign, seq });
    return String((await this.#sql('same_person').get(name, numbers, key))?.['messages']);
  }

  /** The reminder of a message, and JSON of all numbers of its person. */
  async #personOf({ campaign, seq }: MessagePlace) {
    const reminder = await this.#sql<Reminder & { since: number }>('reminder').get(campaign, seq);
    if (reminder === undefined) throw new RangeError(`there is no message ${campaign}/${seq}`);
    return { ...reminder, numbers: await this.numbersOf(reminder) };
  }
}
