import type { Connection } from '../connection.ts';
import type { Engine } from '../engine.ts';
import { rightCheck } from '../operations/keeping/rights.ts';
import { Memory } from '../operations/memory.ts';
import { gated, schemaCheck } from '../operations/operation-gates.ts';
import type { OpenNotes } from '../operations/sending/home-notes.ts';
import { type Copy, StaleLedgerGuard } from '../operations/sending/stale-ledger-guard.ts';
import { writerOperations, type WriterParts } from '../operations/writer.ts';
import { GroupCommit } from './group-commit.ts';
import type { Port, Served } from './thread.ts';
import type { Transactions } from './transactions.ts';

/** What an engine brings to the thread that writes. What a file has and a database has not is left out there. */
export interface WrittenLedger extends Partial<Omit<WriterParts, 'engine'>> {
  connection: Connection;
  transactions: Transactions;
  engine: Engine;
  notes: OpenNotes & { copy?: Copy };
  /** The schema that this Tuma knows. */
  schema: number;
  isInPlace?: () => boolean;
  /** Throws where nobody would find again what is written. */
  requirePlace?: () => void;
  memory?: Memory;
}

/** The operations that write, behind their checks, in transactions of many. */
export function servedWrites(
  { connection, transactions, engine, notes, schema, memory = new Memory(), ...ledger }: WrittenLedger,
  port: Port,
): Pick<Served, 'operations'> & { runner: GroupCommit } {
  const { requireSpace = fine, requireRoom = fine, requirePlace = fine, isInPlace = () => true } = ledger;
  const guard = new StaleLedgerGuard(connection, notes, memory);
  const writer = writerOperations(connection, { engine, requireSpace, requireRoom }, memory);
  const operations = gated(
    { ...writer, ...guard.operations(writer), inPlace: isInPlace },
    {
      right: rightCheck(connection),
      place: requirePlace,
      schema: schemaCheck(engine, schema),
      claims: () => guard.requireClaims(),
    },
  );
  const runner = new GroupCommit({ transactions, operations, memory, port: guard.noting(port) });
  return { operations: Object.keys(operations), runner };
}

function fine(): void {}
