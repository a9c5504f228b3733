import { createHmac, randomBytes } from 'node:crypto';
import type { DatabaseSync } from 'node:sqlite';
import { type Sql, loadStatements } from './statements.ts';

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

  constructor(database: DatabaseSync) {
    this.#sql = loadStatements(database, new URL('./purged-reminders.sql', import.meta.url));
  }

  /** Keeps digests of a campaign's reminders, before their numbers are removed. */
  keep(campaign: number, [first, last]: [first: number, last: number]): void {
    const rows = this.#sql('to_keep').all(campaign, first, last) as unknown as (Known & { at: number })[];
    for (const { at, ...known } of rows) {
      this.#sql('keep').run(this.#digest(known), at);
      this.#sql('keep').run(this.#digest({ ...known, occurrence: null }), at);
    }
  }

  /** False: no reminder was purged. */
  areKnown(): boolean {
    return this.#sql('any').get() !== undefined;
  }

  /** True: one of the numbers (a JSON array) got this reminder after `since`, and the purge removed it. */
  has({ numbers, since, ...of }: Omit<Known, 'mobile'> & { numbers: string; since: number }): boolean {
    if (!this.areKnown()) return false;
    return (JSON.parse(numbers) as string[]).some(
      (mobile) => this.#sql('find').get(this.#digest({ ...of, mobile }), since) !== undefined,
    );
  }

  #digest({ name, mobile, key, occurrence }: Known): Buffer {
    const text = JSON.stringify([name, mobile, key, occurrence]);
    return createHmac('sha256', this.#key()).update(text).digest().subarray(0, DIGEST_BYTES);
  }

  #key(): Buffer {
    if (this.#secret !== null) return this.#secret;
    this.#sql('make_secret').run(randomBytes(32).toString('base64'));
    // Another process may have made it first.
    this.#secret = Buffer.from(String(this.#sql('secret').get()?.['value']), 'base64');
    return this.#secret;
  }
}
