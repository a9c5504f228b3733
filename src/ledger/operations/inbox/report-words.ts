import { type Connection, runEach } from '../../connection.ts';
import { wordKey } from '../../../domain/text/printable.ts';
import type { ReplyLedger } from '../../contracts/replies.ts';
import type { CampaignRecords } from '../planning/campaigns.ts';
import type { ReportMatcher, UnjoinedReport } from './report-matcher.ts';
import type { MessagePlace } from '../../contracts/finding.ts';
import { loadStatements } from '../../statements.ts';

/** The meanings that a person gave to words missing from the profile. They hold for earlier reports, too. */

/** The reports that one transaction decides. */
const STEP_REPORTS = 1_000;

/** One step of mapping a word: the reports with it after one of them; null: the first step, which writes the word down. */
type MapStep = Parameters<ReplyLedger['mapWord']>[0] & { after: { spelling: string; report: number } | null };

type Row = Omit<UnjoinedReport, 'delivery' | 'joined'> &
  ((MessagePlace & { joined: 'joined' }) | { joined: UnjoinedReport['joined'] });

/** Mapped words (contracts/replies.ts): stored once, and their reports decided again. */
export function reportWordOperations(
  database: Connection,
  { campaigns, matcher }: { campaigns: CampaignRecords; matcher: ReportMatcher },
) {
  const sql = loadStatements(database, new URL('./report-words.sql', import.meta.url));

  /** The next spelling of the word in reports after `last`; null: that was all. */
  async function nextSpelling(word: string, last: string): Promise<string | null> {
    const all = await sql<{ word: string }>('unknown_spellings').all(last);
    return all.find((each) => wordKey(each.word) === wordKey(word))?.word ?? null;
  }

  async function begin({ word, delivery, now, by }: MapStep): Promise<MapStep['after']> {
    await sql('set_word').run(wordKey(word), delivery);
    await campaigns.audit({ now, by, verb: 'map', campaign: null, detail: { word, delivery } });
    const spelling = await nextSpelling(word, '');
    return spelling === null ? null : { spelling, report: 0 };
  }

  async function give(rows: readonly Row[], { delivery, now }: MapStep): Promise<void> {
    await runEach(sql('set_meaning'), rows, ({ id }) => [id, delivery]);
    await matcher.recomputeDeliveries(rows.filter((row) => row.joined === 'joined'));
    for (const row of rows) if (row.joined !== 'joined') await matcher.tryJoin({ ...row, delivery }, now);
  }

  return {
    async mapStep(step: MapStep): Promise<{ count: number; after: MapStep['after'] }> {
      const { word, after } = step;
      if (after === null) return { count: 0, after: await begin(step) };
      const { spelling, report } = after;
      const rows = await sql<Row>('reports_with_word').all(spelling, report, STEP_REPORTS);
      await give(rows, step);
      const last = rows.at(-1);
      if (last !== undefined && rows.length === STEP_REPORTS)
        return { count: rows.length, after: { spelling, report: last.id } };
      const next = await nextSpelling(word, spelling);
      return { count: rows.length, after: next === null ? null : { spelling: next, report: 0 } };
    },
  };
}
