import type { DatabaseSync } from 'node:sqlite';
import type { LedgerFacts } from '../records.ts';
import { schemaVersion } from './migrate.ts';
import { loadStatements } from './statements.ts';

const SQL = new URL('./facts.sql', import.meta.url);
/** Records the clock behind each future due time, so that a clock that was ahead is noticed when it is set right. */
export function clockSign(database: DatabaseSync): (now: number) => void {
  const sql = loadStatements(database, SQL);
  return (now) => void sql('note_time').run(now);
}

/** What the ledger knows about itself. */
export function factOperations(database: DatabaseSync) {
  const sql = loadStatements(database, SQL);
  return {
    facts(): LedgerFacts {
      return {
        ledgerId: String(sql('fact').get('ledger_id')?.['value']),
        unused: sql('was_used').get() === undefined,
        schemaVersion: schemaVersion(database),
        engine: String(sql('engine').get()?.['engine']),
        audited: Number(sql('audited').get()?.['audited']),
      };
    },
  };
}
