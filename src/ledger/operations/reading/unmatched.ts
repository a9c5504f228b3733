import type { Connection } from '../../connection.ts';
import { idForm, plainForms } from '../../../domain/message-id.ts';
import type { UnmatchedExample, UnmatchedReports } from '../../../domain/unmatched-reports.ts';
import type { RepeatedId, ReplyReader } from '../../contracts/replies.ts';
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

type Known = { known: string };

/** Reads reports that fit no message, and ids that fit several. */
export function unmatchedReads(database: Connection): Pick<ReplyReader, 'unmatchedReports' | 'repeatedIds'> {
  const sql = loadStatements(database, new URL('./unmatched.sql', import.meta.url));
  return {
    async unmatchedReports({ since, until }) {
      const found = (await sql('unmatched').get(since, until)) as unknown as Omit<
        UnmatchedReports,
        'example'
      >;
      if (found.count + found.ambiguous === 0) return { ...found, example: null };
      const latest = await sql<Unmatched>('latest').all(since, until, MOST_COMPARED);
      return { ...found, example: await exampleOf(sql, latest) };
    },

    async repeatedIds(limit) {
      const rows = await sql<RepeatedId & { total: number }>('repeated_ids').all(limit);
      return { total: rows[0]?.total ?? 0, ids: rows.map(({ total: _total, ...id }) => id) };
    },
  };
}

/** The pair that says most: two forms of one id, then an id for the report's mobile, then any id. */
async function exampleOf(sql: Sql, latest: Unmatched[]): Promise<UnmatchedExample | null> {
  const pairs = await mapInOrder(latest, (report) => pairOf(sql, report));
  const best =
    pairs.find(({ form }) => form !== null) ?? pairs.find(({ sameMobile }) => sameMobile) ?? pairs[0];
  if (best === undefined || best.known !== null) return best ?? null;
  return { ...best, known: (await sql<Known>('some_id').get())?.known ?? null };
}

async function pairOf(sql: Sql, { reported, mobile, webhook }: Unmatched): Promise<UnmatchedExample> {
  const sent = mobile === null ? [] : await sql<Known>('ids_to').all(mobile, MOST_IDS);
  const ofMobile = sent.map(({ known }) => known);
  const alike = ofMobile.find((id) => idForm(reported, id) !== null);
  const elsewhere = await sql<Known>('id_like').get(JSON.stringify(plainForms(reported)));
  const known = alike ?? elsewhere?.known ?? ofMobile[0] ?? null;
  const form = known === null ? null : idForm(reported, known);
  return { reported, webhook, known, sameMobile: known !== null && ofMobile.includes(known), form };
}
