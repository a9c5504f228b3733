import type { DatabaseSync } from 'node:sqlite';
import type { LedgerFacts, StateChange } from '../records.ts';
import type { CampaignRecords } from './campaigns.ts';
import { schemaVersion } from './migrate.ts';
import { loadStatements } from './statements.ts';

/** The ledger's facts about itself, and what a person says of it as a whole. */
export function factOperations(database: DatabaseSync, campaigns: Pick<CampaignRecords, 'audit'>) {
  const sql = loadStatements(database, new URL('./facts.sql', import.meta.url));
  return {
    answerLoss({ now, by }: StateChange): void {
      campaigns.audit({ now, by, verb: 'answer-loss', campaign: null, detail: {} });
    },
    begin({ now, by }: StateChange): void {
      campaigns.audit({ now, by, verb: 'begin', campaign: null, detail: {} });
    },
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
