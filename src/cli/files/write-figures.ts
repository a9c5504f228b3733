import { printableJson } from '../../domain/text/printable.ts';
import { TumaError } from '../../domain/errors.ts';
import { type Figures, figuresCsv, figuresJson, figuresWords } from '../../reports/figures.ts';
import { figuresXlsx, type Sheet } from '../../reports/workbook.ts';
import { counted } from '../../domain/money.ts';
import type { Call } from '../command.ts';
import type { Context } from '../context.ts';
import { columnsOf, displayWidth, renderTable } from '../text/table.ts';
import { writeOutFile } from './out-file.ts';
import { formatFlag, outFlag } from './out-target.ts';

/** What `--format` of such a table takes. */
export const FIGURE_FORMATS = ['table', 'csv', 'json', 'xlsx'] as const;
type FigureFormat = (typeof FIGURE_FORMATS)[number];

/** A table of figures with its words. */
interface Titled {
  figures: Figures;
  title: string;
  /** The name of the sheet in a workbook. */
  sheet: string;
}

/**
 * Writes a table of figures as `--format` says (table, csv, json, xlsx), else as the ending of `--out` says. Throws
 * `usage` for a workbook without `--out`, and `file_unwritable`.
 */
export async function writeFigures(context: Context, flags: Call['flags'], titled: Titled): Promise<void> {
  const { output, config } = context;
  const file = outFlag(flags, config);
  const format = formatFlag(flags['format'], { formats: FIGURE_FORMATS, file, otherwise: 'table' });
  if (file === null) return showFigures(context, format, titled);
  const { figures } = titled;
  const pages =
    format === 'xlsx'
      ? figuresXlsx(figures, sheetOf(titled, config.zone))
      : [textOf(context, format, titled)];
  await writeOutFile(file, pages, context);
  const document = { file, rows: figures.rows.length };
  output.result(document, () => `${counted(document.rows, 'row')} in ${file}`);
}

function sheetOf({ figures: { total }, sheet, title }: Titled, zone: string): Sheet {
  return { sheet, title, zone, ...(total === undefined ? {} : { total }) };
}

function showFigures(context: Context, format: FigureFormat, titled: Titled): void {
  const { output } = context;
  if (format === 'xlsx')
    throw new TumaError('usage', {
      message: 'An Excel workbook needs --out.',
      hint: 'Example: --format xlsx --out november.xlsx.',
      where: '--format',
    });
  if (format === 'table' || output.json)
    output.result(figuresJson(titled.figures), () => textOf(context, format, titled).trimEnd());
  else output.data(textOf(context, format, titled));
}

function textOf({ config, output }: Context, format: FigureFormat, { figures, title }: Titled): string {
  if (format === 'csv') return figuresCsv(figures);
  if (format === 'json') return `${printableJson(JSON.stringify(figuresJson(figures)))}\n`;
  if (!output.terminal) return `${tableOf(figures, config.zone, false)}\n`;
  return `${title}  ${config.zone}\n\n${fitting(figures, config.zone, output.width)}\n`;
}

/** The columns that a narrow terminal goes without, first to last. A file has all of them. */
const LESS_IMPORTANT =
  'id first_sent estimated per_delivered planned last_sent uncertain rejected currency undelivered delivered_percent'.split(
    ' ',
  );

function fitting(figures: Figures, zone: string, width: number): string {
  let table = figures;
  for (const name of LESS_IMPORTANT) {
    const drawn = tableOf(table, zone, true);
    if (drawn.split('\n').every((line) => displayWidth(line) <= width)) return drawn;
    table = without(table, name);
  }
  return tableOf(table, zone, true);
}

function without({ columns, rows }: Figures, name: string): Figures {
  const kept = (_: unknown, at: number) => columns[at]?.name !== name;
  return { columns: columns.filter(kept), rows: rows.map((row) => row.filter(kept)) };
}

function tableOf(figures: Figures, zone: string, padded: boolean): string {
  const headings = figures.columns.map(({ name }) => name.replace('_percent', ' %').replaceAll('_', ' '));
  const numeric = headings.filter((_, at) => figures.columns[at]?.kind !== 'text');
  return renderTable(columnsOf(headings, numeric), figuresWords(figures, zone), { padded });
}
