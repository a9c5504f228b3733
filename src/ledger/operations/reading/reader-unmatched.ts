import type { Connection } from '../../connection.ts';
import { idForm, plainForms } from '../../../domain/message-id.ts';
import type { UnmatchedExample, UnmatchedReports } from '../../../domain/unmatched-reports.ts';
import type { RepeatedId, RepeatedIds } from '../../contracts/replies.ts';
import { type Sql, loadStatements } from '../../statements.ts';
import { mapInOrder } from '../../in-order.ts';

/** The latest reports that are compared with ids of ours. */
const MOST_COMPARED = 20;
/** The latest ids of messages to one mobile. */
const MOST_IDS = 5;

interface Unmatched {
  reported: string;
  mobile: string | null;
  webhook: number;
}

/** Reads reports that fit no message, and ids that fit several. */
export function unmatchedReads(database: Connection) {
  const sql = loadStatements(database, new URL('./reader-unmatched.sql', import.meta.url));
  return {
    async unmatchedReports({ since, until }: { since: number; until: number }): Promise<UnmatchedReports> {
      const found = (await sql('unmatched').get(since, until)) as unknown as Omit<
        UnmatchedReports,
        'example'
      >;
      if (found.count + found.ambiguous === 0) return { ...found, example: null };
      const latest = (await sql('latest').all(since, until, MOST_COMPARED)) as unknown as Unmatched[];
      return { ...found, example: await exampleOf(sql, latest) };
    },

    async repeatedIds(limit: number): Promise<RepeatedIds> {
      const rows = (await sql('repeated_ids').all(limit)) as unknown as (RepeatedId & { total: number })[];
      const ids = rows.map(({ messageId, messages, undecided }) => ({ messageId, messages, undecided }));
      return { total: rows[0]?.total ?? 0, ids };
    },
  };
}

/** The pair that says most: two forms of one id, then an id for the report's mobile, then any id. */
async function exampleOf(sql: Sql, latest: Unmatched[]): Promise<UnmatchedExample | null> {
  const pairs = await mapInOrder(latest, (report) => pairOf(sql, report));
  const best =
    pairs.find(({ form }) => form !== null) ?? pairs.find(({ sameMobile }) => sameMobile) ?? pairs[0];
  if (best === undefined || best.known !== null) return best ?? null;
  const [any] = idsIn(await sql('some_id').all());
  return { ...best, known: any ?? null };
}

async function pairOf(sql: Sql, { reported, mobile, webhook }: Unmatched): Promise<UnmatchedExample> {
  const ofMobile = mobile === null ? [] : idsIn(await sql('ids_to').all(mobile, MOST_IDS));
  const alike = ofMobile.find((id) => idForm(reported, id) !== null);
  const [elsewhere] = idsIn(await sql('id_like').all(JSON.stringify(plainForms(reported))));
  const known = alike ?? elsewhere ?? ofMobile[0] ?? null;
  const form = known === null ? null : idForm(reported, known);
  return { reported, webhook, known, sameMobile: known !== null && ofMobile.includes(known), form };
}

function idsIn(rows: Record<string, unknown>[]): string[] {
  return rows.map((row) => String(row['known']));
}
