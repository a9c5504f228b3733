import { foldName } from '../domain/text/template-fields.ts';
import { parseMobile } from '../domain/numbers/mobile.ts';

/* The column of the mobiles: named by the job file, known by its header, or known by its cells. */

/** Headers of a mobile column in English and Swahili: letters only, in small letters. */
const NAMES = new Set(
  (
    'mobile mobileno mobilenumber mobilenumbers mobilephone mobilephoneno mobilephonenumber phone phoneno ' +
    'phonenumber phonenumbers phonecontact telephone telephoneno telephonenumber tel telno telnumber cell cellno ' +
    'cellnumber cellphone cellphoneno cellphonenumber msisdn contact contactno contactnumber contactphone ' +
    'contactmobile contacts number numbers whatsapp whatsappno whatsappnumber sms smsno smsnumber gsm ' +
    'customerphone customermobile clientphone clientmobile parentphone guardianphone ' +
    'simu simuno nambayasimu nambazasimu nambasimu simuyamkononi nambayasimuyamkononi namba nambari ' +
    'nambariyasimu nambarizasimu rununu nambariyarununu mawasiliano'
  ).split(' '),
);
/** Rows whose cells are looked at. */
const SAMPLE_ROWS = 1_000;
/** The share of numbers by which cells alone make a column the mobile. */
const ENOUGH = 0.9;

/** A column, and how many of the sampled cells are mobiles of an allowed country. Blank cells do not count. */
export interface MobileGuess {
  column: number;
  by: 'job' | 'header' | 'cells';
  numbers: number;
  of: number;
}

/** The header's names, the first rows, and the countries whose mobiles count; the first is the home country. */
export interface MobileSearch {
  names: readonly string[];
  rows: readonly (readonly string[])[];
  countries: readonly string[];
  /** The job file's name of the column; null: it names none. */
  named: string | null;
}

/** The possible mobile columns: one is the answer, none or several need a person. */
export function mobileColumns(search: MobileSearch): MobileGuess[] {
  const { names, named } = search;
  const columns = [...names.keys()];
  if (named !== null) {
    const alike = columns.filter((column) => foldName(names[column] ?? '') === foldName(named));
    return alike.map((column) => judge(search, column, 'job'));
  }
  const byName = columns
    .filter((column) => isMobileName(names[column] ?? ''))
    .map((column) => judge(search, column, 'header'));
  if (byName.length === 1) return byName;
  const judged = byName.length > 0 ? byName : columns.map((column) => judge(search, column, 'cells'));
  const full = judged.filter(({ numbers, of }) => of > 0 && numbers >= of * ENOUGH);
  // Of several known headers, such as `Contact` and `Phone`, one may hold the names of people.
  return full.length === 0 ? byName : full;
}

/** Whether a header is a known name of a mobile column. */
export function isMobileName(header: string): boolean {
  return NAMES.has(
    header
      .normalize('NFKD')
      .toLowerCase()
      .replaceAll(/[^\p{L}]/gu, ''),
  );
}

function judge({ rows, countries }: MobileSearch, column: number, by: MobileGuess['by']): MobileGuess {
  const cells = rows
    .slice(0, SAMPLE_ROWS)
    .map((row) => row[column] ?? '')
    .filter((cell) => cell.trim() !== '');
  const numbers = cells.filter((cell) => isAllowedMobile(cell, countries)).length;
  return { column, by, numbers, of: cells.length };
}

function isAllowedMobile(cell: string, countries: readonly string[]): boolean {
  const number = parseMobile(cell, countries[0] ?? '');
  return number.ok && countries.includes(number.country);
}
