import { closeSync, fsyncSync, openSync, statfsSync } from 'node:fs';
import { dirname } from 'node:path';
import { LEAST_FREE_BYTES, lackOfRoom } from '../../domain/errors.ts';

/* Claims stop before the disk is full, so that the verdicts of messages in flight always have room. */

/** Webhooks are stored for longer than messages are sent, and a flood of them leaves room for verdicts. */
export const LEAST_FREE_FOR_WEBHOOKS_BYTES = LEAST_FREE_BYTES / 2;
const CHECK_EVERY_MS = 1_000;

/** The free bytes of a folder's file system. */
export function freeBytesOf(folder: string): number {
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize;
}

/** A function that throws `ledger_full` while the disk has too little room; it checks once a second. */
export function spaceGuard(file: string, leastBytes: number = LEAST_FREE_BYTES): () => void {
  let checkedAt = -Infinity;
  let freeBytes = Infinity;
  return () => {
    if (performance.now() - checkedAt > CHECK_EVERY_MS) {
      freeBytes = freeBytesOf(dirname(file));
      checkedAt = performance.now();
    }
    const lack = lackOfRoom(freeBytes, leastBytes);
    if (lack !== null) throw lack;
  };
}

/** Waits until a file or folder is on the disk. Never for an open ledger: closing it drops its locks. */
export function syncPath(path: string): void {
  const handle = openSync(path, 'r');
  fsyncSync(handle);
  closeSync(handle);
}
