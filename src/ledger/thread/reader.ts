import { TumaError } from '../../domain/errors.ts';
import type { LedgerReader, MessageRow, Violation } from '../contracts/reader.ts';
import type { CostCell } from '../contracts/statement.ts';
import { type Forwards, forwards, type Functions } from './forwards.ts';
import type { Caller } from './ledger-thread.ts';
import type { Span } from '../operations/reading/campaigns.ts';
import { messageRow } from '../operations/reading/messages.ts';
import { sumOfCells } from '../operations/reading/statement.ts';
import type { ReaderOperations } from '../operations/reader.ts';

/** Messages read in one transaction: about a quarter of a second, so that no reader blocks the log. */
const PAGE_MESSAGES = 250_000;

/** Runs the operations of the reading thread, each in one snapshot. */
type LedgerReads = Caller<ReaderOperations>;
type Reads = Forwards<ReaderOperations>;

/** The reader over any runner of the operations. A method is the operation of its name, except for these. */
export function readerOver(caller: LedgerReads): LedgerReader {
  const reads = forwards(caller);
  return {
    ...reads,
    campaigns: () => reads.overviews(null),
    overview: async (campaign) => known((await reads.overviews(campaign))[0], campaign),

    async costs({ campaign, midnights }) {
      const read: CostCell[] = [];
      for await (const span of pages(reads, campaign))
        read.push(...(await reads.costCells({ ...span, midnights })));
      return sumOfCells(read);
    },

    messages: (query) => messagePage(reads, query),

    async sharedWith(campaign, { from, to }) {
      const shared: string[] = [];
      for (const { n, id } of await reads.neighbours({ campaign, to })) {
        if (await reads.inFlightBetween({ campaign: n, from, to })) shared.push(id);
      }
      return shared;
    },

    campaignCounters: async (campaign, unreportedBefore) =>
      known(await reads.campaignCounters(campaign, unreportedBefore), campaign),
    violations: (campaign) => allViolations(reads, campaign),
    close: () => caller.close(),
  } satisfies Functions<LedgerReader>;
}

/** The reader without a thread, over a connection that nobody else uses. */
export function readerHere(operations: ReaderOperations): LedgerReader {
  const named = operations as unknown as Record<string, (...given: unknown[]) => unknown>;
  return readerOver({
    operations: Object.keys(named),
    call: async (name: string, ...given: unknown[]) => named[name]?.(...given) as never,
    close: async () => undefined,
  });
}

function known<Found>(found: Found | undefined, campaign: number): Found {
  if (found !== undefined) return found;
  throw new TumaError('not_found', { message: `There is no campaign number ${campaign}.` });
}

/** The campaign's messages in spans of a bounded size. */
async function* pages(reads: Reads, campaign: number): AsyncGenerator<Span> {
  const last = await reads.lastSeq(campaign);
  for (let firstSeq = 1; firstSeq <= last; firstSeq += PAGE_MESSAGES) {
    yield { campaign, firstSeq, lastSeq: Math.min(last, firstSeq + PAGE_MESSAGES - 1) };
  }
}

type MessageQuery = Parameters<LedgerReader['messages']>[0];

/** A page of `limit` messages, or fewer at the campaign's end. Rare states are searched span by span. */
async function messagePage(reads: Reads, { afterSeq, limit, ...query }: MessageQuery): Promise<MessageRow[]> {
  const spanAt = (firstSeq: number, most: number) =>
    reads.messages({ ...query, firstSeq, lastSeq: firstSeq + PAGE_MESSAGES - 1, limit: most });
  // Most pages are full after their first span, so the campaign's end is asked for behind it.
  const first = await spanAt(afterSeq + 1, limit);
  const end = first.length < limit ? await reads.lastSeq(query.campaign) : 0;
  if (end <= afterSeq + PAGE_MESSAGES) return first.map(messageRow);
  // Read anew, because an upload may have added the rest of the first span meanwhile.
  const rows: MessageRow[] = [];
  for (let firstSeq = afterSeq + 1; firstSeq <= end && rows.length < limit; firstSeq += PAGE_MESSAGES)
    for (const cells of await spanAt(firstSeq, limit - rows.length)) rows.push(messageRow(cells));
  return rows;
}

async function allViolations(reads: Reads, only: number | null): Promise<Violation[]> {
  const found = await reads.checkLedger();
  if (found.some(({ invariant }) => invariant === 'damaged')) return found;
  found.push(...(await reads.checkSums(only)));
  const campaigns = await reads.campaigns(only);
  if (only !== null) known(campaigns[0], only);
  for (const { n, id } of campaigns) {
    found.push(...(await reads.checkCounters({ campaign: n, id })));
    for await (const span of pages(reads, n)) found.push(...(await reads.checkPage({ ...span, id })));
  }
  return found;
}
