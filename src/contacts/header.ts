import type { TumaError } from '../domain/errors.ts';
import { maskText } from '../domain/text/mask.ts';
import { foldName } from '../domain/text/template-fields.ts';
import { contactsInvalid, type ContactRow, type Place } from './contact-row.ts';
import { OUR_COLUMNS, REASON_COLUMN } from './line-cells.ts';
import { COLUMNS_MAX, RECORD_MAX_BYTES } from './limits.ts';

/** The names of a mobile column when the job file names none. */
export const MOBILE_NAMES = ['mobile', 'phone', 'msisdn', 'tel', 'number', 'cell'] as const;

/** The first record of a contacts file. */
export interface Header {
  /** The columns' trimmed names, without those of the rejects writer. */
  names: string[];
  /** Index of the mobile among `names`. */
  mobileColumn: number;
  /** Cells of a record, the rejects writer's included, and the index of the mobile among them. */
  width: number;
  mobileCell: number;
  /** Indexes of the kept cells; fewer than `width` in a file of the rejects writer. */
  kept: number[];
  /** Index of the rejects writer's reason cell; -1: these are no rejects. */
  reasonCell: number;
}

/** The path of a header, and the job file's `columns` (our name → header name). */
export interface HeaderSource {
  path: string;
  columns: Readonly<Record<string, string>>;
}

/** The folded names that the mobile column may have. */
export function mobileNames(columns: Readonly<Record<string, string>>): ReadonlySet<string> {
  const named = namedMobile(columns);
  return new Set<string>(named === undefined ? MOBILE_NAMES : [foldName(named)]);
}

function namedMobile(columns: Readonly<Record<string, string>>): string | undefined {
  return Object.entries(columns).find(([ours]) => foldName(ours) === 'mobile')?.[1];
}

/** Reads the header record. Throws `contacts_invalid` with the place and the possible names. */
export function readHeader(record: ContactRow, source: HeaderSource): Header {
  refuseBroken(record, source);
  const all = record.cells.map((cell) => cell.trim());
  // A delimiter at the end of every line makes one more nameless column, which nobody needs.
  while (all.length > 1 && all.at(-1) === '') all.pop();
  const kept = [...all.keys()].filter((column) => !OUR_COLUMNS.includes(foldName(all[column] ?? '')));
  const names = kept.map((column) => all[column] ?? '');
  refuseTwins(record, source, all);
  const mobileColumn = findMobile(record, source, names);
  const reasonCell = all.findIndex((name) => foldName(name) === REASON_COLUMN);
  return { names, mobileColumn, width: all.length, mobileCell: kept[mobileColumn] ?? 0, kept, reasonCell };
}

/** The error for a header that spans half of the file. */
export function headerTooLong(place: Place): TumaError {
  const hint = `It may hold at most ${RECORD_MAX_BYTES} bytes. Is this a CSV?`;
  return contactsInvalid(place, 'The header is too long.', hint);
}

function refuseBroken(record: ContactRow, { path }: HeaderSource): void {
  const place = { path, line: record.line, column: 1 };
  if (Buffer.byteLength(record.raw) > RECORD_MAX_BYTES) throw headerTooLong(place);
  if (record.problem !== null) {
    throw contactsInvalid(
      place,
      `The header cannot be read: ${record.problem.reason}.`,
      record.problem.detail,
    );
  }
  // A spreadsheet writes hundreds of blank cells after somebody formatted whole rows.
  const columns = record.cells.findLastIndex((cell) => cell.trim() !== '') + 1;
  if (columns > COLUMNS_MAX) {
    const message = `The header has ${columns} columns; at most ${COLUMNS_MAX} are read.`;
    throw contactsInvalid(place, message, 'Remove the columns that the template does not need.');
  }
}

function refuseTwins(record: ContactRow, source: HeaderSource, names: string[]): void {
  const seen = new Set<string>();
  for (const [at, name] of names.entries()) {
    if (name !== '' && seen.has(name)) {
      const message = `Two columns are called "${listNames([name])}".`;
      throw contactsInvalid(placeOf(record, source, at), message, `The header is: ${listNames(names)}.`);
    }
    seen.add(name);
  }
}

function findMobile(record: ContactRow, source: HeaderSource, names: string[]): number {
  const wanted = mobileNames(source.columns);
  const alike = [...names.keys()].filter((column) => wanted.has(foldName(names[column] ?? '')));
  // As in a template, the exactly spelled name wins among similar ones.
  const same = alike.filter((column) => names[column] === namedMobile(source.columns)?.trim());
  const found = same.length > 0 ? same : alike;
  if (found.length === 1) return found[0] ?? 0;
  const listed = `The header is: ${listNames(names)}.`;
  if (found.length === 0) {
    const message = `No column is called ${[...wanted].join(', ')}.`;
    const hint = `${listed}${notAHeader(names)} Say which one holds the numbers: columns: { mobile: NAME } in a job file; or call it mobile in the CSV.`;
    throw contactsInvalid(placeOf(record, source, 0), message, hint);
  }
  const message = `Several columns may hold the numbers: ${listNames(found.map((at) => names[at] ?? ''))}.`;
  const hint = `${listed} Say which: columns: { mobile: NAME } in the job file.`;
  throw contactsInvalid(placeOf(record, source, found[1] ?? 0), message, hint);
}

function notAHeader(names: readonly string[]): string {
  // Nobody names a column after a number.
  if (names.some((name) => maskText(name) !== name))
    return ' If that is a row, write a line above it that names the columns.';
  return names.length === 1 ? ' If that is a title, remove what stands above the header.' : '';
}

/** The place of a header cell. It is searched for, because quotation marks may stand before it. */
function placeOf(record: ContactRow, { path }: HeaderSource, column: number) {
  let at = 0;
  for (const cell of record.cells.slice(0, column)) at = record.raw.indexOf(cell, at) + cell.length;
  const name = record.cells[column] ?? '';
  return { path, line: record.line, column: record.raw.indexOf(name, at) + 1 };
}

/** The header's names for a hint, with digits covered, because a headerless file would show a number. */
function listNames(names: readonly string[]): string {
  return names.map((name) => maskText(name).slice(0, 40) || '(blank)').join(', ');
}
