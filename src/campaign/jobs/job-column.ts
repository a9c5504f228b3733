import type { ContactsFile } from '../../contacts/contacts-file.ts';
import { didYouMean } from '../../domain/text/did-you-mean.ts';
import { TumaError } from '../../domain/errors.ts';
import { FieldIndex } from '../../domain/text/template-fields.ts';
import type { LoadedJob } from './load-job.ts';

/** A column that the job file names. */
export interface NamedColumn {
  /** By its header or its name in `columns`. */
  written: string;
  /** Where the job file says so. */
  key: readonly ['key'] | readonly ['remind', 'column'];
}

/** Finds the column in the contacts as a template finds a field. Throws `job_invalid` where there is none, or more than one. */
export function jobColumn(
  { job, placeOf }: LoadedJob,
  { header, path }: Pick<ContactsFile, 'header' | 'path'>,
  { written, key }: NamedColumn,
): number {
  const found = new FieldIndex({ header, columns: job.columns }).find(written);
  if (found.found) return found.column;
  const near = found.known ? null : didYouMean(written, header);
  throw new TumaError('job_invalid', {
    message: found.known
      ? `\`${key.join('.')}: ${written}\`: ${found.message}.`
      : `\`${key.join('.')}: ${written}\` is no column of ${path}.`,
    hint: near === null ? found.hint : `Did you mean ${near}?`,
    where: placeOf(...key),
  });
}

/**
 * Where each column of a campaign stands in corrected contacts, whose columns may stand in another order; -1: nowhere. Throws
 * `contacts_invalid` when a column that the text names (`said`, as these contacts call it) would be another one when it is sent.
 */
export function placesOf(
  { header, path }: Pick<ContactsFile, 'header' | 'path'>,
  wanted: readonly string[],
  said: readonly string[],
): number[] {
  const here = new FieldIndex({ header, columns: {} });
  const there = new FieldIndex({ header: wanted, columns: {} });
  const places = wanted.map((name) => {
    const found = here.find(name);
    return found.found ? found.column : -1;
  });
  for (const name of said) {
    const column = there.find(name);
    if (column.found && places[column.column] === header.indexOf(name)) continue;
    throw new TumaError('contacts_invalid', {
      message: `The column "${name}" cannot be told apart from those that the campaign was launched with.`,
      hint: `Call the columns as they were: ${wanted.join(', ')}.`,
      where: `${path}:1:1`,
    });
  }
  return places;
}
