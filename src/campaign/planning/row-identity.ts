import type { ContactRow } from '../../contacts/contact-row.ts';
import type { ContactsFile } from '../../contacts/contacts-file.ts';
import { parseMobile } from '../../domain/numbers/mobile.ts';
import type { RowReason } from '../../domain/row-reason.ts';
import { type DateFormat, isDayNumber, parseDate } from '../../domain/time/dates.ts';

/** Why a row has no number or no key that can be used. */
interface Unusable {
  ok: false;
  reason: RowReason;
  detail: string;
}

/** The columns that tell the messages of a campaign apart. */
export interface IdentityRules {
  contacts: ContactsFile;
  /** The countries that may be sent to; the first is that of numbers without a country. */
  countries: readonly string[];
  /** Columns with numbers beside the first one, in their order. */
  otherMobileColumns: readonly number[];
  /** The columns that distinguish messages to one number; empty: none. */
  keyColumns: readonly number[];
  /** Of reminders: the order of day and month in dates; null: not declared. Left out: a key is text only. */
  keyDates?: DateFormat | null | undefined;
}

/** The numbers of a row. `column`: that of `mobile`, which gets the message. */
interface Numbers {
  ok: true;
  mobile: string;
  country: string;
  column: number;
  /** The other usable numbers, each once. The person is the same under all of them. */
  others: string[];
}

/** The first usable number of a row, and its others. */
export function numbersOf({ cells }: ContactRow, rules: IdentityRules): Numbers | Unusable {
  const { contacts, otherMobileColumns } = rules;
  if (otherMobileColumns.length === 0) return onlyNumberOf(cells, rules);
  const columns = [contacts.mobileColumn, ...otherMobileColumns];
  const read = columns.map((column) => ({ column, ...numberOf(cells[column] ?? '', rules) }));
  const [first, ...others] = read.filter((number) => number.ok);
  if (first !== undefined) {
    const { mobile, country, column } = first;
    const rest = new Set(others.map((number) => number.mobile));
    rest.delete(mobile);
    return { ok: true, mobile, country, column, others: [...rest] };
  }
  // A blank cell is the least telling reason.
  const refused = read.filter((number) => !number.ok);
  const told = refused.find(({ column }) => (cells[column] ?? '').trim() !== '') ?? refused[0];
  const { reason = 'no number', detail = '' } = told ?? {};
  return { ok: false, reason, detail };
}

const NO_OTHERS: string[] = [];

/** Most lists have one column of numbers, and a million rows. */
function onlyNumberOf(cells: readonly string[], rules: IdentityRules): Numbers | Unusable {
  const column = rules.contacts.mobileColumn;
  const number = numberOf(cells[column] ?? '', rules);
  if (!number.ok) return { ok: false, reason: number.reason, detail: number.detail };
  return { ok: true, mobile: number.mobile, country: number.country, column, others: NO_OTHERS };
}

/** The number of an allowed country: each other country has prices and rules of its own. */
function numberOf(
  cell: string,
  { countries }: Pick<IdentityRules, 'countries'>,
): ReturnType<typeof parseMobile> | Unusable {
  const number = parseMobile(cell, countries[0] ?? '');
  if (!number.ok || countries.includes(number.country)) return number;
  const country = number.country === '' ? null : number.country;
  const detail = `The number is of ${country ?? 'no country'}; allowed: ${countries.join(', ')} (\`countries\` in the job file, or TUMA_COUNTRIES).`;
  return { ok: false, reason: { code: 'abroad', country }, detail };
}

/**
 * The key of a row: the values of its key columns; empty: there is no such column. Several are joined so that no two
 * lists of values give one key.
 */
export function keyOf({ cells }: ContactRow, rules: IdentityRules): { ok: true; key: string } | Unusable {
  const { contacts, keyColumns } = rules;
  const values: string[] = [];
  for (const column of keyColumns) {
    const value = keyValue((cells[column] ?? '').trim(), column, rules);
    if (value === '') {
      const name = contacts.header[column] ?? 'key';
      const detail = `the key "${name}" is blank, or an error such as #N/A`;
      return { ok: false, reason: { code: 'missing', field: name }, detail };
    }
    values.push(value);
  }
  return { ok: true, key: values.length > 1 ? values.map(escaped).join(' | ') : (values[0] ?? '') };
}

/** A number in full and a date in one form, so that a cell that is only written otherwise has the same key. */
function keyValue(text: string, column: number, rules: IdentityRules): string {
  const { contacts, otherMobileColumns, countries, keyDates } = rules;
  if (column === contacts.mobileColumn || otherMobileColumns.includes(column)) {
    const number = parseMobile(text, countries[0] ?? '');
    return number.ok ? number.mobile : text;
  }
  // A plain number of five digits may be an invoice as well as a day.
  if (keyDates === undefined || isDayNumber(text)) return text;
  const date = parseDate(text, keyDates);
  return date.ok ? date.date : text;
}

function escaped(value: string): string {
  return value.replaceAll(/[\\|]/g, String.raw`\$&`);
}
