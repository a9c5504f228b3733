import { UNMATCHED_AFTER_MS, UNMATCHED_SPAN_MS, type UnmatchedReports } from '../domain/unmatched-reports.ts';
import type { LedgerReader } from '../ledger/contracts/reader.ts';

/** What helps where reports fit no message. */
export const UNMATCHED_HINT =
  'If the id of a message is another one in its reports, another field may hold it: `reports.fields.message_id` in the profile.';

/** The reports of the last days that fit no message, without those that may only be early. */
export async function recentlyUnmatched(reader: LedgerReader, now: number): Promise<UnmatchedReports> {
  return reader.unmatchedReports({ since: now - UNMATCHED_SPAN_MS, until: now - UNMATCHED_AFTER_MS });
}
