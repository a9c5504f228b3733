import { unneutralised } from '../../domain/text/printable.ts';
import { foldName } from '../../domain/text/template-fields.ts';
import type { Suppression } from '../../ledger/records.ts';
import type { OptOutRow } from '../../ledger/replies.ts';

/* The file of `optouts export`: how a row is written, and how an import reads it back. */

/** Each column and what stands in it. */
const COLUMNS = {
  mobile: ({ mobile }) => mobile,
  kind: ({ kind }) => kind,
  sender: ({ sender }) => sender,
  source: ({ source }) => source,
  since: ({ at }) => new Date(at).toISOString(),
  evidence: ({ evidence }) => evidence,
} satisfies Record<string, (row: OptOutRow) => string | null>;

const OPTED_OUT: Suppression = 'opted out';
const DEAD: Suppression = 'dead number';

/** The header of the file. */
export const EXPORTED_COLUMNS: readonly string[] = Object.keys(COLUMNS);

/** A row of the file, in the order of the header. */
export function exportedCells(row: OptOutRow): (string | null)[] {
  return Object.values(COLUMNS).map((cell) => cell(row));
}

/** What a row says beside its number. */
export interface ExportedRow {
  /** It was learned there that nobody has the number, which is no wish of anybody. */
  dead: boolean;
  /** Empty: every sender. */
  sender: string;
}

/**
 * The reader of such a file's rows, whatever a spreadsheet made of the names, their order and the other columns; null: the
 * file is no export. Where a row's kind is of neither sort its sender is not believed: an opt-out of all is the safe one.
 */
export function exportedReader(
  header: readonly string[],
): ((cells: readonly string[]) => ExportedRow) | null {
  const kindAt = placeOf('kind', header);
  const senderAt = placeOf('sender', header);
  if (kindAt < 0 || senderAt < 0) return null;
  return (cells) => {
    const kind = (cells[kindAt] ?? '').trim().toLowerCase();
    const sender = unneutralised((cells[senderAt] ?? '').trim());
    return { dead: kind === DEAD, sender: kind === OPTED_OUT ? sender : '' };
  };
}

function placeOf(column: keyof typeof COLUMNS, header: readonly string[]): number {
  return header.findIndex((name) => foldName(name) === column);
}
