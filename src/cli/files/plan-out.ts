import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import type { ListedMessage, PlanList } from '../../campaign/planning/plan-list.ts';
import { csvLine } from '../../reports/csv-line.ts';
import type { Column, Figure } from '../../reports/figures.ts';
import { figuresXlsx } from '../../reports/workbook.ts';
import { writeOutFile, type Writing } from './out-file.ts';

/* `tuma plan --out`: every message of a plan in a file, as CSV or as a workbook. */

/** The columns of the file, in the order that never changes. */
const COLUMNS = [
  { name: 'line', kind: 'count' },
  { name: 'mobile', kind: 'text' },
  { name: 'key', kind: 'text' },
  { name: 'occurrence', kind: 'text' },
  { name: 'plan', kind: 'text' },
  { name: 'due_at', kind: 'time' },
  { name: 'was_due_at', kind: 'time' },
  { name: 'offset', kind: 'text' },
  { name: 'segments', kind: 'count' },
  { name: 'text', kind: 'text' },
] as const satisfies Column[];

/** A file that takes the messages of a plan while it is made. */
export interface PlanOut {
  file: string;
  list: PlanList;
  /** The number of messages so far. */
  rows: () => number;
  /** Finishes the file. Throws `file_unwritable`. */
  finish: () => Promise<void>;
  /** Leaves no file. */
  discard: (reason: unknown) => Promise<void>;
}

/** How the file of a plan is written. */
export interface PlanOutOptions extends Pick<Writing, 'temporary'> {
  format: 'csv' | 'xlsx';
  sheet: string;
  zone: string;
  startAt: number | null;
}

/** Begins the file of a plan. The rows are written as they come, so that a long plan takes no memory. */
export function planOut(file: string, { format, temporary, ...shown }: PlanOutOptions): PlanOut {
  const rows = new PassThrough({ objectMode: true });
  const pages = format === 'xlsx' ? figuresXlsx({ columns: COLUMNS, rows }, shown) : csvPages(rows);
  const written = writeOutFile(file, pages, temporary === undefined ? {} : { temporary });
  // A full disk ends the plan, too: nobody would take its rows.
  written.catch((error: unknown) => rows.destroy(error as Error));
  rows.on('error', () => undefined);
  let count = 0;
  const write = async (messages: readonly ListedMessage[]) => {
    for (const message of messages) {
      // Nobody takes more rows after a full disk: the file's own error says why.
      if (rows.destroyed) return written;
      if (!rows.write(cellsOf(message, shown.startAt))) await once(rows, 'drain').catch(() => written);
    }
  };
  // One list after another, so that the rows stay in the order of the contacts.
  let turn: Promise<void> = Promise.resolve();
  return {
    file,
    rows: () => count,
    list: (messages) => {
      count += messages.length;
      turn = turn.then(() => write(messages));
      return turn;
    },
    finish: async () => {
      rows.end();
      await written;
    },
    discard: async (reason) => {
      rows.destroy(reason as Error);
      await written.catch(() => undefined);
    },
  };
}

async function* csvPages(rows: AsyncIterable<Figure[]>): AsyncGenerator<string> {
  yield csvLine(COLUMNS.map(({ name }) => name));
  for await (const row of rows) yield csvLine(row);
}

/** `startAt`: the start of messages without a moment of their own. */
function cellsOf(message: ListedMessage, startAt: number | null): Figure[] {
  const { line, mobile, key, occurrence, change, dueAt, wasAt, offset, segments, text } = message;
  return [
    line,
    mobile,
    key,
    occurrence,
    change,
    isoOf(dueAt ?? startAt),
    isoOf(wasAt),
    offset,
    segments,
    text,
  ];
}

function isoOf(at: number | null): string | null {
  return at === null ? null : new Date(at).toISOString();
}
