import type { Ledger } from '../../src/ledger/contracts/ledger.ts';
import type { LedgerReader } from '../../src/ledger/contracts/reader.ts';
import { askedFrom } from '../../src/ledger/contracts/asked-from.ts';
import type { PostgresAddress } from '../../src/ledger/postgres/address.ts';
import { postgresLedgerOver } from '../../src/ledger/postgres/postgres-ledger.ts';
import { postgresError } from '../../src/ledger/postgres/postgres-errors.ts';
import { servePostgresReader, servePostgresWriter } from '../../src/ledger/postgres/serve-postgres.ts';
import type { ThreadAnswer, ThreadLog } from '../../src/ledger/thread/ledger-thread.ts';
import { readerOver } from '../../src/ledger/thread/reader.ts';
import { serveReader } from '../../src/ledger/sqlite/serve-reader.ts';
import { serveWriter } from '../../src/ledger/sqlite/serve-writer.ts';
import { ledgerError } from '../../src/ledger/sqlite/sqlite-errors.ts';
import { packError, unpackError } from '../../src/ledger/thread/carried-error.ts';
import { sqliteLedgerOver } from '../../src/ledger/sqlite/sqlite-ledger.ts';
import type { LedgerOpeners } from '../../src/runtime/open-ledger.ts';
import type { Port, Served } from '../../src/ledger/thread/thread.ts';

/* All that a ledger's threads do, without the threads: to start one takes longer than what most tests ask of it. */

const QUIET = { info: () => undefined, warn: () => undefined, error: () => undefined };

/** The ledger itself, its commits and its schema, on a connection of this thread. */
export function openLedgerHere(file: string): Promise<Ledger> {
  return LEDGERS_HERE.write({ file });
}

/** Its reader, likewise. */
export function openReaderHere(file: string): Promise<LedgerReader> {
  return LEDGERS_HERE.read({ file });
}

/** The same for the commands of a test. */
export const LEDGERS_HERE: LedgerOpeners = {
  write: async ({ file, stateFolder = null, log = QUIET, committed }) => {
    const options = { log: withoutMemory(log), committed };
    return sqliteLedgerOver(await here((port) => serveWriter({ file, stateFolder }, port), options), file);
  },
  read: async ({ file }) => readerOver(await here((port) => serveReader({ file }, port))),
};

/** A ledger on Postgres and its reader, likewise. */
export async function openPostgresHere(
  address: PostgresAddress,
  stateFolder: string | null = null,
): Promise<Ledger> {
  return postgresLedgerOver(
    await here((port) => servePostgresWriter({ address, stateFolder }, port), { errorFor: postgresError }),
  );
}

export async function openPostgresReaderHere(address: PostgresAddress): Promise<LedgerReader> {
  return readerOver(
    await here((port) => servePostgresReader({ address }, port), { errorFor: postgresError }),
  );
}

/** The homes of tests lie in memory (temp-home.ts), and one warning says so. */
function withoutMemory(log: ThreadLog): ThreadLog {
  return {
    info: (fields, message) => log.info(fields, message),
    warn: (fields, message) => message.includes('tmpfs') || log.warn(fields, message),
    error: (fields, message) => log.error(fields, message),
  };
}

interface HereOptions {
  log?: ThreadLog;
  committed?: ((ms: number) => void) | undefined;
  errorFor?: (error: unknown) => Error;
}

/** Calls and answers are cloned, as they are on their way between threads. */
async function here(
  open: (port: Port) => Promise<Served>,
  { log = QUIET, committed, errorFor = ledgerError }: HereOptions = {},
) {
  const pending = new Map<number, (answer: ThreadAnswer) => void>();
  const answer = (answers: ThreadAnswer[], commitMs?: number) => {
    if (commitMs !== undefined) committed?.(commitMs);
    for (const each of structuredClone(answers)) pending.get(each[0])?.(each);
  };
  const served = await open({ answer, log }).catch((error: unknown) => {
    throw unpackError(packError(errorFor(error)));
  });
  let calls = 0;
  return {
    operations: served.operations,
    async call(operation: string, ...args: unknown[]): Promise<never> {
      const id = (calls += 1);
      const answered = new Promise<ThreadAnswer>((resolve) => pending.set(id, resolve));
      const asked = askedFrom.getStore();
      const given = structuredClone(args);
      served.runner.take([asked === undefined ? [id, operation, given] : [id, operation, given, asked]]);
      const [, error, result] = await answered;
      pending.delete(id);
      if (error !== null) throw unpackError(error);
      return result as never;
    },
    async close(): Promise<void> {
      await served.runner.drain();
      await served.close();
    },
  };
}
