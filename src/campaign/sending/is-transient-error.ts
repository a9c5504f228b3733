import { TumaError } from '../../domain/errors.ts';

/** The ledger is locked or full, and takes everything as soon as it is not. */
export function isPassing(error: unknown): boolean {
  return error instanceof TumaError && (error.code === 'ledger_busy' || error.code === 'ledger_full');
}
