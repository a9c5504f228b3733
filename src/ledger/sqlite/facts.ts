import type { DatabaseSync } from 'node:sqlite';
import type { LedgerFacts } from '../records.ts';
import { schemaVersion } from './migrate.ts';
import { loadStatements } from './statements.ts';

/** The ledger's facts about itself. */
export function factOperations(database: DatabaseSync) {
  const sql = loadStatements(database, new URL('./facts.sql', import.meta.url));
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
