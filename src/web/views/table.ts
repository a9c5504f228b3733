import { html, type Content, type Html } from './html.ts';

/** A column of a table. */
export interface TableColumn {
  name: Content;
  /** True: a number or an amount, at the right. */
  isNumber?: boolean;
  /** True: its label is hidden where rows are cards. */
  isBare?: boolean;
  /** True: it takes the whole width of a card, such as a progress. */
  isWhole?: boolean;
}

/** A table that becomes cards on a phone. The first cell of each row names the row; null is an empty cell. */
export interface TableContent {
  /** What it lists, for who cannot see it. */
  caption: Content;
  columns: readonly TableColumn[];
  rows: readonly (readonly Content[])[];
  /** The last row, under a double rule; left out: none. */
  total?: readonly Content[];
}

/** A table with its headings. */
export function table({ caption, columns, rows, total }: TableContent): Html {
  return html`<table class="stack" role="table"><caption class="hear">${caption}</caption>
<thead role="rowgroup"><tr role="row">${columns.map(
    (column) => html`<th scope="col" role="columnheader" class="${look(column)}">${column.name}</th>`,
  )}</tr></thead>
<tbody role="rowgroup">
${rows.map((cells) => row(columns, cells))}${total !== undefined && row(columns, total, 'total')}</tbody></table>`;
}

function row(columns: readonly TableColumn[], cells: readonly Content[], kind = ''): Html {
  const [first, ...rest] = cells;
  return html`<tr role="row" class="${kind}"><th scope="row" role="rowheader">${first}</th>${rest.map(
    (cell, index) => {
      const column = columns[index + 1] ?? { name: '' };
      return html`<td role="cell" class="${look(column)}" data-label="${column.name}">${cell}</td>`;
    },
  )}</tr>
`;
}

function look({ isNumber = false, isBare = false, isWhole = false }: TableColumn): string {
  return [isNumber ? 'n' : '', isBare ? 'bare' : '', isWhole ? 'full progress' : '']
    .filter((part) => part !== '')
    .join(' ');
}
