import type { DatabaseSync } from 'node:sqlite';
import { wordKey } from '../../domain/text/printable.ts';
import type { Delivery } from '../../domain/message.ts';
import type { StateChange } from '../records.ts';
import type { CampaignRecords } from './campaigns.ts';
import type { ReportMatcher, UnjoinedReport } from './report-matcher.ts';
import type { MessageRef } from './message-ids.ts';
import { loadStatements } from './statements.ts';

/** The meanings that a person gave to words missing from the profile. They hold for earlier reports, too. */

/** The reports that one transaction decides. */
const STEP_REPORTS = 1_000;

/** One step of mapping a word: the reports with the word, after one of them. */
export interface MapStep extends StateChange {
  word: string;
  delivery: Delivery;
  /** Null: the first step, which writes the word down. */
  after: { spelling: string; report: number } | null;
}

/** The result of a step; `after` null: it was the last. */
export interface MapDone {
  count: number;
  after: MapStep['after'];
}

type Row = Omit<UnjoinedReport, 'delivery' | 'joined'> &
  ((MessageRef & { joined: 'joined' }) | { joined: UnjoinedReport['joined'] });

/** Mapped words (ledger/replies.ts): stored once, and their reports decided again. */
export function reportWordOperations(
  database: DatabaseSync,
  { campaigns, matcher }: { campaigns: CampaignRecords; matcher: ReportMatcher },
) {
  const sql = loadStatements(database, new URL('./report-words.sql', import.meta.url));

  /** The next spelling of the word in reports after `last`; null: that was all. */
  function nextSpelling(word: string, last: string): string | null {
    const all = sql('unknown_spellings')
      .all()
      .map((row) => String(row['word']));
    const same = all.filter((each) => wordKey(each) === wordKey(word) && each > last).toSorted();
    return same[0] ?? null;
  }

  function begin({ word, delivery, now, by }: MapStep): MapStep['after'] {
    sql('set_word').run(wordKey(word), word, delivery, now, by);
    campaigns.audit({ now, by, verb: 'map', campaign: null, detail: { word, delivery } });
    const spelling = nextSpelling(word, '');
    return spelling === null ? null : { spelling, report: 0 };
  }

  function give(row: Row, { delivery, now }: MapStep): void {
    sql('set_meaning').run(row.id, delivery);
    if (row.joined === 'joined') matcher.recomputeDelivery(row);
    else matcher.tryJoin({ ...row, delivery }, now);
  }

  return {
    mapStep(step: MapStep): MapDone {
      const { word, after } = step;
      if (after === null) return { count: 0, after: begin(step) };
      const { spelling, report } = after;
      const rows = sql('reports_with_word').all(spelling, report, STEP_REPORTS) as unknown as Row[];
      for (const row of rows) give(row, step);
      const last = rows.at(-1);
      if (last !== undefined && rows.length === STEP_REPORTS)
        return { count: rows.length, after: { spelling, report: last.id } };
      const next = nextSpelling(word, spelling);
      return { count: rows.length, after: next === null ? null : { spelling: next, report: 0 } };
    },
  };
}
