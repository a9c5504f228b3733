import type { OptOutRow } from '../ledger/contracts/replies.ts';
import { isoTime } from './campaign-report.ts';

/** The header of a file of opt-outs, which an import takes back. */
export const OPT_OUT_COLUMNS = ['mobile', 'kind', 'sender', 'source', 'since', 'evidence'];

/** Those of OPT_OUT_COLUMNS that are times. */
export const OPT_OUT_TIMES = ['since'];

/** An opt-out as one line of a file. */
export function optOutCells({ mobile, kind, sender, source, at, evidence }: OptOutRow) {
  return [mobile, kind, sender, source, isoTime(at), evidence];
}
