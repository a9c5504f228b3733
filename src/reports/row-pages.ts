import { csvLine, csvLines } from './csv-line.ts';

const PAGE = 2_000;

/** Reads the rows that follow `last`, `limit` at the most; null: the first ones. */
export type ReadRows<Row> = (last: Row | null, limit: number) => Promise<Row[]>;

/** All rows, page by page. */
export async function* rowPages<Row>(read: ReadRows<Row>): AsyncGenerator<Row[]> {
  for (let last: Row | null = null; ; ) {
    const page: Row[] = await read(last, PAGE);
    yield page;
    if (page.length < PAGE) return;
    last = page.at(-1) ?? null;
  }
}

/** Rows as CSV with a header, page by page. */
export async function* csvPages<Row>(
  header: readonly string[],
  pages: AsyncIterable<Row[]>,
  cells: (row: Row) => (string | number | null)[],
): AsyncGenerator<string> {
  yield csvLine(header);
  for await (const page of pages) yield csvLines(page.map(cells));
}
