import { readerOperations } from '../operations/reader.ts';
import { refuseNewer, schemaVersion } from './migrate.ts';
import { MoveMark } from './move-mark.ts';
import { openForReading } from './open.ts';
import { sqliteEngine } from './sqlite-engine.ts';
import { sqliteSnapshots } from './sqlite-transactions.ts';
import type { FileOfLedger } from './sqlite-ledger.ts';
import { type Port, type Served, servedReads } from '../thread/thread.ts';

/** Opens the thread of a ledger's reader. Throws the errors of `openSqliteReader`. */
export async function serveReader({ file }: Pick<FileOfLedger, 'file'>, port: Port): Promise<Served> {
  const database = openForReading(file);
  try {
    refuseNewer(schemaVersion(database));
    const mark = new MoveMark(database);
    mark.look();
    const snapshots = sqliteSnapshots(database, () => mark.look());
    return servedReads(snapshots, readerOperations(database, sqliteEngine(database)), port);
  } catch (error) {
    database.close();
    throw error;
  }
}
