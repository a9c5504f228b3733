import { TumaError } from '../domain/errors.ts';
import { didYouMean } from '../domain/text/did-you-mean.ts';
import { maskText } from '../domain/text/mask.ts';
import { foldName } from '../domain/text/template-fields.ts';
import { contactsInvalid, type ContactRow, type Place } from './contact-row.ts';
import { OUR_COLUMNS, REASON_COLUMN } from './line-cells.ts';
import { COLUMNS_MAX, RECORD_MAX_BYTES } from './limits.ts';
import { isMobileName, mobileColumns, type MobileGuess } from './mobile-column.ts';

/** The first record of a contacts file. */
export interface Header {
  /** The columns' trimmed names, without those of the rejects writer. */
  names: string[];
  /** Index of the mobile among `names`, and how it was found; -1: a person must choose it (`isUndecided`). */
  mobileColumn: number;
  mobileGuess: MobileGuess;
  /** Cells of a record, the rejects writer's included, and the index of the mobile among them. */
  width: number;
  mobileCell: number;
  /** Indexes of the kept cells; fewer than `width` in a file of the rejects writer. */
  kept: number[];
  /** Index of the rejects writer's reason cell; -1: these are no rejects. */
  reasonCell: number;
}

/** The path of a header, the job file's `columns` (our name → header name), and the first rows. */
export interface HeaderSource {
  path: string;
  columns: Readonly<Record<string, string>>;
  /** Their cells, aligned to the record of the header. */
  rows: readonly (readonly string[])[];
  /** The countries whose mobiles count (ISO 3166); the first is that of numbers without a country. */
  countries: readonly string[];
  /** file:line:column of a key of `columns` in the job file; left out: there is no job file. */
  placeOfColumn?: ((ours: string) => string) | undefined;
  /** True: a person is about to choose the column of the mobiles, so a header without a sure one is read all the same. */
  isUndecided?: boolean | undefined;
}

/** The mobile of a header whose column a person must choose first. */
const UNDECIDED: MobileGuess = { column: -1, by: 'cells', numbers: 0, of: 0 };

/** The key of `columns` that means the mobile, and its header; null: none. */
function namedMobile(columns: Readonly<Record<string, string>>): [ours: string, header: string] | null {
  return Object.entries(columns).find(([ours]) => foldName(ours) === 'mobile') ?? null;
}

/** Whether a cell may be the header of the mobile column. */
export function mayNameMobile(columns: Readonly<Record<string, string>>): (cell: string) => boolean {
  const named = namedMobile(columns)?.[1];
  return named === undefined ? isMobileName : (cell) => foldName(cell) === foldName(named);
}

/** Reads the header record. Throws `contacts_invalid` with the place and the possible names. */
export function readHeader(record: ContactRow, source: HeaderSource): Header {
  refuseBroken(record, source);
  const all = record.cells.map((cell) => cell.trim().normalize('NFC'));
  // A delimiter at the end of every line makes one more nameless column, which nobody needs.
  while (all.length > 1 && all.at(-1) === '') all.pop();
  const kept = [...all.keys()].filter((column) => !OUR_COLUMNS.includes(foldName(all[column] ?? '')));
  const names = kept.map((column) => all[column] ?? '');
  refuseTwins(record, source, all);
  const rows = source.rows.map((cells) => kept.map((column) => cells[column] ?? ''));
  const mobileGuess = findMobile(record, { ...source, rows }, names);
  const mobileColumn = mobileGuess.column;
  const reasonCell = all.findIndex((name) => foldName(name) === REASON_COLUMN);
  return {
    names,
    mobileColumn,
    mobileGuess,
    width: all.length,
    mobileCell: kept[mobileColumn] ?? 0,
    kept,
    reasonCell,
  };
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
  const seen = new Map<string, string>();
  for (const [at, name] of names.entries()) {
    const before = seen.get(foldName(name));
    if (name !== '' && before !== undefined) {
      const message =
        before === name
          ? `Two columns are called "${listNames([name])}".`
          : `Two columns differ only in case or blanks: "${listNames([before])}" and "${listNames([name])}".`;
      const hint = `Rename one of them. The header is: ${listNames(names)}.`;
      throw contactsInvalid(placeOf(record, source, at), message, hint);
    }
    seen.set(foldName(name), name);
  }
}

function findMobile(record: ContactRow, source: HeaderSource, names: string[]): MobileGuess {
  const named = namedMobile(source.columns);
  const { rows, countries } = source;
  const found = mobileColumns({ names, rows, countries, named: named?.[1] ?? null });
  if (source.isUndecided === true && found.length !== 1 && !names.some(isNumber)) return UNDECIDED;
  return onlyMobile(record, source, { names, found });
}

function onlyMobile(
  record: ContactRow,
  source: HeaderSource,
  { names, found }: { names: string[]; found: MobileGuess[] },
): MobileGuess {
  const named = namedMobile(source.columns);
  const [first, second] = found;
  if (first === undefined && named !== null) throw notThere(named, source, names);
  // Without a header the first row would be taken for one.
  const headless = first?.by === 'cells' && names.some(isNumber);
  if (first === undefined || headless) throw noMobile(record, source, names);
  if (second === undefined) return first;
  throw severalMobiles(placeOf(record, source, second.column), found, names);
}

function severalMobiles(place: Place, found: MobileGuess[], names: string[]): TumaError {
  const either = found.map(({ column }) => maskText(names[column] ?? ''));
  const message = `Several columns may hold the numbers: ${either.join(', ')}.`;
  const hint = `Say which one in the job file, for example: columns: { mobile: ${quoted(either[0] ?? '')} }`;
  return contactsInvalid(place, message, hint);
}

function noMobile(record: ContactRow, source: HeaderSource, names: string[]): TumaError {
  const message = 'No column is known to hold the numbers: neither by its name nor by its cells.';
  const hint = `The header is: ${listNames(names)}.${notAHeader(names)} Say which one holds the numbers: columns: { mobile: NAME } in a job file; or call it mobile in the CSV.`;
  return contactsInvalid(placeOf(record, source, 0), message, hint);
}

/** The job file names a column that the file lacks: the place is the job file's. */
function notThere([ours, header]: [string, string], source: HeaderSource, names: string[]): TumaError {
  const near = didYouMean(header, names);
  const listed = `The header is: ${listNames(names)}.`;
  const where = source.placeOfColumn?.(ours);
  return new TumaError(where === undefined ? 'contacts_invalid' : 'job_invalid', {
    message: `\`columns.${ours}: ${header}\` is no column of ${source.path}.`,
    hint: near === null ? listed : `Did you mean ${maskText(near)}? ${listed}`,
    where: where ?? `${source.path}:1:1`,
  });
}

/** A name as it stands in a YAML map. */
function quoted(name: string): string {
  return /^[\p{L}\p{N}][\p{L}\p{N} _.-]*$/u.test(name) ? name : JSON.stringify(name);
}

/** Nobody names a column after a number. */
function isNumber(name: string): boolean {
  return maskText(name) !== name;
}

function notAHeader(names: readonly string[]): string {
  if (names.some(isNumber)) return ' If that is a row, write a line above it that names the columns.';
  return names.length === 1
    ? ' If that is a title, say in a job file on which line the header is: header: 3.'
    : '';
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
