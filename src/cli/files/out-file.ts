import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import { basename, dirname, extname, join } from 'node:path';
import { TumaError } from '../../domain/errors.ts';
import { csvPages, type ReadRows, rowPages } from '../../reports/row-pages.ts';
import { unfinishedName } from '../../system/temporary-folder.ts';
import type { Context } from '../context.ts';
import type { Column } from '../../reports/figures.ts';
import { figuresXlsx } from '../../reports/workbook.ts';

type Page = string | Uint8Array;
type Pages = AsyncIterable<Page> | Iterable<Page>;

/**
 * Writes a file whole or not at all: pages go to a file beside it (0600, because it holds full numbers) that
 * is synced and renamed into place at the end. After a failure, or when `signal` is aborted,
 * the old file stays. What a kill leaves is removed by the next command.
 */
export async function writeOutFile(
  file: string,
  pages: Pages,
  { signal, temporary }: Writing = {},
): Promise<void> {
  const aside = unfinishedName(join(dirname(file), `.${basename(file)}`));
  let endNote = (): void => undefined;
  try {
    endNote = temporary?.noteUnfinished(aside) ?? endNote;
    await writePages(aside, pages, signal);
    await rename(aside, file);
  } catch (error) {
    await rm(aside, { force: true }).catch(() => {});
    throw isFileError(error) ? unwritable(file, error) : error;
  } finally {
    endNote();
  }
}

/** How a file is written. */
export interface Writing {
  /** Aborted: the old file stays. */
  signal?: AbortSignal;
  /** Where it is noted that the file is not whole yet; left out: what a kill leaves stays. */
  temporary?: Context['temporary'];
}

/** Pages are made while those before them are written. */
const AHEAD_BYTES = 1 << 20;

/** Rows of a file, which are read page by page. */
interface Rows<Row> {
  header: readonly string[];
  read: ReadRows<Row>;
  cells: (row: Row) => (string | number | null)[];
  /** The columns with times, which are ISO 8601 in a CSV, and local times of `zone` in a workbook. */
  times?: readonly string[];
  zone: string;
  writing: Writing;
}

/** Writes rows as CSV like `writeOutFile`, or as a workbook where the file ends so, and returns their number. */
export async function writeRows<Row>(file: string, rows: Rows<Row>): Promise<number> {
  const { header, read, cells, times = [], zone, writing } = rows;
  let count = 0;
  async function* pages() {
    for await (const page of rowPages(read)) {
      count += page.length;
      yield page;
    }
  }
  async function* eachRow() {
    for await (const page of pages()) yield* page.map(cells);
  }
  const columns = header.map((name): Column => ({ name, kind: times.includes(name) ? 'time' : 'text' }));
  const sheet = basename(file, extname(file));
  const isWorkbook = extname(file).toLowerCase() === '.xlsx';
  const content = isWorkbook
    ? figuresXlsx({ columns, rows: eachRow() }, { sheet, zone })
    : csvPages(header, pages(), cells);
  await writeOutFile(file, content, writing);
  return count;
}

async function writePages(aside: string, pages: Pages, signal?: AbortSignal): Promise<void> {
  const handle = await open(aside, 'wx', 0o600);
  const stream = createWriteStream(aside, { fd: handle, autoClose: false, highWaterMark: AHEAD_BYTES });
  const failed = new AbortController();
  stream.on('error', (error) => failed.abort(error));
  try {
    for await (const page of pages) {
      signal?.throwIfAborted();
      failed.signal.throwIfAborted();
      if (!stream.write(page)) await once(stream, 'drain', { signal: failed.signal });
    }
    stream.end();
    await once(stream, 'finish', { signal: failed.signal });
    await handle.sync();
  } catch (error) {
    throw failed.signal.aborted ? failed.signal.reason : error;
  } finally {
    stream.destroy();
    await handle.close().catch(() => {});
  }
}

function isFileError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && 'syscall' in error;
}

function unwritable(file: string, error: NodeJS.ErrnoException): TumaError {
  const full = error.code === 'ENOSPC' || error.code === 'EDQUOT';
  return new TumaError('file_unwritable', {
    message: full ? 'The disk is full.' : `The file cannot be written (${error.code ?? 'unknown error'}).`,
    hint: full ? 'Free some space, or write elsewhere.' : 'Check that the directory exists and is yours.',
    where: file,
    cause: error,
  });
}
