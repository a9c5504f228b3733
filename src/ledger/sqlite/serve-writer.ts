import { realpathSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { LEAST_FREE_FOR_WEBHOOKS_BYTES, spaceGuard } from './disk-space.ts';
import { FirstCheckpoint } from './first-checkpoint.ts';
import { openNotes } from '../operations/sending/home-notes.ts';
import { manyRowsConnection } from './many-rows.ts';
import { LedgerPlace } from './ledger-place.ts';
import { ledgerIdOf, migrate } from './migrate.ts';
import { MoveMark, refuseMovedCopy } from './move-mark.ts';
import { openForWriting } from './open.ts';
import { sqliteEngine } from './sqlite-engine.ts';
import { keepBeside } from './keep-beside.ts';
import { SqliteTransactions } from './sqlite-transactions.ts';
import type { FileOfLedger } from './sqlite-ledger.ts';
import type { Port, Served } from '../thread/thread.ts';
import { servedWrites } from '../thread/served-writes.ts';

/** Opens the thread that writes; each process has one. Throws the errors of `openSqliteLedger`. */
export async function serveWriter({ file, stateFolder }: FileOfLedger, port: Port): Promise<Served> {
  const database = await openForWriting({ file, log: port.log });
  try {
    const place = new LedgerPlace(file);
    const schema = await migrate(database);
    const mark = new MoveMark(database);
    mark.look();
    const home = { place: placeOf(file), ledgerId: ledgerIdOf(database), folder: stateFolder };
    refuseMovedCopy(stateFolder, home.ledgerId);
    const transactions = new SqliteTransactions(database, () => mark.look());
    const written = servedWrites(
      {
        connection: manyRowsConnection(database),
        transactions,
        engine: sqliteEngine(database),
        notes: openNotes(home, port.log),
        schema,
        isInPlace: () => place.isInPlace(),
        requirePlace() {
          place.requireInPlace();
          mark.requireStaying();
        },
        requireSpace: spaceGuard(file),
        requireRoom: spaceGuard(file, LEAST_FREE_FOR_WEBHOOKS_BYTES),
      },
      port,
    );
    const close = async () => {
      if (!place.isInPlace()) await keepBeside(database, { file, log: port.log });
      place.dropStrangeLog();
      transactions.close();
    };
    return {
      operations: written.operations,
      runner: new FirstCheckpoint(written.runner, { database, port, copied: () => place.noteProgress() }),
      close,
    };
  } catch (error) {
    database.close();
    throw error;
  }
}

/** The folder's own path, so that two paths to one home are one place. The ledger itself may be a link. */
export function placeOf(file: string): string {
  return join(realpathSync(dirname(file)), basename(file));
}
