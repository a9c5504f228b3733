import { constants, mkdirSync, openSync, readSync, writeSync } from 'node:fs';
import { join } from 'node:path';

/*
 * How many claims were ever made of a ledger, noted outside of its home: a person who puts an old ledger back does not put
 * this back with it. It is written after the commit of a claim and before anybody is told of it, so no message is sent
 * that is not counted here. Each process writes a place of its own, and the highest number counts.
 */

const PLACES = 64;
const BYTES = Float64Array.BYTES_PER_ELEMENT;

/** The note of one ledger, opened by one process. */
export class ClaimCounterFile {
  readonly #descriptor: number;
  readonly #place: number;
  readonly #all = new Float64Array(PLACES);
  readonly #own = new Float64Array(1);

  /** Makes folder and file where they are missing, for this user only. Throws what the file system says. */
  constructor(folder: string, ledgerId: string) {
    this.#place = process.pid % PLACES;
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    this.#descriptor = openSync(join(folder, ledgerId), constants.O_RDWR | constants.O_CREAT, 0o600);
    // Behind the last place, so that a full disk is met here and no other process's number is touched.
    writeSync(this.#descriptor, this.#own, 0, BYTES, PLACES * BYTES);
  }

  read(): number {
    this.#all.fill(0);
    readSync(this.#descriptor, this.#all, 0, PLACES * BYTES, 0);
    return this.#all.reduce((most, each) => (each > most ? each : most), 0);
  }

  /** Notes a total; a lower one than before is of no account. */
  note(claims: number): void {
    this.#own[0] = claims;
    writeSync(this.#descriptor, this.#own, 0, BYTES, this.#place * BYTES);
  }
}
