import { stripVTControlCharacters } from 'node:util';
import { printableLine } from '../../domain/text/printable.ts';

/** One column: its heading, and whether it holds numbers (which stand to the right). */
export interface Column {
  heading: string;
  numeric?: boolean;
}

/** Columns under these headings. The columns in `numeric` align right. */
export function columnsOf(headings: readonly string[], numeric: readonly string[] = []): Column[] {
  return headings.map((heading) => ({ heading, numeric: numeric.includes(heading) }));
}

/**
 * Rows as text: padded columns under headings for a terminal, else tab-separated with the same headings, so
 * that `cut` and `awk` work. Cells may hold anything; what could control a terminal is replaced.
 */
export function renderTable(columns: Column[], rows: string[][], options: { padded: boolean }): string {
  const lines = [columns.map(({ heading }) => heading), ...rows].map((cells) => cells.map(printableLine));
  if (!options.padded) return lines.map((cells) => cells.join('\t')).join('\n');
  const widths = columns.map((_, index) =>
    Math.max(...lines.map((cells) => displayWidth(cells[index] ?? ''))),
  );
  return lines
    .map((cells) =>
      columns
        .map(({ numeric }, index) =>
          pad(cells[index] ?? '', { width: widths[index] ?? 0, left: numeric === true }),
        )
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

function pad(text: string, { width, left }: { width: number; left: boolean }): string {
  const space = ' '.repeat(Math.max(0, width - displayWidth(text)));
  return left ? space + text : text + space;
}

/** The text, or as much of its beginning as fits into `width` columns, with `…` at the end. */
export function shortened(text: string, width: number): string {
  if (displayWidth(text) <= width) return text;
  let kept = '';
  for (const { segment } of new Intl.Segmenter().segment(text)) {
    if (displayWidth(kept + segment) >= width) break;
    kept += segment;
  }
  return `${kept}…`;
}

/** The columns of a text, approximately: combining marks take none, wide characters and emoji two. */
export function displayWidth(text: string): number {
  let width = 0;
  for (const character of stripVTControlCharacters(text)) {
    if (/\p{Mark}|\p{Default_Ignorable_Code_Point}/u.test(character)) continue;
    width +=
      /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff01-\uff60\u{1f300}-\u{1faff}]/u.test(
        character,
      )
        ? 2
        : 1;
  }
  return width;
}
