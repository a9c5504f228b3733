import type { ContactsFile } from '../../contacts/contacts-file.ts';
import { didYouMean } from '../../domain/text/did-you-mean.ts';
import { TumaError } from '../../domain/errors.ts';
import { FieldIndex } from '../../domain/text/template-fields.ts';
import type { LoadedJob } from './load-job.ts';

/** A column that the job file names. */
export interface NamedColumn {
  /** The column's header or its name in `columns`. */
  written: string;
  /** The place of the column's name in the job file. */
  key:
    | readonly ['key']
    | readonly ['columns', 'mobile']
    | readonly ['remind', 'column']
    | readonly ['remind', 'at', 'column'];
}

/** Finds the column in the contacts like a template's field. Throws `job_invalid` for none or several. */
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
