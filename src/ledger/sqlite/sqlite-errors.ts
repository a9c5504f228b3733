import type { Advice } from '../../domain/advice.ts';
import { TumaError } from '../../domain/errors.ts';

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

/** The meaning of an SQLite error to the caller. */
export type Fault = 'busy' | 'full' | 'broken' | 'readonly' | 'other';

/** Classes an error of `node:sqlite`; every other error is `other`. */
export function faultOf(error: unknown): Fault {
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

/** An error on its way from the ledger's thread to the caller; class instances do not survive it. */
export interface CarriedError {
  code: string | null;
  message: string;
  hint: string | null;
  advice: Advice | null;
  where: string | null;
  stack: string | null;
}

/** Packs an error to cross from one thread to another. */
export function packError(thrown: unknown): CarriedError {
  const error = ledgerError(thrown);
  const person = error instanceof TumaError;
  return {
    code: person ? error.code : null,
    message: error.message,
    hint: person ? error.hint : null,
    advice: person ? error.advice : null,
    where: person ? error.where : null,
    stack: error.stack ?? null,
  };
}

/** The error that packError packed. */
export function unpackError(carried: CarriedError): Error {
  const { code, message, hint, advice, where, stack } = carried;
  if (code === null) {
    const error = new Error(message);
    if (stack !== null) error.stack = stack;
    return error;
  }
  return new TumaError(code as TumaError['code'], { message, hint, advice, where });
}

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
