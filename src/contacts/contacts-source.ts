import { createWriteStream } from 'node:fs';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { TumaError } from '../domain/errors.ts';
import { contactsInvalid } from './contact-row.ts';
import { FILE_MAX_BYTES } from './limits.ts';
import { isWorkbook, type SheetFacts, sheetToCsv } from './workbook/workbook.ts';

/** The name of standard input on the command line. */
export const STANDARD_INPUT = '-';
/** Its name in errors. */
export const SHOWN_INPUT = 'standard input';

/** Contacts as a CSV file: the given file itself, or a copy that ends with the disposal. */
export interface ContactsSource extends AsyncDisposable {
  /** The CSV to read. */
  file: string;
  /** The name in errors: the given path. */
  path: string;
  /** The sheet of a workbook; null: these are no workbook. */
  workbook: SheetFacts | null;
}

/** The given contacts, and the place of copies. */
export interface ContactsGiven {
  /** A path, or `-` for standard input. */
  path: string;
  /** The sheet of a workbook; null: the first. */
  sheet: string | null;
  /** Whether rows that the workbook hides are read. */
  rows: 'all' | 'visible';
  /** file:line:column of a key of the job file. */
  placeOf: (key: 'sheet' | 'rows') => string;
  /** The folder of copies, which goes with this process; only this user may read them. */
  folder: string;
  input: Readable;
}

/**
 * Makes a CSV of the given contacts: of a workbook by a short process, of standard input by a copy, because contacts
 * are read more than once. Throws `contacts_invalid`, and `job_invalid` for a sheet of a CSV.
 */
export async function contactsSource(given: ContactsGiven): Promise<ContactsSource> {
  const isInput = given.path === STANDARD_INPUT;
  const path = isInput ? SHOWN_INPUT : given.path;
  // A missing file is refused where it is read.
  const workbook = !isInput && (await isWorkbook(given.path).catch(ignoreUnreadable));
  if (!workbook) refuseSheetKeys(path, given);
  if (!workbook && !isInput)
    return { file: path, path, workbook: null, [Symbol.asyncDispose]: async () => undefined };
  const { file, dispose } = await copyPlace(given.folder);
  try {
    const { sheet, rows } = given;
    const facts = workbook ? await sheetToCsv({ path, target: file, sheet, rows }) : null;
    if (facts === null) await keep(given.input, file);
    return { file, path, workbook: facts, [Symbol.asyncDispose]: dispose };
  } catch (error) {
    await dispose();
    throw error;
  }
}

/** A place for a copy of contacts below `folder`, for this user only. `dispose` removes it. */
export async function copyPlace(folder: string): Promise<{ file: string; dispose: () => Promise<void> }> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const own = await mkdtemp(join(folder, 'contacts-'));
  return { file: join(own, 'contacts.csv'), dispose: () => rm(own, { recursive: true, force: true }) };
}

function ignoreUnreadable(error: unknown): false {
  if (error instanceof TumaError) throw error;
  return false;
}

/** Only a workbook has sheets, and rows that are hidden. */
function refuseSheetKeys(path: string, { sheet, rows, placeOf }: ContactsGiven): void {
  const key = sheet !== null ? 'sheet' : rows === 'visible' ? 'rows' : null;
  if (key === null) return;
  throw new TumaError('job_invalid', {
    message: `\`${key}\` is given, but ${path} is no Excel workbook (.xlsx).`,
    hint: `Remove \`${key}\`, or name a workbook.`,
    where: placeOf(key),
  });
}

async function keep(input: Readable, file: string): Promise<void> {
  await pipeline(
    input,
    async function* bounded(chunks: AsyncIterable<Buffer>) {
      let bytes = 0;
      for await (const chunk of chunks) {
        bytes += chunk.length;
        if (bytes > FILE_MAX_BYTES) throw tooLarge();
        yield chunk;
      }
    },
    createWriteStream(file, { mode: 0o600, flags: 'wx' }),
  );
}

function tooLarge(): TumaError {
  const most = FILE_MAX_BYTES / 1024 / 1024;
  const place = { path: SHOWN_INPUT, line: 1, column: 1 };
  return contactsInvalid(place, `It has more than ${most} MB.`, 'Split it into several campaigns.');
}
