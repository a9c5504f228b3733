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
  #secret: Buffer | null = null;

  constructor(database: Connection) {
    this.#sql = loadStatements(database, new URL('./purged-reminders.sql', import.meta.url));
  }

  /** Keeps digests of a campaign's reminders, before their numbers are removed. */
  async keep(campaign: number, [first, last]: [first: number, last: number]): Promise<void> {
    const rows = (await this.#sql('to_keep').all(campaign, first, last)) as unknown as (Known & {
      at: number;
    })[];
    for (const { at, ...known } of rows) {
      await this.#sql('keep').run(await this.#digest(known), at);
      await this.#sql('keep').run(await this.#digest({ ...known, occurrence: null }), at);
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
    return await someInOrder(
      JSON.parse(numbers) as string[],
      async (mobile) =>
        (await this.#sql('find').get(await this.#digest({ ...of, mobile }), since)) !== undefined,
    );
  }

  async #digest({ name, mobile, key, occurrence }: Known): Promise<Buffer> {
    const text = JSON.stringify([name, mobile, key, occurrence]);
    return createHmac('sha256', await this.#key())
      .update(text)
      .digest()
      .subarray(0, DIGEST_BYTES);
  }

  async #key(): Promise<Buffer> {
    if (this.#secret !== null) return this.#secret;
    await this.#sql('make_secret').run(randomBytes(32).toString('base64'));
    // Another process may have made it first.
    this.#secret = Buffer.from(String((await this.#sql('secret').get())?.['value']), 'base64');
    return this.#secret;
  }
}
