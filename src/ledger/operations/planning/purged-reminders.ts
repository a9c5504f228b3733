import { createHmac, randomBytes } from 'node:crypto';
import type { Connection } from '../../connection.ts';
import { type Sql, loadStatements } from '../../statements.ts';
import { someInOrder } from '../../in-order.ts';

/** A reminder as digests know it. */
interface Known {
  /** The name of the campaign. */
  name: string;
  mobile: string;
  key: string;
  /** Null: of any date, because the key alone says what it reminds of. */
  occurrence: string | null;
}

const DIGEST_BYTES = 16;

/**
 * What a purge keeps of reminders: digests with a secret of this ledger, which show nobody's number. So a person who
 * was reminded before the purge is not reminded of the same again.
 */
export class PurgedReminders {
  readonly #sql: Sql;

  constructor(database: Connection) {
    this.#sql = loadStatements(database, new URL('./purged-reminders.sql', import.meta.url));
  }

  /** Keeps digests of a campaign's reminders, before their numbers are removed. */
  async keep(campaign: number, [first, last]: [first: number, last: number]): Promise<void> {
    type Kept = Known & { at: number };
    const rows = await this.#sql<Kept>('to_keep').all(campaign, first, last);
    if (rows.length === 0) return;
    const secret = await this.#secret();
    for (const { at, ...known } of rows) {
      await this.#sql('keep').run(digestOf(known, secret), at);
      await this.#sql('keep').run(digestOf({ ...known, occurrence: null }, secret), at);
    }
  }

  /** False: no reminder was purged. */
  async areKnown(): Promise<boolean> {
    return (await this.#sql('any').get()) !== undefined;
  }

  /** True: one of the numbers (a JSON array) got this reminder after `since`, and the purge removed it. */
  async has({
    numbers,
    since,
    ...of
  }: Omit<Known, 'mobile'> & { numbers: string; since: number }): Promise<boolean> {
    if (!(await this.areKnown())) return false;
    const secret = await this.#secret();
    return await someInOrder(
      JSON.parse(numbers) as string[],
      async (mobile) =>
        (await this.#sql('find').get(digestOf({ ...of, mobile }, secret), since)) !== undefined,
    );
  }

  /** It is not remembered: the transaction that makes it may be undone. */
  async #secret(): Promise<Buffer> {
    await this.#sql('make_secret').run(randomBytes(32).toString('base64'));
    return Buffer.from(String((await this.#sql('secret').get())?.['value']), 'base64');
  }
}

function digestOf({ name, mobile, key, occurrence }: Known, secret: Buffer): Buffer {
  const text = JSON.stringify([name, mobile, key, occurrence]);
  return createHmac('sha256', secret).update(text).digest().subarray(0, DIGEST_BYTES);
}
