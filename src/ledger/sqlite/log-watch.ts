import { statSync } from 'node:fs';
import type { ThreadLog } from './ledger-thread.ts';

/**
 * The write-ahead log grows while somebody reads the ledger in one long transaction, because what he sees must not be
 * overwritten (D7). Nobody can end that reader but a person, who is told before the disk is full.
 */

const ALARM_BYTES = 256 * 1024 * 1024;
const LOOK_EVERY_MS = 10_000;

/** Warns once each time that the log of the ledger in `file` has grown beyond `alarmBytes`. */
export function watchLog(
  file: string,
  log: Pick<ThreadLog, 'warn'>,
  { alarmBytes = ALARM_BYTES, everyMs = LOOK_EVERY_MS } = {},
): void {
  let warned = false;
  const look = () => {
    const bytes = logBytes(file);
    if (bytes > alarmBytes && !warned)
      log.warn(
        { megabytes: Math.ceil(bytes / 2 ** 20) },
        'the write-ahead log of the ledger grows: something reads the ledger for very long (`lsof ledger.db` names it)',
      );
    // It shrinks only when it is emptied.
    warned = bytes > alarmBytes;
  };
  setInterval(look, everyMs).unref();
}

/** Zero where nothing can be seen: the ledger goes on with the files that it has open. */
function logBytes(file: string): number {
  try {
    return statSync(`${file}-wal`).size;
  } catch {
    return 0;
  }
}
