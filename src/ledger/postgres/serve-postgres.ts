import { TumaError } from '../../domain/errors.ts';
import { rightCheck } from '../operations/keeping/rights.ts';
import type { Violation } from '../contracts/reader.ts';
import { Memory } from '../operations/memory.ts';
import { StaleLedgerGuard } from '../operations/sending/stale-ledger-guard.ts';
import { writerOperations } from '../operations/writer.ts';
import { GroupCommit } from '../thread/group-commit.ts';
import { gated, schemaCheck } from '../operations/operation-gates.ts';
import { readerOperations } from '../operations/reader.ts';
import { openNotes } from '../operations/sending/home-notes.ts';
import { readerHere } from '../thread/reader.ts';
import { newestVersion, refuseNewer } from '../sqlite/migrate.ts';
import { type Port, readRunner, type Served } from '../thread/thread.ts';
import { homePlaceOf, placeOf, type PostgresAddress } from './address.ts';
import { connect, connectFirst, type Server } from './connect.ts';
import { History } from './history.ts';
import type { PlaceOfLedger } from './postgres-ledger.ts';
import { PostgresConnection } from './postgres-connection.ts';
import { type EngineParts, postgresEngine } from './postgres-engine.ts';
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
    const memory = new Memory();
    const copy = new History(connection, transactions);
    const guard = new StaleLedgerGuard(connection, { ...openNotes(home, port.log), copy }, memory);
    const engine = postgresEngine(
      engineParts(server, { connection, address, schemaVersion: () => transactions.schemaVersion }),
    );
    const roomy = () => undefined;
    const writer = writerOperations(connection, { engine, requireSpace: roomy, requireRoom: roomy }, memory);
    const operations = gated(
      { ...writer, ...guard.operations(writer), inPlace: () => true },
      {
        right: rightCheck(connection),
        place: roomy,
        schema: schemaCheck(engine, newestVersion()),
        claims: () => guard.requireClaims(),
      },
    );
    const runner = new GroupCommit({ transactions, operations, memory, port: guard.noting(port) });
    return { operations: Object.keys(operations), runner, close: () => transactions.close() };
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
    const engine = postgresEngine(engineParts(server, { connection, address }));
    const snapshots = postgresSnapshots(server, { connection, address });
    const operations = readerOperations(connection, engine);
    return {
      operations: Object.keys(operations),
      runner: readRunner(snapshots, operations, port),
      close: () => snapshots.close(),
    };
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
    const engine = postgresEngine(engineParts(server, { connection, address }));
    return await readerHere(readerOperations(connection, engine)).violations(null);
  } finally {
    await snapshots.close();
  }
}

function engineParts(
  { version }: Server,
  { address, ...parts }: Pick<EngineParts, 'connection' | 'schemaVersion'> & { address: PostgresAddress },
): EngineParts {
  const compare = async () => new PostgresConnection((await connect(address, 'write')).client);
  return { ...parts, version, schema: address.schema, compare };
}
