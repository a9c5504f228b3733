import { closeSync, fstatSync, futimesSync, openSync, readSync } from 'node:fs';
import { crc32 } from 'node:zlib';

/*
 * A rejects file is made to be mended where it stands, so one that a person has mended must be told from one that nobody has
 * touched. Nothing in the file can say so, for it is the person's: the microseconds of its time of change do. They are a sum of its
 * content, and whatever saves the file writes others. Where they get lost (a copy, a file system that has none), it counts as mended.
 */

const MICROS = 1_000_000;
/** Between two microseconds, or rounding would make one of the next. */
const HALF = 0.5;
const READ_BYTES = 64 * 1024;

/** The sum of a file's content with more of it; begin with 0. */
export function summed(sum: number, more: string | Uint8Array): number {
  return crc32(more, sum);
}

/** Marks an open file that holds what `sum` is of as untouched. */
export function stamp(file: number, sum: number): void {
  const seconds = Math.floor(fstatSync(file).mtimeMs / 1_000);
  const time = seconds + ((sum % MICROS) + HALF) / MICROS;
  futimesSync(file, time, time);
}

/** Whether a file is as `stamp` has left it; false also where it cannot be read. */
export function isStamped(path: string): boolean {
  try {
    const file = openSync(path, 'r');
    try {
      const micros = (fstatSync(file, { bigint: true }).mtimeNs / 1_000n) % BigInt(MICROS);
      return Number(micros) === sumOf(file) % MICROS;
    } finally {
      closeSync(file);
    }
  } catch {
    return false;
  }
}

function sumOf(file: number): number {
  const bytes = Buffer.alloc(READ_BYTES);
  let sum = 0;
  for (let read = readSync(file, bytes); read > 0; read = readSync(file, bytes))
    sum = summed(sum, bytes.subarray(0, read));
  return sum;
}
