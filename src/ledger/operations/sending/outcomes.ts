import type { Connection } from '../../connection.ts';
import type { AnswerMeaning } from '../../../domain/answer-meaning.ts';
import { MAPPING_TAKEN_BACK, type MessageState, TAKEN_BACK } from '../../../domain/message.ts';
import { plainId } from '../../../domain/message-id.ts';
import type { MoneyMicro } from '../../../domain/money.ts';
import type { StateChange } from '../../contracts/records.ts';
import type { OrderedPause, Outcome, OutcomeResult } from '../../contracts/sending.ts';
import type { AnswerGroups } from './answers.ts';
import type { BatchRecords, TouchedBatches } from '../planning/batches.ts';
import type { Counters } from '../keeping/counters.ts';
import type { ReportMatcher } from '../inbox/report-matcher.ts';
import type { RunningTotals, Entry, OpenTotals } from './running-totals.ts';
import { decodeOutcomes, type EncodedOutcomes } from '../../thread/thread-codec.ts';
import type { NetworkBreaker } from './network-breaker.ts';
import { type Sql, loadStatements } from '../../statements.ts';

/*
 * Verdicts: sending → sent, rejected, uncertain, queued. They come from the worker of the attempt, or from
 * the reaper by a dead worker's note. A verdict of a former attempt is `stale` and changes nothing. One
 * commit holds the verdicts and all consequences: money, prices, evidence, pauses, early reports, settled
 * batches.
 */

/** The records that outcomes share with other operations. */
export interface OutcomeRecords {
  batches: BatchRecords;
  counters: Counters;
  openTotals: OpenTotals;
  matcher: ReportMatcher;
  answers: AnswerGroups;
  networkBreaker: NetworkBreaker;
  pause: (change: OrderedPause & StateChange) => Promise<boolean>;
}

/** Outcomes (ledger/sending.ts): verdicts and their consequences for batch, money and waiting reports. */
export function outcomeOperations(database: Connection, records: OutcomeRecords) {
  const sql = loadStatements(database, new URL('./outcomes.sql', import.meta.url));
  sql('attempt_state').setReturnArrays(true);

  return {
    async recordOutcomes({
      worker,
      by = 'worker',
      now,
      outcomes,
      pauses,
    }: EncodedOutcomes): Promise<number[]> {
      const { batches, openTotals, matcher, pause } = records;
      const commit = { ...records, sql, totals: openTotals(), touched: batches.touched(), worker, by, now };
      await matcher.beginCommit();
      const stale: number[] = [];
      const written = decodeOutcomes(outcomes);
      for (const [index, outcome] of written.entries())
        if ((await record(commit, outcome)) === 'stale') stale.push(index);
        else await records.networkBreaker.note(outcome, now);
      await commit.totals.post(now);
      await commit.touched.settle(now);
      await matcher.ids.putSome(written.length);
      for (const each of pauses) await pause({ ...each, now, by });
      if (by === 'worker') await sql('count_recorded').run(worker, written.length);
      return stale;
    },
  };
}

/** The values that the verdicts of one transaction share. */
interface Commit extends OutcomeRecords {
  sql: Sql;
  totals: RunningTotals;
  touched: TouchedBatches;
  worker: number;
  by: 'worker' | 'reaper';
  now: number;
}

/** The row before the verdict; an array, because one is read for every message. */
type Before = [
  state: MessageState,
  reserved: MoneyMicro,
  counted: MoneyMicro,
  basis: string | null,
  messageId: string | null,
  segments: number,
];

async function record(commit: Commit, told: Outcome): Promise<OutcomeResult> {
  const { campaign, seq, attempt } = told;
  const before = (await commit.sql('attempt_state').get(campaign, seq, attempt, commit.worker)) as unknown as
    | Before
    | undefined;
  if (before === undefined || !mayFollow(commit, before, told)) return 'stale';
  const batch = await commit.touched.of(campaign, seq);
  const meaning = await keepEvidence(commit, told);
  if (told.to === 'sent') await recordSent(commit, told, before);
  else await recordNotSent(commit, told, { before, meaning, batch });
  return 'recorded';
}

type NotSent = Exclude<Outcome, { to: 'sent' }>;

/** The row before a verdict, a person's meaning of the answer (null: none), and the message's batch. */
interface Surroundings {
  before: Before;
  meaning: AnswerMeaning | null;
  batch: Awaited<ReturnType<TouchedBatches['of']>>;
}

async function recordNotSent(
  commit: Commit,
  told: NotSent,
  { before, meaning, batch }: Surroundings,
): Promise<void> {
  const isOpenAgain = await commit.answers.takeWithdrawn(told.campaign, told.seq);
  const outcome = isOpenAgain ? uncertainInstead(told, MAPPING_TAKEN_BACK) : withoutMapping(told);
  switch (outcome.to) {
    case 'rejected':
      await recordRejected(commit, outcome, before);
      break;
    case 'uncertain':
      // A refusal of this attempt says nothing of the one before.
      await recordUncertain(commit, outcome, {
        before,
        meaning: isOpenAgain && meaning !== 'accepted' ? null : meaning,
      });
      break;
    case 'queued':
      if ((await recordQueued(commit, outcome, before)) && batch.worker === null)
        await commit.batches.makeDue(batch.id, outcome.notBefore);
  }
}

/**
 * A `sending` attempt takes any verdict. A late answer also decides an uncertain one. It also completes a
 * message that a report or a person called sent, unless that report named another messageid.
 */
function mayFollow({ by }: Commit, [state, , , basis, messageId]: Before, outcome: Outcome): boolean {
  if (state === 'sending') return true;
  if (by === 'reaper' || outcome.to !== 'sent') return false;
  if (state === 'uncertain') return true;
  const isSame = messageId === null || plainId(messageId) === plainId(outcome.messageId);
  return state === 'sent' && basis !== 'answer' && isSame;
}

/** Sets the campaign's spent money for the message to `amount`, and takes the message out of flight. */
function count(entry: Entry, [state, reserved, counted]: Before, amount: MoneyMicro): Entry {
  entry.campaignSpent += amount - counted;
  if (state !== 'sending') return entry;
  entry.inFlight -= 1;
  entry.campaignReserved -= reserved;
  return entry;
}

async function recordSent(
  commit: Commit,
  outcome: Extract<Outcome, { to: 'sent' }>,
  before: Before,
): Promise<void> {
  const { sql, matcher, totals, by, now } = commit;
  const { campaign, seq, sendMs, messageId, network, costMicro, segments } = outcome;
  const [state, reserved, countedBefore, , idBefore] = before;
  const counted = costMicro ?? (state === 'sending' ? reserved : countedBefore);
  const entry = count(await totals.of(campaign), before, counted);
  entry.reserved -= reserved;
  if (costMicro === null) {
    // No reading has seen this reservation so far, so the unknown cost stays subtracted.
    entry.assumed += reserved;
  } else {
    entry.spent += costMicro;
    totals.see({ campaign, network, segments, costMicro });
  }
  const written = outcome.flags.length === 0 ? null : outcome.flags.join(',');
  const change = () =>
    sql('sent').run(campaign, seq, now, sendMs, messageId, network, costMicro, written, counted, by);
  if (state === 'sending' && by === 'worker') {
    await change();
    // The row's segments, because the outcome's are those of the claim.
    const said = { network, segments: before[5], cost: costMicro, counted, at: now, sendMs };
    commit.counters.sent(campaign, said);
  } else await commit.counters.around([[campaign, seq, seq]], change);
  if (idBefore === null || idBefore === messageId) await matcher.joinEarly(messageId);
  else await matcher.joinAgain(messageId, now);
}

async function recordRejected(
  commit: Commit,
  outcome: Extract<Outcome, { to: 'rejected' }>,
  before: Before,
): Promise<void> {
  const { campaign, seq, sendMs, reason, retryHelps } = outcome;
  count(await commit.totals.of(campaign), before, 0).reserved -= before[1];
  await commit.sql('rejected').run(campaign, seq, commit.now, sendMs, reason, retryHelps ? 1 : 0, commit.by);
}

/**
 * The reservation stays on the account until a reading shows whether it was charged. A person may have
 * decided the meaning of such an answer already.
 */
async function recordUncertain(
  { totals, sql, answers, by, now }: Commit,
  { campaign, seq, attempt, sendMs, reason }: Extract<Outcome, { to: 'uncertain' }>,
  { before, meaning }: { before: Before; meaning: AnswerMeaning | null },
): Promise<void> {
  const reserved = before[1];
  const entry = count(await totals.of(campaign), before, reserved);
  await sql('uncertain').run(campaign, seq, now, sendMs, reason, by);
  if (meaning !== null)
    await answers.decide(entry, { campaign, seq, attempt, reserved, counted: reserved }, { meaning, now });
}

/** True: the message waits to be sent. In a canceled campaign it does not. */
async function recordQueued(
  commit: Commit,
  outcome: Extract<Outcome, { to: 'queued' }>,
  before: Before,
): Promise<boolean> {
  const { sql, by, now } = commit;
  const { campaign, seq, sendMs, reason, notBefore, countsAsTry } = outcome;
  const entry = count(await commit.totals.of(campaign), before, 0);
  entry.reserved -= before[1];
  await sql('keep_attempt').run(campaign, seq, now, sendMs, reason);
  await sql('queued').run(campaign, seq, notBefore, countsAsTry ? 1 : 0, reason, by);
  if (by === 'reaper' && reason === TAKEN_BACK) await sql('count_taken_back').run(campaign);
  if (entry.state !== 'canceled') return true;
  await sql('cancel').run(campaign, seq, now);
  return false;
}

/**
 * A worker reads the mappings of unknown answers every few seconds, so its outcome may follow from an old one.
 * Such an answer is uncertain, and then only the present mapping in the ledger decides it.
 */
function withoutMapping(outcome: NotSent): NotSent {
  if (outcome.evidence?.question === undefined || outcome.to === 'uncertain') return outcome;
  return uncertainInstead(outcome, 'unlisted code');
}

function uncertainInstead(outcome: NotSent, reason: string): NotSent {
  const { campaign, seq, attempt, sendMs, evidence } = outcome;
  return { campaign, seq, attempt, sendMs, evidence, to: 'uncertain', reason };
}

/** Returns the meaning that a person gave to the answer; null: none, or the profile knows the answer. */
async function keepEvidence({ sql, answers, now }: Commit, { campaign, seq, attempt, evidence }: Outcome) {
  if (evidence === null) return null;
  const { httpStatus, code, raw, words = null } = evidence;
  const group = await answers.note(evidence, now);
  await sql('add_evidence').run(campaign, seq, attempt, now, httpStatus, code, raw, group?.id ?? null, words);
  return group?.meaning ?? null;
}
