import type { Readable } from 'node:stream';
import { type ContactsFile, openContacts } from '../../contacts/contacts-file.ts';
import { contactsSource, type ContactsSource } from '../../contacts/contacts-source.ts';
import type { Encoding } from '../../contacts/encoding.ts';
import type { MobileGuess } from '../../contacts/mobile-column.ts';
import type { SheetFacts } from '../../contacts/workbook/workbook.ts';
import { hashFile } from '../../contacts/source-file.ts';
import type { CampaignHashes } from '../../domain/campaign.ts';
import { TumaError } from '../../domain/errors.ts';
import type { Job } from '../../domain/job.ts';
import type { PlanTally } from '../../domain/plan-tally.ts';
import { maskText } from '../../domain/text/mask.ts';
import type { LoadedJob } from '../jobs/load-job.ts';

/* The contacts of a job: their file, their hash, and how they are read. */

/** The contacts of a launch: the given path, or the job's own. Throws `job_invalid` when there is none. */
function contactsPathOf(loaded: LoadedJob, given: string | null): string {
  const path = given ?? loaded.contactsPath;
  if (path !== null) return path;
  throw new TumaError('job_invalid', {
    message: 'No contacts: the job file names none.',
    advice: { action: 'give_contacts', needs: 'contacts' },
    where: loaded.file,
  });
}

/** The place of copies of contacts, and the standard input. */
export interface ContactsPlace {
  folder: string;
  input: Readable;
}

/** The contacts of a launch as a CSV: the given ones, or the job's own. Throws `job_invalid` and `contacts_invalid`. */
export function contactsOf(
  loaded: LoadedJob,
  given: string | null,
  place: ContactsPlace,
): Promise<ContactsSource> {
  const path = contactsPathOf(loaded, given);
  const { sheet, rows = 'all' } = loaded.job;
  return contactsSource({ ...place, path, sheet, rows, placeOf: (key) => loaded.placeOf(key) });
}

/**
 * The identity of a launch: job file, template and contacts. Throws `job_invalid` with its place when the job
 * names missing contacts, and `not_found` when a flag does.
 */
export async function hashesOf(
  loaded: LoadedJob,
  { path, file }: Pick<ContactsSource, 'path' | 'file'>,
): Promise<CampaignHashes> {
  try {
    return { ...loaded.hashes, contacts: await hashFile(path, file) };
  } catch (error) {
    if (!(error instanceof TumaError) || error.code !== 'not_found') throw error;
    if (path !== loaded.contactsPath) throw error;
    const where = loaded.placeOf('contacts');
    const { message } = error;
    throw new TumaError('job_invalid', {
      message,
      advice: { action: 'give_contacts', needs: 'other_place' },
      where,
      cause: error,
    });
  }
}

/** The home country, and the others that the job, or else the settings, allow. */
function allowedCountries({ countries }: Job, [home = '', ...others]: readonly string[]): string[] {
  return [...new Set([home, ...(countries ?? others)])];
}

/** The contacts of a plan: a CSV, or the copy of a workbook. */
export type PlannedContacts = Pick<ContactsSource, 'path' | 'file'> & {
  workbook?: SheetFacts | null;
};

/**
 * Opens the contacts of a job. `countries` are those of the settings. `isUndecided`: a person is about to choose the
 * column of the mobiles. Throws like `openContacts`.
 */
export function openJobContacts(
  { job, placeOf }: LoadedJob,
  {
    contacts,
    countries,
    isUndecided = false,
  }: { contacts: PlannedContacts; countries: readonly string[]; isUndecided?: boolean },
): Promise<ContactsFile> {
  const placeOfColumn = (ours: string) => placeOf('columns', ours);
  return openContacts({
    path: contacts.path,
    file: contacts.file,
    workbook: contacts.workbook ?? null,
    headerLine: job.headerLine ?? null,
    columns: job.columns,
    countries: allowedCountries(job, countries),
    placeOfColumn,
    isUndecided,
  });
}

/** How the contacts were read. */
export interface ContactsRead {
  /** The header of the mobile's column, with digits covered. */
  mobile: string;
  guess: MobileGuess;
  /** Usable rows by the column of their first usable number, in the order of the job file. */
  mobiles: { column: string; rows: number }[];
  encoding: Encoding;
  /** The first cells with letters that another encoding would spoil; empty in UTF-8. Full numbers are covered. */
  samples: string[];
  /** The line of the header, and the lines of titles above it. */
  headerLine: number;
  titleLines: number;
  /** The sheet of a workbook; null: these are no workbook. */
  workbook: SheetFacts | null;
}

/** The facts about contacts after their last row. */
export function contactsRead(
  { header, mobileColumn, mobileGuess, encoding, samples, headerLine, titleLines }: ContactsFile,
  {
    others,
    tally,
    workbook,
  }: Pick<ContactsRead, 'workbook'> & { others: readonly number[]; tally: PlanTally },
): ContactsRead {
  const nameOf = (column: number) => maskText(header[column] ?? '');
  const mobiles = [mobileColumn, ...others].map((column) => {
    return { column: nameOf(column), rows: tally.mobiles.get(column) ?? 0 };
  });
  const read = { encoding, samples, headerLine, titleLines, workbook };
  return { mobile: nameOf(mobileColumn), guess: mobileGuess, mobiles, ...read };
}
