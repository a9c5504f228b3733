import { TumaError } from '../../domain/errors.ts';
import type {
  CampaignOverview,
  LedgerReader,
  MessageRow,
  UncertainQuery,
  UncertainRow,
  Violation,
} from '../reader.ts';
import type { CostCell } from '../statement.ts';
import { type LedgerThread, startLedgerThread, threadFile } from './ledger-thread.ts';
import type { CampaignFacts, Span, StateCounts } from './reader-campaigns.ts';
import { messageRows, mostFrequent } from './reader-messages.ts';
import type { LatencyPage } from './reader-tallies.ts';
import { sumOfCells } from './reader-statement.ts';
import { addTally, emptyTally, talliesFrom } from './reader-tally-sum.ts';
import type { ReaderOperations } from './serve-reader.ts';

/** Messages read in one transaction: about a quarter of a second, so that no reader blocks the log. */
const PAGE_MESSAGES = 250_000;
const RATE_SECONDS = 10;

/** Runs the operations of the reading thread, each in one snapshot. */
export type LedgerReads = Pick<LedgerThread<ReaderOperations>, 'call' | 'close'>;
type Thread = LedgerReads;

/**
 * Opens the ledger for reading, on a thread of its own. Counts read messages page by page. Each message is
 * seen once, whole, so the numbers always add up, although a sending campaign moves on between two pages.
 */
export async function openSqliteReader({ file }: { file: string }): Promise<LedgerReader> {
  const thread = await startLedgerThread<ReaderOperations>({
    entry: threadFile('reader-thread', import.meta.url),
    file,
  });
  return readerOver(thread);
}

/** The reads before a cancel. */
function ofPeople(thread: LedgerReads) {
  return {
    peopleLeft: (campaign) => thread.call('peopleLeft', campaign),
    personMessages: (person) => thread.call('personMessages', person),
  } satisfies Partial<LedgerReader>;
}

/** The reader over any runner of the operations. */
export function readerOver(thread: LedgerReads): LedgerReader {
  return {
    campaigns: async () => {
      const overviews: CampaignOverview[] = [];
      for (const facts of await thread.call('campaigns', null))
        overviews.push(await overviewOf(thread, facts));
      return overviews;
    },
    find: (reference) => thread.call('find', reference),
    overview: async (campaign) => overviewOf(thread, await factsOf(thread, campaign)),
    agenda: (campaign) => thread.call('agenda', campaign),
    uploads: (campaign) => thread.call('uploads', campaign),

    async tallies(campaign, unreportedBefore) {
      const sum = emptyTally();
      for await (const span of pages(thread, campaign)) {
        addTally(sum, await thread.call('tally', { ...span, unreportedBefore }));
      }
      return talliesFrom(sum);
    },

    async providerWords(campaign) {
      const read: Parameters<typeof mostFrequent>[0] = [];
      for await (const span of pages(thread, campaign))
        read.push(...(await thread.call('providerWords', span)));
      return mostFrequent(read);
    },

    async latencies(campaign, percentiles) {
      const read: LatencyPage[] = [];
      for await (const span of pages(thread, campaign)) read.push(await thread.call('latencies', span));
      const pick = (key: keyof LatencyPage) =>
        nearestRanks(joined(read.map((page) => page[key])), percentiles);
      return { send: pick('send'), delivery: pick('delivery') };
    },

    purges: () => thread.call('purges', undefined),
    accounts: () => thread.call('accounts', undefined),
    lastReading: (account) => thread.call('lastReading', account),
    campaignsBefore: (instant) => thread.call('campaignsBefore', instant),
    async costs({ campaign, midnights }) {
      const read: CostCell[] = [];
      for await (const span of pages(thread, campaign))
        read.push(...(await thread.call('costCells', { ...span, midnights })));
      return sumOfCells(read);
    },

    messages: (query) => messagePage(thread, query),
    ...ofPeople(thread),
    uncertain: (query) => uncertainMessages(thread, query),
    readings: (account, span) => thread.call('readings', { account, ...span }),

    async sharedWith(campaign, { from, to }) {
      const shared: string[] = [];
      for (const { n, id } of await thread.call('neighbours', { campaign, to })) {
        if (await thread.call('inFlightBetween', { campaign: n, from, to })) shared.push(id);
      }
      return shared;
    },

    ...watching(thread),
    ...replying(thread),
    ...unjoined(thread),
    ...people(thread),
    close: () => thread.close(),
  };
}

function watching(thread: Thread) {
  return {
    lastReportAt: () => thread.call('lastReportAt', undefined),
    aliveWorkers: (since) => thread.call('aliveWorkers', since),
    acceptedLoss: (draft) => thread.call('acceptedLoss', draft),
    auditTrail: (query) => thread.call('auditTrail', query),
    violations: (campaign) => allViolations(thread, campaign),
  } satisfies Partial<LedgerReader>;
}

function unjoined(thread: Thread) {
  return {
    unmatchedReports: (span) => thread.call('unmatchedReports', span),
    repeatedIds: (limit) => thread.call('repeatedIds', limit),
  } satisfies Partial<LedgerReader>;
}

function people(thread: Thread) {
  return {
    hasUsers: () => thread.call('hasUsers', undefined),
    users: () => thread.call('users', undefined),
    user: (name) => thread.call('user', name),
    session: (digest) => thread.call('session', digest),
    link: (digest) => thread.call('link', digest),
    tokens: () => thread.call('tokens', undefined),
    token: (digest) => thread.call('token', digest),
  } satisfies Partial<LedgerReader>;
}

function replying(thread: Thread) {
  return {
    answers: () => thread.call('answers', undefined),
    openAnswers: (campaign) => thread.call('openAnswers', campaign),
    answerEvidence: (query) => thread.call('answerEvidence', query),
    leftOut: (query) => thread.call('leftOut', query),
    contradictions: (campaign) => thread.call('contradictions', campaign),
    contradictingWebhooks: (limit) => thread.call('contradictingWebhooks', limit),
    webhookCounts: () => thread.call('webhookCounts', undefined),
    replies: (query) => thread.call('replies', query),
    optOuts: (query) => thread.call('optOuts', query),
    repliesInDoubt: () => thread.call('repliesInDoubt', undefined),
    optOutHistory: (mobile) => thread.call('optOutHistory', mobile),
    unknownWords: (limit) => thread.call('unknownWords', limit),
    mismatchedReports: (limit) => thread.call('mismatchedReports', limit),
    webhookShapes: (limit) => thread.call('webhookShapes', limit),
    chatDetail: (recordId) => thread.call('chatDetail', recordId),
    rawWebhook: (webhook) => thread.call('rawWebhook', webhook),
  } satisfies Partial<LedgerReader>;
}

async function factsOf(thread: Thread, campaign: number): Promise<CampaignFacts> {
  const [facts] = await thread.call('campaigns', campaign);
  if (facts !== undefined) return facts;
  throw new TumaError('not_found', { message: `There is no campaign number ${campaign}.` });
}

/** The campaign's messages in spans of a bounded size. */
async function* pages(thread: Thread, campaign: number, afterSeq = 0): AsyncGenerator<Span> {
  const last = await thread.call('lastSeq', campaign);
  for (let firstSeq = afterSeq + 1; firstSeq <= last; firstSeq += PAGE_MESSAGES) {
    yield { campaign, firstSeq, lastSeq: Math.min(last, firstSeq + PAGE_MESSAGES - 1) };
  }
}

async function overviewOf(thread: Thread, facts: CampaignFacts): Promise<CampaignOverview> {
  const { campaign, spentMicro, launchPriceMicro: price, firstClaimAt, canceledAt } = facts;
  const read: StateCounts[] = [];
  for await (const span of pages(thread, campaign.n)) read.push(await thread.call('countStates', span));
  const count = (code: number) => read.reduce((sum, page) => sum + (page.codes[code] ?? 0), 0);
  const writtenOff = count(8);
  const messages = {
    queued: count(0),
    sending: count(1),
    sent: count(2),
    rejected: count(3),
    uncertain: count(4) + writtenOff,
    skipped: count(5),
    canceled: count(6),
    written_off: writtenOff,
  };
  // The messages of corrected contacts are still to come.
  const settled = messages.queued + messages.sending === 0 && !facts.isApplying;
  const lastLeftAt = read.reduce<number | null>((last, page) => latest(last, page.lastLeftAt), null);
  const finished = settled && campaign.state !== 'canceled';
  return {
    campaign,
    ...(campaign.settings.canary === undefined ? {} : { canary: await thread.call('canary', campaign.n) }),
    ...(settled ? {} : await networksOf(thread, campaign)),
    state: finished ? 'finished' : campaign.state,
    reason: finished ? null : campaign.reason,
    ...pauseOf(facts, finished),
    messages,
    takenBack: facts.takenBack,
    startedAt: firstClaimAt,
    finishedAt: settled ? latest(lastLeftAt, canceledAt) : null,
    spentMicro: read.reduce((sum, { beyondMicro }) => sum + beyondMicro, spentMicro),
    unpriced: read.reduce((sum, page) => sum + page.unpriced, 0),
    leftMicro: price === null ? null : read.reduce((sum, page) => sum + page.leftSegments * price, 0),
    budgetMicro: campaign.budgetMicro,
    ...lastSeconds(read),
  };
}

function pauseOf(
  { pause, campaign }: CampaignFacts,
  finished: boolean,
): Pick<CampaignOverview, 'cutOffAt' | 'filesUnread' | 'pauseSaid'> {
  const { cutOffAt, words } = finished ? {} : pause;
  const filesUnread = !finished && campaign.reason === 'start' && campaign.settings.every !== undefined;
  return {
    ...(filesUnread ? { filesUnread } : {}),
    ...(cutOffAt === undefined ? {} : { cutOffAt }),
    ...(words === undefined ? {} : { pauseSaid: words }),
  };
}

async function networksOf(
  thread: Thread,
  { n, state }: CampaignFacts['campaign'],
): Promise<Pick<CampaignOverview, 'networks'>> {
  if (state !== 'running' && state !== 'paused') return {};
  const networks = await thread.call('heldNetworks', n);
  return networks.length === 0 ? {} : { networks };
}

function latest(left: number | null, right: number | null): number | null {
  return left === null || right === null ? (left ?? right) : Math.max(left, right);
}

function lastSeconds(read: StateCounts[]): Pick<CampaignOverview, 'sentLast10s' | 'lastSentAt'> {
  const seconds = read.flatMap(({ sentBySecond }) => [...sentBySecond]);
  const last = seconds.reduce((most, [second]) => Math.max(most, second), 0);
  const sentLast10s = seconds.reduce(
    (sum, [second, count]) => (second > last - RATE_SECONDS ? sum + count : sum),
    0,
  );
  return { sentLast10s, lastSentAt: last === 0 ? null : last * 1000 };
}

type MessageQuery = Parameters<LedgerReader['messages']>[0];

/** A page of `limit` messages, or fewer at the campaign's end. Rare states are searched span by span. */
async function messagePage(thread: Thread, query: MessageQuery): Promise<MessageRow[]> {
  const rows: MessageRow[] = [];
  for await (const span of pages(thread, query.campaign, query.afterSeq)) {
    const limit = query.limit - rows.length;
    rows.push(...messageRows(await thread.call('messages', { ...span, limit, states: query.states })));
    if (rows.length >= query.limit) break;
  }
  return rows;
}

/** Counts to the last span, though the rows are complete before. */
async function uncertainMessages(
  thread: Thread,
  query: UncertainQuery,
): Promise<{ rows: UncertainRow[]; total: number }> {
  const found = { rows: [] as UncertainRow[], total: 0 };
  for await (const span of pages(thread, query.campaign)) {
    const limit = query.limit - found.rows.length;
    const page = await thread.call('uncertain', { ...query, ...span, limit });
    found.rows.push(...page.rows);
    found.total += page.total;
  }
  return found;
}

async function allViolations(thread: Thread, only: number | null): Promise<Violation[]> {
  const found = await thread.call('checkLedger', undefined);
  if (found.some(({ invariant }) => invariant === 'damaged')) return found;
  found.push(...(await thread.call('checkSums', only)));
  const campaigns = only === null ? await thread.call('campaigns', null) : [await factsOf(thread, only)];
  for (const { campaign } of campaigns) {
    for await (const span of pages(thread, campaign.n)) {
      found.push(...(await thread.call('checkPage', { ...span, id: campaign.id })));
    }
  }
  return found;
}

function joined(parts: Uint32Array[]): Uint32Array {
  const all = new Uint32Array(parts.reduce((length, part) => length + part.length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

/** Nearest-rank percentiles: the smallest value that is not below p % of all values. */
function nearestRanks(values: Uint32Array, percentiles: number[]): (number | null)[] {
  values.sort();
  return percentiles.map((p) => values[Math.max(0, Math.ceil((p / 100) * values.length) - 1)] ?? null);
}
