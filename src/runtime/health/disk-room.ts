import { existsSync, statfsSync } from 'node:fs';
import { dirname } from 'node:path';
import { lackOfRoom, type TumaError } from '../../domain/errors.ts';

/** The missing space on the ledger's disk, also before the ledger exists; null: there is enough. */
export function lackOnDisk(ledgerFile: string): TumaError | null {
  return lackOfRoom(freeBytes(ledgerFile));
}

/** The free space on the disk of a file that may not exist yet. */
export function freeBytes(file: string): number {
  const { bavail, bsize } = statfsSync(firstThere(dirname(file)));
  return bavail * bsize;
}

/** The folder, or the nearest one above that is there. */
export function firstThere(folder: string): string {
  return existsSync(folder) ? folder : firstThere(dirname(folder));
}
