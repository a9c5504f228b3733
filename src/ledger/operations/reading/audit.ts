import type { Connection } from '../../connection.ts';
import type { LedgerReader } from '../../contracts/reader.ts';
import type { AuditEntry } from '../../contracts/records.ts';
import { loadStatements } from '../../statements.ts';

type Row = Omit<AuditEntry, 'campaign' | 'detail'> & {
  id: number;
  campaignId: string | null;
  name: string | null;
  detail: string;
  total: number;
};

/** Reads who did what, and when. */
export function auditReads(database: Connection): Pick<LedgerReader, 'auditTrail' | 'auditPage'> {
  const sql = loadStatements(database, new URL('./audit.sql', import.meta.url));
  const latest = async (campaign: number | null, before: number | null, limit: number) =>
    await sql<Row>('audit').all(campaign, before ?? Number.MAX_SAFE_INTEGER, limit);
  return {
    async auditTrail({ campaign, limit }) {
      const rows = await latest(campaign, null, limit);
      return { total: rows[0]?.total ?? 0, entries: rows.map(entryOf).toReversed() };
    },

    async auditPage({ campaign, before, limit }) {
      const rows = await latest(campaign, before, limit + 1);
      const shown = rows.slice(0, limit);
      return { entries: shown.map(entryOf), next: rows.length > limit ? (shown.at(-1)?.id ?? null) : null };
    },
  };
}

function entryOf({ at, by, from, verb, campaignId: id, name, detail }: Row): AuditEntry {
  const campaign = id === null || name === null ? null : { id, name };
  return { at, by, from, verb, campaign, detail: JSON.parse(detail) as AuditEntry['detail'] };
}
