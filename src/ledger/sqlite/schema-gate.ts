import type { DatabaseSync } from 'node:sqlite';
import { TumaError } from '../../domain/errors.ts';
import type { GuardedOperations } from './stale-ledger-guard.ts';

/**
 * An upgrade while this process runs (S13): a newer Tuma has brought the schema forward, and may stop messages by rules
 * that this program does not know. So it claims and launches nothing more; what it has in flight is still recorded. Its
 * heartbeat fails too, which ends it, in time for its service to start the newer one.
 */

const LEADS_TO_MESSAGES = [
  'claim',
  'takeSlots',
  'activate',
  'fireStep',
  'beginUpload',
  'uploadStep',
  'heartbeat',
] as const satisfies readonly (keyof GuardedOperations)[];

/** The operations; those that lead to messages throw `ledger_newer` once the schema is not `known`, this program's. */
export function gatedBySchema<Operations extends GuardedOperations>(
  database: DatabaseSync,
  operations: Operations,
  known: number,
): Operations {
  const version = database.prepare('PRAGMA user_version');
  const gated = { ...operations };
  for (const name of LEADS_TO_MESSAGES) {
    const operation = operations[name] as (request: never) => unknown;
    const refusing = (request: never) => {
      // In the transaction of the operation itself: nothing can come between.
      if (Number(version.get()?.['user_version']) !== known) throw newerSchema();
      return operation(request);
    };
    Object.assign(gated, { [name]: refusing });
  }
  return gated;
}

function newerSchema(): TumaError {
  return new TumaError('ledger_newer', {
    message: 'A newer Tuma has migrated the ledger while this one runs; this one sends nothing more.',
    hint: 'Start this process again with the newer Tuma.',
  });
}
