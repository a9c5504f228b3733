import type { ContactRow } from '../../contacts/contact-row.ts';
import type { ContactsFile } from '../../contacts/contacts-file.ts';
import { sample } from '../../domain/plan-tally.ts';
import { maskMobile, maskText } from '../../domain/text/mask.ts';
import { reasonText, type RowReason } from '../../domain/row-reason.ts';
import { printableLine, shortened } from '../../domain/text/printable.ts';
import { openJobContacts } from '../planning/job-contacts.ts';
import { columnsOf } from '../planning/plan-job.ts';
import { type IdentityRules, keyOf, numbersOf } from '../planning/row-identity.ts';
import { isTotalRow, TOTAL_ROW } from '../planning/total-row.ts';
import { type LookedAt, provisionalJob, sourceOf } from './look-at-contacts.ts';
import type { RowsJudged } from './preparation.ts';

/** A longer list is judged by its plan, which has a process of its own. */
const MOST_ROWS = 20_000;
const MOST_EXAMPLE = 40;

/**
 * Reads all rows of a short list, before there is a text: which have a number that nobody else has, and why not the
 * others. Opt-outs and the text are the plan's. Null: the list is too long. Throws like `openContacts`.
 */
export async function judgeRows(looked: LookedAt): Promise<RowsJudged | null> {
  const loaded = await provisionalJob(looked, { keepsKey: true });
  await using source = await sourceOf(looked, loaded);
  const { countries } = looked.env.settings;
  await using contacts = await openJobContacts(loaded, { contacts: source, countries });
  const judge = new Judge({ contacts, countries: contacts.countries, ...columnsOf(loaded, contacts) });
  let read = 0;
  for await (const rows of contacts.rows()) {
    read += rows.length;
    if (read > MOST_ROWS) return null;
    for (const row of rows) judge.look(row);
  }
  const reasons = [...judge.reasons.values()].sort((a, b) => b.count - a.count);
  return { read, usable: read - reasons.reduce((sum, { count }) => sum + count, 0), reasons };
}

class Judge {
  readonly reasons = new Map<string, RowsJudged['reasons'][number]>();
  readonly #rules: IdentityRules;
  readonly #contacts: ContactsFile;
  readonly #seen = new Set<string>();

  constructor(rules: IdentityRules) {
    this.#rules = rules;
    this.#contacts = rules.contacts;
  }

  look(row: ContactRow): void {
    if (row.problem !== null) return this.#reject(row, row.problem.reason, row.raw);
    const numbers = numbersOf(row, this.#rules);
    const cell = row.cells[this.#contacts.mobileColumn] ?? '';
    if (!numbers.ok)
      return this.#reject(row, isTotalRow(row.cells) ? TOTAL_ROW.reason : numbers.reason, cell);
    const key = keyOf(row, this.#rules);
    if (!key.ok) return this.#reject(row, key.reason, '');
    const identity = JSON.stringify([numbers.mobile, key.key]);
    if (this.#seen.has(identity)) return this.#reject(row, 'duplicate', maskMobile(numbers.mobile));
    this.#seen.add(identity);
  }

  #reject({ line }: ContactRow, reason: RowReason, cell: string): void {
    const example = shortened(maskText(printableLine(cell)), MOST_EXAMPLE);
    const known = this.reasons.get(reasonText(reason)) ?? { reason, count: 0, lines: [], example };
    sample(known, line);
    this.reasons.set(reasonText(reason), known);
  }
}
