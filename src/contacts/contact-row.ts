import { TumaError } from '../domain/errors.ts';
import type { RecordReason } from '../domain/row-reason.ts';

/** The problem of a row. */
export interface RowProblem {
  reason: RecordReason;
  /** One sentence for a person; never holds a value of the row. */
  detail: string;
}

/** One record of a contacts file. */
export interface ContactRow {
  /** Physical line, 1-based, on which the record starts. */
  line: number;
  /**
   * Their values (cell-value.ts), aligned to the header, without blanks around unquoted cells; all cells when
   * `problem` is set.
   */
  cells: string[];
  /** The record's exact text, without line ending and `tuma_…` cells; cut when it is too long. */
  raw: string;
  /** null: the row can be used. */
  problem: RowProblem | null;
  /** In a workbook: the cells as a person sees them, where some differ from `cells`; left out: none does. */
  shown?: string[];
  /** In a file of the rejects writer: the reason cell, as it reads now. */
  reasonBefore?: string;
}

/** The kept part of a usable row, so that it can still be rejected. */
export interface WaitingRow {
  line: number;
  raw: string;
  problem: null;
}

/** A place in a contacts file, 1-based as editors count. */
export interface Place {
  path: string;
  line: number;
  column: number;
}

/** The error for an unreadable contacts file, with its place. `message` must not quote the row. */
export function contactsInvalid(place: Place, message: string, hint: string): TumaError {
  return new TumaError('contacts_invalid', {
    message,
    hint,
    where: `${place.path}:${place.line}:${place.column}`,
  });
}
