import type { Connection } from '../../connection.ts';
import type { AuditEntry, AuditPage, AuditPlace, AuditTrail } from '../../contracts/records.ts';
import { type Sql, loadStatements } from '../../statements.ts';
import { mapInOrder } from '../../in-order.ts';

type Row = Omit<AuditEntry, 'campaign' | 'detail'> & {
  campaign: string | null;
  name: string | null;
  detail: string;
  total: number;
};

/** Opt-outs of one number or of many that a person ordered at once. */
interface OptOutRow {
  /** Of the last of them. */
  id: number;
  at: number;
  by: string;
  from: string | null;
  change: 'added' | 'removed';
  source: string;
  numbers: number;
}

interface AuditQuery {
  campaign: number | null;
  before: AuditPlace | null;
  limit: number;
}

/** An entry with its place in the list that it comes from. */
type Placed = AuditEntry & { place: number; of: keyof AuditPlace };

/** Before the first row. */
const END = Number.MAX_SAFE_INTEGER;
/** Orders of the same millisecond stand on one page; there are never more of them. */
const MOST_AT_ONCE = 20;

/** Reads who did what, and when. */
export function auditReads(database: Connection) {
  const sql = loadStatements(database, new URL('./reader-audit.sql', import.meta.url));
  return {
    async auditTrail({ campaign, limit }: { campaign: number | null; limit: number }): Promise<AuditTrail> {
      const rows = (await sql('audit_trail').all(campaign, limit)) as unknown as Row[];
      return { total: rows[0]?.total ?? 0, entries: rows.map(entryOf).toReversed() };
    },
    auditPage: (query: AuditQuery): Promise<AuditPage> => pageOf(sql, query),
  };
}

function entryOf({ at, by, from, verb, campaign: id, name, detail }: Row): AuditEntry {
  const campaign = id === null || name === null ? null : { id, name };
  return { at, by, from, verb, campaign, detail: JSON.parse(detail) as AuditEntry['detail'] };
}

/** Two tables, each in the order of its ids, become one list in the order of time. */
async function pageOf(sql: Sql, { campaign, before, limit }: AuditQuery): Promise<AuditPage> {
  const place = before ?? { audit: END, optOut: END };
  const rows = (await sql('audit_before').all(campaign, place.audit, limit + 1)) as unknown as (Row & {
    id: number;
  })[];
  const verbs = rows.map((row): Placed => ({ ...entryOf(row), place: row.id, of: 'audit' }));
  const optOuts = campaign === null ? await optOutEntries(sql, place.optOut, limit + MOST_AT_ONCE) : [];
  const all = merged(verbs, optOuts);
  const end = endOfPage(all, limit);
  const shown = all.slice(0, end);
  const last = (of: keyof AuditPlace) => shown.findLast((entry) => entry.of === of)?.place ?? place[of];
  const next = all.length > end ? { audit: last('audit'), optOut: last('optOut') } : null;
  return { entries: shown.map(({ place: _place, of: _of, ...entry }) => entry), next };
}

/** Opt-outs are placed by their time, so those of one time stay together. */
function endOfPage(all: readonly Placed[], limit: number): number {
  let end = limit;
  const isSame = (a?: Placed, b?: Placed) => a?.of === 'optOut' && b?.of === 'optOut' && a.place === b.place;
  while (isSame(all[end - 1], all[end])) end += 1;
  return end;
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
async function optOutEntries(sql: Sql, before: number, limit: number): Promise<Placed[]> {
  const rows = (await sql('ordered_opt_outs_before').all(before, limit)) as unknown as OptOutRow[];
  return await mapInOrder(rows, async ({ id, at, by, from, change, source, numbers }) => ({
    place: at,
    of: 'optOut',
    at,
    by,
    from,
    verb: change === 'added' ? 'add opt-outs' : 'remove opt-outs',
    campaign: null,
    detail: { numbers, ...(numbers === 1 ? await sql('one_opt_out').get(id) : {}), source },
  }));
}
