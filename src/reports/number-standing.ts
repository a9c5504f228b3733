import type { LedgerReader } from '../ledger/contracts/reader.ts';
import type { OptOutEvent, OptOutRow } from '../ledger/contracts/replies.ts';

/** Whether offers may go to a number, and how it came to that. */
export interface NumberStanding {
  mobile: string;
  /** What speaks against it, one row a sender; empty: offers may go to it. */
  optOuts: OptOutRow[];
  /** The oldest first. */
  history: OptOutEvent[];
}

/** More senders than one number is ever opted out of. */
const MOST_OF_ONE_NUMBER = 200;

/** The standing of one number (international digits). */
export async function numberStanding(
  reader: Pick<LedgerReader, 'optOuts' | 'optOutHistory'>,
  mobile: string,
): Promise<NumberStanding> {
  const after = { mobile, kind: '', sender: '' } as const;
  const near = await reader.optOuts({ after, limit: MOST_OF_ONE_NUMBER });
  const optOuts = near.filter((row) => row.mobile === mobile);
  return { mobile, optOuts, history: await reader.optOutHistory(mobile) };
}
