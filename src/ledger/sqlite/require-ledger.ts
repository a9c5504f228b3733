import { statSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import { TumaError } from '../../domain/errors.ts';
import { PUT_BACK } from './lost-ledger.ts';
import { faultOf } from './sqlite-errors.ts';

/*
 * A ledger appears whole under its name (new-ledger.ts). So an empty file of that name, or one without a
 * schema, is a damaged ledger or another file. Tuma writes nothing into it.
 */

/** The facts that the first schema writes about itself. */
const IS_LEDGER = `
  SELECT 1 FROM fact, pragma_user_version AS schema, pragma_application_id AS file
  WHERE fact.name = 'ledger_id' AND schema.user_version >= 1 AND file.application_id = 0x54756d61`;

/** Throws `ledger_invalid` for an empty file. SQLite would remove the log of an empty database. */
export function refuseEmpty(file: string): void {
  if (statSync(file, { throwIfNoEntry: false })?.size === 0) throw noLedger(file, 'is empty');
}

/** Throws `ledger_invalid` for a database that is no ledger. */
export function requireLedger(database: DatabaseSync, file: string): void {
  if (!isLedger(database)) throw noLedger(file, 'is no ledger of Tuma, or one from before 0.1.0');
}

function isLedger(database: DatabaseSync): boolean {
  try {
    return database.prepare(IS_LEDGER).get() !== undefined;
  } catch (error) {
    // There is no such table.
    if (faultOf(error) === 'other') return false;
    throw error;
  }
}

function noLedger(file: string, what: string): TumaError {
  return new TumaError('ledger_invalid', {
    message: `The file ${file} ${what}.`,
    hint: `Nothing is read from it and nothing is sent. ${PUT_BACK}`,
  });
}
