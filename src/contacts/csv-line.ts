import { stringify } from 'csv-stringify/sync';

/** Where the rejects writer says why a row got no message. */
export const REASON_COLUMN = 'tuma_reason';
/** The columns that the rejects writer adds, in this order, and that reading leaves out. */
export const OUR_COLUMNS: readonly string[] = ['tuma_line', REASON_COLUMN, 'tuma_detail'];

/** Reading trims cells without quotation marks, so blanks around a value need them. */
const BLANK_AROUND = /^\s|\s$/;

/** Writes cells as one record without a line ending; quotation marks only where they are needed. */
export function toCsvLine(cells: readonly string[], delimiter: string): string {
  return stringify([[...cells]], { delimiter, eof: false, quoted_match: BLANK_AROUND });
}
