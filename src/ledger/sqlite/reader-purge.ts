import type { DatabaseSync } from 'node:sqlite';
import type { PurgeReader } from '../purge.ts';
import { prepareStatements } from './statements.ts';

type Purges = Awaited<ReturnType<PurgeReader['purges']>>;

/** Reads which campaigns are purged. */
export function purgeReads(database: DatabaseSync) {
  const sql = prepareStatements(database, new URL('./reader-purge.sql', import.meta.url), ['purges']);
  return { purges: () => sql.purges.all() as unknown as Purges };
}
