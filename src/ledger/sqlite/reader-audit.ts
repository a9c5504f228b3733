import type { DatabaseSync } from 'node:sqlite';
import type { AuditEntry, AuditPage, AuditPlace, AuditTrail } from '../records.ts';
import { type Sql, loadStatements } from './statements.ts';

type Row = Omit<AuditEntry, 'campaign' | 'detail'> & {
  campaign: string | null;
  name: string | null;
  detail: string;
  total: number;
};

/** An opt-out that a person ordered. */
interface OptOutRow {
  id: number;
  at: number;
  by: string;
  from: string | null;
  change: 'added' | 'removed';
  source: string;
  mobile: string;
  evidence: string | null;
}

interface AuditQuery {
  campaign: number | null;
  before: AuditPlace | null;
  limit: number;
}

/** An entry with its place in the table that it comes from. */
type Placed = AuditEntry & { id: number; of: keyof AuditPlace };

/** Before the first row. */
const END = Number.MAX_SAFE_INTEGER;

/** Reads who did what, and when. */
export function auditReads(database: DatabaseSync) {
  const sql = loadStatements(database, new URL('./reader-audit.sql', import.meta.url));
  return {
    auditTrail({ campaign, limit }: { campaign: number | null; limit: number }): AuditTrail {
      const rows = sql('audit_trail').all(campaign, limit) as unknown as Row[];
      return { total: rows[0]?.total ?? 0, entries: rows.map(entryOf).toReversed() };
    },
    auditPage: (query: AuditQuery): AuditPage => pageOf(sql, query),
  };
}

function entryOf({ at, by, from, verb, campaign: id, name, detail }: Row): AuditEntry {
  const campaign = id === null || name === null ? null : { id, name };
  return { at, by, from, verb, campaign, detail: JSON.parse(detail) as AuditEntry['detail'] };
}

/** Two tables, each in the order of its ids, become one list in the order of time. */
function pageOf(sql: Sql, { campaign, before, limit }: AuditQuery): AuditPage {
  const place = before ?? { audit: END, optOut: END };
  const rows = sql('audit_before').all(campaign, place.audit, limit + 1) as unknown as (Row & {
    id: number;
  })[];
  const verbs = rows.map((row): Placed => ({ ...entryOf(row), id: row.id, of: 'audit' }));
  const optOuts = campaign === null ? optOutEntries(sql, place.optOut, limit + 1) : [];
  const all = merged(verbs, optOuts);
  const shown = all.slice(0, limit);
  const last = (of: keyof AuditPlace) => shown.findLast((entry) => entry.of === of)?.id ?? place[of];
  const next = all.length > limit ? { audit: last('audit'), optOut: last('optOut') } : null;
  return { entries: shown.map(({ id: _id, of: _of, ...entry }) => entry), next };
}

/** The order within each list stays, because a clock may have been set back. */
function merged(one: Placed[], other: Placed[]): Placed[] {
  const all: Placed[] = [];
  const [left, right] = [one.toReversed(), other.toReversed()];
  for (;;) {
    const [a, b] = [left.at(-1), right.at(-1)];
    if (a === undefined && b === undefined) return all;
    const next = b === undefined || (a !== undefined && a.at >= b.at) ? left.pop() : right.pop();
    if (next !== undefined) all.push(next);
  }
}

/** An import is one entry a commit. */
function optOutEntries(sql: Sql, before: number, limit: number): Placed[] {
  const groups: OptOutRow[][] = [];
  for (const row of sql('ordered_opt_outs_before').iterate(
    before,
  ) as Iterable<unknown> as Iterable<OptOutRow>) {
    const [first] = groups.at(-1) ?? [];
    if (first !== undefined && isOfOneOrder(first, row)) groups.at(-1)?.push(row);
    else if (groups.length === limit) break;
    else groups.push([row]);
  }
  return groups.map(optOutEntry);
}

function isOfOneOrder(one: OptOutRow, other: OptOutRow): boolean {
  const keys = ['at', 'by', 'from', 'change', 'source'] as const;
  return keys.every((key) => one[key] === other[key]);
}

function optOutEntry(rows: OptOutRow[]): Placed {
  const { at, by, from, change, source, mobile, evidence } = rows[0] as OptOutRow;
  return {
    id: rows.at(-1)?.id ?? 0,
    of: 'optOut',
    at,
    by,
    from,
    verb: change === 'added' ? 'add opt-outs' : 'remove opt-outs',
    campaign: null,
    detail: rows.length === 1 ? { numbers: 1, mobile, source, evidence } : { numbers: rows.length, source },
  };
}
