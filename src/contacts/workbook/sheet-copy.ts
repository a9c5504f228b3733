import { once } from 'node:events';
import { createWriteStream, type WriteStream } from 'node:fs';
import { finished } from 'node:stream/promises';
import { FILE_MAX_BYTES } from '../limits.ts';
import { toCsvLines } from '../line-cells.ts';

/** Rows written at once. */
const WRITE_ROWS = 1_000;

/** The CSV: line n of it is row n of the sheet. */
export class SheetCopy {
  readonly #out: WriteStream;
  #line = 0;
  #waiting: string[][] = [];

  /** `target` is a new file. */
  constructor(target: string) {
    this.#out = createWriteStream(target, { mode: 0o600, flags: 'wx' });
  }

  /** Adds a row by its number, from 1; rows come in order. Throws an Error with a sentence for too many bytes. */
  async add(row: number, cells: string[]): Promise<void> {
    while (this.#line < row - 1) await this.#take([]);
    await this.#take(cells);
  }

  /** Writes the last rows. */
  async finish(): Promise<void> {
    this.#out.end(toCsvLines(this.#waiting, ','));
    await finished(this.#out);
  }

  async #take(cells: string[]): Promise<void> {
    this.#line += 1;
    this.#waiting.push(cells);
    if (this.#waiting.length < WRITE_ROWS) return;
    const isFree = this.#out.write(toCsvLines(this.#waiting, ','));
    this.#waiting = [];
    if (this.#out.bytesWritten > FILE_MAX_BYTES)
      throw new Error(`its sheet has more than ${FILE_MAX_BYTES / 1024 / 1024} MB`);
    if (!isFree) await once(this.#out, 'drain');
  }
}
