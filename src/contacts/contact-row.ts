import { TumaError } from '../domain/errors.ts';

/** Why a row cannot be used, whatever the template: the words of the plan's table and of the rejects file. */
export const ROW_REASONS = [
  'too few cells',
  'too many cells',
  'cell too long',
  'row too long',
  'bad quoting',
  'template marks',
] as const;
/** Why a row is not usable, before its number and its text are looked at. */
export type RowReason = (typeof ROW_REASONS)[number];

/** What is wrong with a row. */
export interface RowProblem {
  reason: RowReason;
  /** One sentence for a person; never holds a value of the row. */
  detail: string;
}

/** One record of a contacts file. */
export interface ContactRow {
  /** Physical line, 1-based, on which the record starts. */
  line: number;
  /** Aligned to the header, blanks around unquoted cells removed; as many as there are when `problem` is set. */
  cells: string[];
  /** The record as it stands in the file, without line ending and `tuma_…` cells; cut when it is too long. */
  raw: string;
  /** null: the row can be used. */
  problem: RowProblem | null;
  /** In a file that the rejects writer made: why it got no message then, as the cell says now. */
  reasonBefore?: string;
}

/** What is kept of a usable row, so that it can still be rejected. */
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

/** The error for a contacts file that cannot be read, with its place. Nothing of a row may be in `message`. */
export function contactsInvalid(place: Place, message: string, hint: string): TumaError {
  return new TumaError('contacts_invalid', {
    message,
    hint,
    where: `${place.path}:${place.line}:${place.column}`,
  });
}
