import { TumaError } from '../../domain/errors.ts';
import type { Violation } from '../contracts/reader.ts';
import { readerOperations } from '../operations/reader.ts';
import { openNotes } from '../operations/sending/home-notes.ts';
import { readerHere } from '../thread/reader.ts';
import { servedWrites } from '../thread/served-writes.ts';
import { newestVersion, refuseNewer } from '../sqlite/migrate.ts';
import { type Port, type Served, servedReads } from '../thread/thread.ts';
import { homePlaceOf, placeOf, type PostgresAddress } from './address.ts';
import { connect, connectFirst } from './connect.ts';
import { History } from './history.ts';
import type { PlaceOfLedger } from './postgres-ledger.ts';
import { PostgresConnection } from './postgres-connection.ts';
import { postgresEngine } from './postgres-engine.ts';
import { migratePostgres, refuseArriving, versionOf } from './postgres-schema.ts';
import { postgresSnapshots, PostgresTransactions } from './postgres-transactions.ts';

/** Opens the thread that writes to a ledger on Postgres, and makes a ledger that is not there. Throws as `connectFirst`. */
export async function servePostgresWriter(
  { address, stateFolder }: PlaceOfLedger,
  port: Port,
): Promise<Served> {
  const server = await connectFirst(address, 'write');
  try {
    port.clock?.(server.now);
    const ledgerId = await migratePostgres(server.client, address.schema);
    const connection = new PostgresConnection(server.client);
    const transactions = new PostgresTransactions(server, {
      address,
      connection,
      ledgerId,
      clock: port.clock,
    });
    const home = { place: homePlaceOf(address), ledgerId, folder: stateFolder };
    const { version } = server;
    const schemaVersion = () => transactions.schemaVersion;
    const engine = postgresEngine({ connection, address, version, schemaVersion });
    const notes = { ...openNotes(home, port.log), copy: new History(connection, transactions) };
    const written = servedWrites({ connection, transactions, engine, notes, schema: newestVersion() }, port);
    return { ...written, close: () => transactions.close() };
  } catch (error) {
    await server.client.end();
    throw error;
  }
}

/** Opens the thread that reads from a ledger on Postgres. Throws as `connectFirst`, and `not_found`. */
export async function servePostgresReader(
  { address }: Pick<PlaceOfLedger, 'address'>,
  port: Port,
): Promise<Served> {
  const server = await connectFirst(address, 'read');
  try {
    const version = await versionOf(server.client, address.schema);
    if (version === 0)
      throw new TumaError('not_found', {
        message: 'There is no ledger in this database.',
        advice: { action: 'make_tables' },
        where: placeOf(address),
      });
    refuseNewer(version);
    await refuseArriving(server.client);
    const connection = new PostgresConnection(server.client);
    const engine = postgresEngine({ connection, address, version: server.version });
    const snapshots = postgresSnapshots(server, { connection, address });
    return servedReads(snapshots, readerOperations(connection, engine), port);
  } catch (error) {
    await server.client.end();
    throw error;
  }
}

/** What breaks an invariant in a ledger that is still being moved there. Throws as `connect`. */
export async function violationsOnPostgres(address: PostgresAddress): Promise<Violation[]> {
  const server = await connect(address, 'read');
  const connection = new PostgresConnection(server.client);
  const snapshots = postgresSnapshots(server, { connection, address });
  try {
    await snapshots.begin();
    const engine = postgresEngine({ connection, address, version: server.version });
    return await readerHere(readerOperations(connection, engine)).violations(null);
  } finally {
    await snapshots.close();
  }
}
