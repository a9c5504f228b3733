import { TumaError } from '../../domain/errors.ts';
import type { LedgerReader, MessageRow, Violation } from '../contracts/reader.ts';
import type { CostCell } from '../contracts/statement.ts';
import { type LedgerThread, startLedgerThread, threadFile } from './ledger-thread.ts';
import type { Span } from '../operations/reading/reader-campaigns.ts';
import { messageRows, mostFrequent } from '../operations/reading/reader-messages.ts';
import type { LatencyPage } from '../operations/reading/reader-latencies.ts';
import { sumOfCells } from '../operations/reading/reader-statement.ts';
import type { ReaderOperations } from './serve-reader.ts';

/** Messages read in one transaction: about a quarter of a second, so that no reader blocks the log. */
const PAGE_MESSAGES = 250_000;

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

/** The reads about people: before a cancel, and of one person in all campaigns. */
function ofPeople(thread: LedgerReads) {
  return {
    peopleLeft: (campaign) => thread.call('peopleLeft', campaign),
    personMessages: (person) => thread.call('personMessages', person),
    personTraces: (mobile) => thread.call('personTraces', mobile),
  } satisfies Partial<LedgerReader>;
}

/** The reader over any runner of the operations. */
export function readerOver(thread: LedgerReads): LedgerReader {
  return {
    campaigns: () => thread.call('overviews', null),
    find: (reference) => thread.call('find', reference),
    overview: async (campaign) => known((await thread.call('overviews', campaign))[0], campaign),
    ...counting(thread),
    agenda: (campaign) => thread.call('agenda', campaign),
    remindersDue: (span) => thread.call('remindersDue', span),
    plannedAhead: (account) => thread.call('plannedAhead', account),
    uploads: (campaign) => thread.call('uploads', campaign),

    async providerWords(campaign, { all = false } = {}) {
      if (!all) return mostFrequent(await thread.call('sampledWords', campaign));
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

    ...underWay(thread),
    ...removing(thread),
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
    uncertain: (query) => thread.call('uncertain', query),
    youngUncertain: (query) => thread.call('youngUncertain', query),
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
    ...finding(thread),
    ...unjoined(thread),
    ...people(thread),
    close: () => thread.close(),
  };
}

function underWay(thread: Thread) {
  return {
    preparation: (id) => thread.call('preparation', id),
    preparationOfKey: (key) => thread.call('preparationOfKey', key),
    preparationOf: (campaign) => thread.call('preparationOf', campaign),
    preparations: () => thread.call('preparations', undefined),
    task: (id) => thread.call('task', id),
    tasks: () => thread.call('tasks', undefined),
  } satisfies Partial<LedgerReader>;
}

function removing(thread: Thread) {
  return {
    purges: () => thread.call('purges', undefined),
    personTraces: (mobile) => thread.call('personTraces', mobile),
  } satisfies Partial<LedgerReader>;
}

function counting(thread: Thread) {
  return {
    tallies: (campaign, unreportedBefore) => thread.call('tallies', { campaign, unreportedBefore }),
    async campaignCounters(campaign, unreportedBefore) {
      return known(await thread.call('campaignCounters', { campaign, unreportedBefore }), campaign);
    },
    campaignSeries: (campaign, span) => thread.call('campaignSeries', { ...span, campaign }),
    campaignLatency: (campaign) => thread.call('campaignLatency', campaign),
    campaignsPage: (query) => thread.call('campaignsPage', query),
  } satisfies Partial<LedgerReader>;
}

function watching(thread: Thread) {
  return {
    lastReportAt: () => thread.call('lastReportAt', undefined),
    aliveWorkers: (since) => thread.call('aliveWorkers', since),
    acceptedLoss: (draft) => thread.call('acceptedLoss', draft),
    auditTrail: (query) => thread.call('auditTrail', query),
    auditPage: (query) => thread.call('auditPage', query),
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
    alertEndpoints: () => thread.call('alertEndpoints', undefined),
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
    openWords: () => thread.call('openWords', undefined),
    mismatchedReports: (limit) => thread.call('mismatchedReports', limit),
    webhookShapes: (limit) => thread.call('webhookShapes', limit),
    chatDetail: (recordId) => thread.call('chatDetail', recordId),
    rawWebhook: (webhook) => thread.call('rawWebhook', webhook),
  } satisfies Partial<LedgerReader>;
}

function finding(thread: Thread) {
  return {
    conversations: (query) => thread.call('conversations', query),
    repliesFrom: (query) => thread.call('repliesFrom', query),
    reply: (id) => thread.call('reply', id),
    messagesTo: (query) => thread.call('messagesTo', query),
    campaignsNumbered: (numbers) => thread.call('campaignsNumbered', numbers),
    messagesOfId: (query) => thread.call('messagesOfId', query),
    messagesOfKey: (query) => thread.call('messagesOfKey', query),
    messageLife: (place) => thread.call('messageLife', place),
  } satisfies Partial<LedgerReader>;
}

function known<Found>(found: Found | undefined, campaign: number): Found {
  if (found !== undefined) return found;
  throw new TumaError('not_found', { message: `There is no campaign number ${campaign}.` });
}

/** The campaign's messages in spans of a bounded size. */
async function* pages(thread: Thread, campaign: number, afterSeq = 0): AsyncGenerator<Span> {
  const last = await thread.call('lastSeq', campaign);
  for (let firstSeq = afterSeq + 1; firstSeq <= last; firstSeq += PAGE_MESSAGES) {
    yield { campaign, firstSeq, lastSeq: Math.min(last, firstSeq + PAGE_MESSAGES - 1) };
  }
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

async function allViolations(thread: Thread, only: number | null): Promise<Violation[]> {
  const found = await thread.call('checkLedger', undefined);
  if (found.some(({ invariant }) => invariant === 'damaged')) return found;
  found.push(...(await thread.call('checkSums', only)));
  const campaigns = await thread.call('campaigns', only);
  if (only !== null) known(campaigns[0], only);
  for (const { campaign } of campaigns) {
    found.push(...(await thread.call('checkCounters', { campaign: campaign.n, id: campaign.id })));
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
