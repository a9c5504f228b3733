import { TumaError } from '../../domain/errors.ts';
import type { Fault } from '../thread/transactions.ts';

/* The meaning of SQLite's result codes. With one exception only the primary code (the low byte) decides. */

const BUSY = 5;
const READONLY = 8;
const IOERR = 10;
const CORRUPT = 11;
const FULL = 13;
const CANTOPEN = 14;
const NOTADB = 26;
/** SQLITE_IOERR_SHMSIZE: there is no space for the 32 kB of shared memory that the first process makes. */
const NO_SHARED_MEMORY = IOERR | (19 << 8);

/** What an error of SQLite can mean: a transaction of one file's only writer is never undone from outside. */
type SqliteFault = Exclude<Fault, 'again' | 'unknown'>;

/** Classes an error of `node:sqlite`; every other error is `other`. */
export function faultOf(error: unknown): SqliteFault {
  const code = codeOf(error);
  if (code === NO_SHARED_MEMORY) return 'full';
  switch (code & 0xff) {
    case BUSY:
      return 'busy';
    case FULL:
      return 'full';
    case IOERR:
    case CORRUPT:
    case NOTADB:
      return 'broken';
    case READONLY:
    case CANTOPEN:
      return 'readonly';
    default:
      return 'other';
  }
}

/** The error for a person. A TumaError and an error outside of SQLite stay unchanged. */
export function ledgerError(error: unknown): Error {
  if (error instanceof TumaError) return error;
  const fault = faultOf(error);
  if (fault === 'other') return error instanceof Error ? error : new Error(String(error));
  const { code, message, hint } = FOR_PEOPLE[fault];
  return new TumaError(code, { message: message.replace('<text>', textOf(error)), hint, cause: error });
}

const FOR_PEOPLE = {
  busy: {
    code: 'ledger_busy',
    message: 'Another process held the ledger for too long.',
    hint: 'Wait for it to finish; `lsof ledger.db` names it.',
  },
  full: {
    code: 'ledger_full',
    message: 'The disk that holds the ledger is full.',
    hint: 'Nothing was lost. Free some space and run the command again.',
  },
  broken: {
    code: 'ledger_invalid',
    message: 'The ledger cannot be trusted: <text>.',
    hint: 'Stop every tuma process, check the disk, and restore the latest backup if the ledger is damaged.',
  },
  readonly: {
    code: 'ledger_invalid',
    message: 'The ledger cannot be written: <text>.',
    hint: 'Make TUMA_HOME writable for this user, on a local disk.',
  },
} as const;

function codeOf(error: unknown): number {
  if (typeof error !== 'object' || error === null || !('errcode' in error)) return 0;
  return Number(error.errcode);
}

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** An error like SQLite's own for a lock of another process. */
export function busyError(message: string): Error {
  return Object.assign(new Error(message), { errcode: BUSY });
}

const PATIENCE_MS = 10_000;

/** Repeats `attempt` while another process holds the lock, without blocking the thread. */
export async function whenFree<Result>(attempt: () => Result, patienceMs = PATIENCE_MS): Promise<Result> {
  const deadline = performance.now() + patienceMs;
  for (;;) {
    try {
      return attempt();
    } catch (error) {
      if (faultOf(error) !== 'busy' || performance.now() > deadline) throw error;
    }
    await new Promise((resolve) => {
      setTimeout(resolve, 2 + Math.random() * 20);
    });
  }
}
