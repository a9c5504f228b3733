import { TumaError } from '../domain/errors.ts';
import { maskText } from '../domain/text/mask.ts';

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

/** The header's names for a hint. A file without a header would show a person's number here, so digits are covered. */
export function listNames(names: readonly string[]): string {
  return names.map((name) => maskText(name).slice(0, 40) || '(blank)').join(', ');
}
