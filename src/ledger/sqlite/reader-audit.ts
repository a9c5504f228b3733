import type { DatabaseSync } from 'node:sqlite';
import type { AuditEntry, AuditTrail } from '../records.ts';
import { loadStatements } from './statements.ts';

type Row = Omit<AuditEntry, 'campaign' | 'detail'> & {
  campaign: string | null;
  name: string | null;
  detail: string;
  total: number;
};

/** Reads who did what, and when. */
export function auditReads(database: DatabaseSync) {
  const sql = loadStatements(database, new URL('./reader-audit.sql', import.meta.url));
  return {
    auditTrail({ campaign, limit }: { campaign: number | null; limit: number }): AuditTrail {
      const rows = sql('audit_trail').all(campaign, limit) as unknown as Row[];
      return { total: rows[0]?.total ?? 0, entries: rows.map(entryOf).toReversed() };
    },
  };
}

function entryOf({ at, by, from, verb, campaign: id, name, detail }: Row): AuditEntry {
  const campaign = id === null || name === null ? null : { id, name };
  return { at, by, from, verb, campaign, detail: JSON.parse(detail) as AuditEntry['detail'] };
}
