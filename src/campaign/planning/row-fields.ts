import type { ContactRow } from '../../contacts/contact-row.ts';
import type { ContactsFile } from '../../contacts/contacts-file.ts';
import type { Job } from '../../domain/job.ts';
import { pairedCell } from '../../domain/text/paired-cell.ts';
import type { Template } from '../../domain/text/template.ts';
import { FieldIndex } from '../../domain/text/template-fields.ts';

/** Chooses the cells that the ledger keeps of a row: as they are shown, their value, or both, by what uses them. */
export type RowFields = (row: ContactRow) => string[];

/**
 * Dates, amounts, keys, numbers and reminders need the value of a workbook's cell; all other texts need what a person
 * sees. A column that is used in both ways keeps both.
 */
export function rowFields(
  { key, otherMobiles, remind, columns }: Pick<Job, 'key' | 'otherMobiles' | 'remind' | 'columns'>,
  { header, mobileColumn }: Pick<ContactsFile, 'header' | 'mobileColumn'>,
  uses: Template['uses'],
): RowFields {
  const index = new FieldIndex({ header, columns });
  const names = [...key, ...otherMobiles, remind?.column, remind?.atColumn];
  const named = names.map((name) => index.find(name ?? ''));
  const byValue = new Set([
    mobileColumn,
    ...named.flatMap((found) => (found.found ? [found.column] : [])),
    ...uses.filter(({ helped }) => helped).map(({ column }) => column),
  ]);
  const asShown = new Set(uses.filter(({ helped }) => !helped).map(({ column }) => column));
  return ({ cells, shown: texts }) => {
    if (texts === undefined) return cells;
    return cells.map((value, column) => {
      const shown = texts[column] ?? value;
      if (!byValue.has(column)) return shown;
      return asShown.has(column) ? pairedCell({ value, shown }) : value;
    });
  };
}
