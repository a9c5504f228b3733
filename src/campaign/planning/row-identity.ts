import type { ContactRow } from '../../contacts/contact-row.ts';
import type { ContactsFile } from '../../contacts/contacts-file.ts';
import { parseMobile } from '../../domain/numbers/mobile.ts';

/** Why a row has no number or no key that can be used. */
interface Unusable {
  ok: false;
  reason: string;
  detail: string;
}

/** The number of an allowed country: each other country has prices and rules of its own. */
export function numberOf(
  { cells }: ContactRow,
  { contacts, countries }: { contacts: ContactsFile; countries: readonly string[] },
): ReturnType<typeof parseMobile> | Unusable {
  const number = parseMobile(cells[contacts.mobileColumn] ?? '', countries[0] ?? '');
  if (!number.ok || countries.includes(number.country)) return number;
  const country = number.country || 'no country';
  const detail = `The number is of ${country}; allowed: ${countries.join(', ')} (\`countries\` in the job file, or TUMA_COUNTRIES).`;
  return { ok: false, reason: `abroad: ${country}`, detail };
}

/** The cell of the column that distinguishes messages to one number; empty: there is no such column. */
export function keyOf(
  { cells }: ContactRow,
  { contacts, keyColumn }: { contacts: ContactsFile; keyColumn: number | null },
): { ok: true; key: string } | Unusable {
  if (keyColumn === null) return { ok: true, key: '' };
  const key = (cells[keyColumn] ?? '').trim();
  if (key !== '') return { ok: true, key };
  const name = contacts.header[keyColumn] ?? 'key';
  return {
    ok: false,
    reason: `missing ${name}`,
    detail: `the key "${name}" is blank, or an error such as #N/A`,
  };
}
