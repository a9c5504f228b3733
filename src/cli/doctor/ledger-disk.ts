import { existsSync, statfsSync } from 'node:fs';
import { dirname } from 'node:path';
import { lackOfRoom } from '../../domain/disk-room.ts';
import type { TumaError } from '../../domain/errors.ts';
import type { Context } from '../context.ts';

/** What the disk of a ledger lacks, or will where none is made yet; null: nothing. With too little room nothing is planned or claimed. */
export function lackOnDisk(ledgerFile: string): TumaError | null {
  const { bavail, bsize } = statfsSync(firstThere(dirname(ledgerFile)));
  return lackOfRoom(bavail * bsize);
}

/** Says so when nothing will be sent because there is no room for what comes of it, while all else looks well. */
export function noteFullDisk({ config, output }: Pick<Context, 'config' | 'output'>): void {
  const lack = lackOnDisk(config.ledgerFile);
  if (lack !== null) output.note(`${lack.message} Sending waits. ${lack.hint ?? ''}`);
}

/** The folder, or the nearest one above that is there. */
export function firstThere(folder: string): string {
  return existsSync(folder) ? folder : firstThere(dirname(folder));
}
