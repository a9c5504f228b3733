import { closeSync, openSync, renameSync } from 'node:fs';
import { dirname, parse } from 'node:path';
import { backup, type DatabaseSync } from 'node:sqlite';
import type { ThreadLog } from '../thread/ledger-thread.ts';
import { syncPath } from './disk-space.ts';
import { openWithoutLog } from './ledger-place.ts';

/** All pages in one step, so that no write comes between two. */
const ALL_PAGES = 2 ** 31 - 1;

/**
 * Copies the open ledger beside its path, because its own file was removed or replaced (D18), and only this connection
 * reaches it: `ledger.rescued-2026-11-27T09-05-00-4711.db`, with the process's id. A large file that was written over is
 * read partly from the new one. Such a copy is no ledger, and is called `damaged`. Never throws, because the process ends.
 */
export async function keepBeside(
  database: DatabaseSync,
  { file, log }: { file: string; log: ThreadLog },
): Promise<void> {
  const { dir, name, ext } = parse(file);
  const time = new Date().toISOString().slice(0, 'yyyy-mm-ddThh:mm:ss'.length).replaceAll(':', '-');
  const copyAs = (what: string) => `${dir}/${name}.${what}-${time}-${process.pid}${ext}`;
  // It gets its name when it is whole: half a copy must not be put back.
  const [partial, rescued, damaged] = ['partial', 'rescued', 'damaged'].map(copyAs) as [
    string,
    string,
    string,
  ];
  try {
    closeSync(openSync(partial, 'wx', 0o600));
    await backup(database, partial, { rate: ALL_PAGES });
    syncPath(partial);
    const copy = isSound(partial) ? rescued : damaged;
    renameSync(partial, copy);
    syncPath(dirname(copy));
    if (copy === rescued) log.error({ copy }, 'the ledger that was in use is saved');
    else log.error({ copy }, 'the ledger that was in use is damaged: put the latest backup in its place');
  } catch (error) {
    log.error({ error: String(error) }, 'the ledger that was in use could not be saved');
  }
}

/** No other connection writes to the copy, and it has no log. */
function isSound(copy: string): boolean {
  const database = openWithoutLog(copy);
  try {
    return database.prepare('PRAGMA quick_check(1)').get()?.['quick_check'] === 'ok';
  } catch {
    return false;
  } finally {
    database.close();
  }
}
