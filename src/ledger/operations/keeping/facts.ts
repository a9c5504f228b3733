import type { LedgerFacts, StateChange } from '../../contracts/records.ts';
import type { CampaignRecords } from '../planning/campaigns.ts';
import type { Connection } from '../../connection.ts';
import type { Engine } from '../../engine.ts';
import { loadStatements } from '../../statements.ts';

/** The ledger's facts about itself, and what a person says of it as a whole. */
export function factOperations(
  database: Connection,
  { campaigns, engine }: { campaigns: Pick<CampaignRecords, 'audit'>; engine: Engine },
) {
  const sql = loadStatements(database, new URL('./facts.sql', import.meta.url));
  return {
    async answerLoss({ now, by }: StateChange): Promise<void> {
      await campaigns.audit({ now, by, verb: 'answer-loss', campaign: null, detail: {} });
    },
    async begin({ now, by }: StateChange): Promise<void> {
      await campaigns.audit({ now, by, verb: 'begin', campaign: null, detail: {} });
    },
    async facts(): Promise<LedgerFacts> {
      return {
        ledgerId: String((await sql('fact').get('ledger_id'))?.['value']),
        unused: (await sql('was_used').get()) === undefined,
        schemaVersion: await engine.schemaVersion(),
        engine: await engine.name(),
        audited: Number((await sql('audited').get())?.['audited']),
      };
    },
  };
}
