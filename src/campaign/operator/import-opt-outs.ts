import { basename } from 'node:path';
import { type ContactsGiven, type ContactsSource, contactsSource } from '../../contacts/contacts-source.ts';
import type { SheetFacts } from '../../contacts/workbook/workbook.ts';
import { openContacts } from '../../contacts/contacts-file.ts';
import { type Reject, Rejects } from '../../contacts/rejects.ts';
import type { RejectsPlace } from '../../contacts/rejects-place.ts';
import { parseMobile } from '../../domain/numbers/mobile.ts';
import type { Suppression } from '../../domain/row-reason.ts';
import type { NewOptOut } from '../../ledger/contracts/replies.ts';
import type { Env } from '../env.ts';

/** The kind of a number that failed again and again, in a file of `optouts export`. */
const DEAD_NUMBER: Suppression = 'dead number';
/** Opt-outs handed to the ledger at once. */
const ROWS_A_CALL = 1_000;

/** A list of opted-out numbers, and the person who brings it. */
export interface OptOutImport {
  /** A CSV or a workbook with a header; the numbers stand in the column `mobile` (phone, msisdn, tel, number, cell). */
  path: string;
  /** The folder of copies, inside the home, and the standard input. */
  copies: Pick<ContactsGiven, 'folder' | 'input'>;
  /** The place of rows without a number. */
  rejectsPlace: RejectsPlace;
  country: string;
  /** The person who imports. */
  by: string;
  /** The name of the list as its person knows it; left out: the name of the file. */
  name?: string;
  /** Hears of each row without a number. */
  onReject?: (reject: RejectedLine) => void;
}

/** A row without a number. */
export interface RejectedLine {
  line: number;
  reason: string;
  detail: string;
}

/** read = added + known + dead + invalid. */
export interface ImportedOptOuts {
  read: number;
  added: number;
  /** Opted out already, in the ledger or by a line before. */
  known: number;
  /** Lines of an export that a network failed, and no person wished: each ledger learns these by itself. */
  dead: number;
  invalid: number;
  rejects: Awaited<ReturnType<Rejects['finish']>>;
  /** The sheet of a workbook that was read, the only one; null: no workbook. */
  sheet: SheetFacts['sheet'] | null;
}

/**
 * Opts out every number of a CSV, or of the first sheet of a workbook. Rows without a number go to the rejects file with their line and reason.
 * Each thousand rows are one commit, so an interrupted import is run again: known numbers stay unchanged.
 * Throws `contacts_invalid`, `not_found` and `file_unwritable`.
 */
export async function importOptOuts(
  { ledger, clock }: Pick<Env, 'ledger' | 'clock'>,
  { path, copies, rejectsPlace, country, by, name = basename(path), onReject }: OptOutImport,
): Promise<ImportedOptOuts> {
  await using source = await contactsSource({
    path,
    sheet: null,
    rows: 'all',
    placeOf: () => path,
    ...copies,
  });
  await using contacts = await openContacts({ ...source, countries: [country] });
  await using rejects = new Rejects({ place: rejectsPlace, contacts });
  const entry = { source: 'import' as const, evidence: `line of ${name}`, by };
  const [kindCell, senderCell] = exportedColumns(contacts.header);
  const counts = { read: 0, added: 0, dead: 0, invalid: 0 };
  let waiting: NewOptOut[] = [];
  const hand = async () => {
    counts.added += await ledger.addOptOuts(waiting, clock.now());
    waiting = [];
  };
  const refuse = (reject: Reject) => {
    counts.invalid += 1;
    rejects.add(reject);
    onReject?.({ ...reject, line: reject.row.line });
  };
  for await (const rows of contacts.rows()) {
    for (const row of rows) {
      if (row.cells[kindCell] === DEAD_NUMBER) {
        counts.dead += 1;
        continue;
      }
      const number = row.problem ?? parseMobile(row.cells[contacts.mobileColumn] ?? '', country);
      if ('ok' in number && number.ok)
        waiting.push({ mobile: number.mobile, ...entry, ...senderOf(row.cells[senderCell]) });
      else refuse({ row, reason: number.reason, detail: number.detail });
    }
    counts.read += rows.length;
    if (waiting.length >= ROWS_A_CALL) await hand();
  }
  await hand();
  const known = counts.read - counts.added - counts.dead - counts.invalid;
  return { ...counts, known, rejects: await rejects.finish(), sheet: sheetOf(source) };
}

function sheetOf({ workbook }: ContactsSource): ImportedOptOuts['sheet'] {
  return workbook?.sheet ?? null;
}

/** Where a file of `optouts export` has its `kind` and its `sender`; -1 in any other list. */
function exportedColumns(header: readonly string[]): [kind: number, sender: number] {
  const [kind, sender] = [header.indexOf('kind'), header.indexOf('sender')];
  return kind < 0 || sender < 0 ? [-1, -1] : [kind, sender];
}

/** An opt-out of one sender stays one. */
function senderOf(cell: string | undefined): { sender?: string } {
  return cell === undefined || cell === '' ? {} : { sender: cell };
}
