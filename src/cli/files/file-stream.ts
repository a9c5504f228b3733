import { writeSync } from 'node:fs';
import { Writable } from 'node:stream';

/** Writes to an open file in order and wholly. Node's own stream takes a short write on a full disk for a whole one. */
export class FileStream extends Writable {
  readonly #file: number;

  /** `file`: its descriptor, which stays open. */
  constructor(file: number) {
    super();
    this.#file = file;
  }

  override _write(bytes: Buffer, _encoding: BufferEncoding, done: (error?: Error) => void): void {
    try {
      for (let written = 0; written < bytes.length; ) written += writeSync(this.#file, bytes, written);
    } catch (error) {
      done(error as Error);
      return;
    }
    done();
  }
}
