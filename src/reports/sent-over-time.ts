import type { Campaign } from '../domain/campaign.ts';
import type { LedgerReader } from '../ledger/contracts/reader.ts';

/** Messages that left in one span of time, and those of them that were delivered. Times in milliseconds. */
export interface SentSpan {
  from: number;
  to: number;
  sent: number;
  delivered: number;
}

/** Lengths of a span: seconds, minutes, hours, days. */
const LENGTHS_MS = [1, 2, 5, 10, 30, 60, 120, 300, 600, 1_800, 3_600, 7_200, 21_600, 43_200, 86_400].map(
  (seconds) => seconds * 1_000,
);
const MOST_SPANS = 48;

/**
 * The sent and delivered messages of a campaign over time, in at most 48 spans of equal length from its first to its
 * last message. Empty: nothing was sent.
 */
export async function sentOverTime(
  reader: LedgerReader,
  { campaign, first, last }: { campaign: Campaign; first: number | null; last: number | null },
): Promise<SentSpan[]> {
  if (first === null || last === null) return [];
  const length = lengthFor(last - first);
  const begin = Math.floor(first / length) * length;
  const count = Math.floor((last - begin) / length) + 1;
  const midnights = Array.from({ length: count + 1 }, (_, at) => begin + at * length);
  const spans = midnights.slice(0, -1).map((from) => ({ from, to: from + length, sent: 0, delivered: 0 }));
  for (const { day, sent, delivered } of await reader.costs({ campaign: campaign.n, midnights })) {
    const span = day === null ? undefined : spans[day];
    if (span === undefined) continue;
    span.sent += sent;
    span.delivered += delivered;
  }
  return spans;
}

function lengthFor(ms: number): number {
  const day = LENGTHS_MS.at(-1) ?? 1;
  const fits = LENGTHS_MS.find((length) => ms / length < MOST_SPANS - 1);
  return fits ?? Math.ceil(ms / day / (MOST_SPANS - 1)) * day;
}
