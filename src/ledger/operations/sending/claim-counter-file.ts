import { constants, mkdirSync, openSync, readSync, writeSync } from 'node:fs';
import { join } from 'node:path';

/*
 * The number of all claims of a ledger, noted outside of its home. So an old ledger that is put back does not
 * bring its own number. It is written after the commit of a claim and before the caller gets it, so no sent
 * message is missing here. Each process writes a place of its own, and the highest number counts.
 */

const PLACES = 64;
const BYTES = Float64Array.BYTES_PER_ELEMENT;

/** The note of one ledger, opened by one process. */
export class ClaimCounterFile {
  readonly #descriptor: number;
  readonly #place: number;
  readonly #all = new Float64Array(PLACES);
  readonly #own = new Float64Array(1);

  /** Makes a missing folder or file, for this user only. Throws the error of the file system. */
  constructor(folder: string, ledgerId: string) {
    this.#place = process.pid % PLACES;
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    this.#descriptor = openSync(join(folder, ledgerId), constants.O_RDWR | constants.O_CREAT, 0o600);
    // This write is behind the last place: it finds a full disk and changes no process's number.
    writeSync(this.#descriptor, this.#own, 0, BYTES, PLACES * BYTES);
  }

  read(): number {
    this.#all.fill(0);
    readSync(this.#descriptor, this.#all, 0, PLACES * BYTES, 0);
    return this.#all.reduce((most, each) => (each > most ? each : most), 0);
  }

  /** Notes a total in this process's place. */
  note(claims: number): void {
    this.#own[0] = claims;
    writeSync(this.#descriptor, this.#own, 0, BYTES, this.#place * BYTES);
  }
}
