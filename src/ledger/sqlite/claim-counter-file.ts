import { constants, existsSync, mkdirSync, openSync, readSync, writeSync } from 'node:fs';
import { join } from 'node:path';

/**
 * How many claims were ever made of a ledger, noted outside of its home: a person who puts an old ledger back does not put
 * this back with it. It is written after the commit of a claim and before anybody is told of it, so no message is sent
 * that is not counted here. Each process writes a place of its own, because two that wrote the same could put the lower
 * number last; the highest counts.
 */

const PLACES = 64;
const BYTES = Float64Array.BYTES_PER_ELEMENT;

/** The note of one ledger, opened by one process. */
export class ClaimCounterFile {
  /** What keeps this process from writing it: it is read all the same, so a ledger that is behind is noticed. Null: nothing. */
  readonly unwritable: string | null;
  readonly #descriptor: number;
  readonly #place: number;
  readonly #all = new Float64Array(PLACES);
  readonly #own = new Float64Array(1);

  /**
   * Makes folder and file where they are missing, for this user only. Throws what the file system says when the note can
   * neither be written nor read.
   */
  constructor(folder: string, ledgerId: string) {
    const file = join(folder, ledgerId);
    this.#place = process.pid % PLACES;
    let unwritable: string | null = null;
    try {
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      this.#descriptor = openSync(file, constants.O_RDWR | constants.O_CREAT, 0o600);
      // Behind the last place, so that a full disk is met here and no other process's number is touched.
      writeSync(this.#descriptor, this.#own, 0, BYTES, PLACES * BYTES);
    } catch (error) {
      if (!existsSync(file)) throw error;
      this.#descriptor = openSync(file, constants.O_RDONLY);
      this.read();
      unwritable = String(error);
    }
    this.unwritable = unwritable;
  }

  read(): number {
    this.#all.fill(0);
    readSync(this.#descriptor, this.#all, 0, PLACES * BYTES, 0);
    return this.#all.reduce((most, each) => (each > most ? each : most), 0);
  }

  /** Notes a total, where it can be written; a lower one than before is of no account. */
  note(claims: number): void {
    if (this.unwritable !== null) return;
    this.#own[0] = claims;
    writeSync(this.#descriptor, this.#own, 0, BYTES, this.#place * BYTES);
  }
}
