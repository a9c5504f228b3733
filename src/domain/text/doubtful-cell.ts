/** Why a cell is probably not what a person should read: a program's word for nothing, or a letter that became `?`. */
export type CellDoubt = 'nothing' | 'lost letter';

/** Words of databases, Python, JavaScript and statistics. They may also be meant, so they are no blanks. */
const NOTHING =
  /^(?:[(<[]?null[)>\]]?|\\N|-?nan|nat|<na>|n\/?a|n\.a\.|none|nil|undefined|\[object \w+\]|loading(?:\.{3}|…)|#null#|-?inf(?:inity)?)$/i;
/** A program that does not know a letter writes a question mark or U+FFFD. */
const MAY_HAVE_LOST = /[?\ufffd]/;
const LOST_LETTER =
  /\ufffd|(?<![^\s"'(,;])[\p{L}\p{M}'’.-]*\p{L}\p{M}*\?+\p{L}[\p{L}\p{M}'’.?-]*(?![^\s"'),;:!])/u;

/** The doubt about a cell that stands in a text; null: none. */
export function doubtOf(cell: string): CellDoubt | null {
  const value = cell.trim();
  if (NOTHING.test(value)) return 'nothing';
  return MAY_HAVE_LOST.test(value) && LOST_LETTER.test(value) ? 'lost letter' : null;
}
