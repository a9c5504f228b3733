import type { DatabaseSync } from 'node:sqlite';
import type { PauseReason } from '../../domain/campaign.ts';
import { type MessageState, TAKEN_BACK } from '../../domain/message.ts';
import type { MoneyMicro } from '../../domain/money.ts';
import type { Outcome, OutcomeResult } from '../sending.ts';
import type { BatchRecords, TouchedBatches } from './batches.ts';
import type { NetworkBreaker } from './network-breaker.ts';
import type { Joiner } from './report-matcher.ts';
import type { Books, Entry, OpenBooks } from './running-totals.ts';
import { crossedOutcomes, type CrossingOutcomes } from './thread-codec.ts';
import { prepareStatements, type Statements } from './statements.ts';

/**
 * Verdicts: sending → sent, rejected, uncertain, queued, by the worker that holds the attempt, or by the reaper from the
 * note that a dead worker left. A verdict whose attempt
 * has moved on is `stale` and changes nothing. One commit holds the verdicts, the money, the prices, the evidence, the
 * pauses, the reports that came early, and the question whether the batch is settled now.
 */

const STATEMENTS = [
  'attempt_state',
  'sent',
  'rejected',
  'uncertain',
  'keep_attempt',
  'queued',
  'cancel',
  'add_evidence',
  'count_recorded',
  'count_taken_back',
] as const;

/** What outcomes share with other operations. */
export interface OutcomeRecords {
  batches: BatchRecords;
  openBooks: OpenBooks;
  joiner: Joiner;
  networkBreaker: NetworkBreaker;
  pause: (change: { campaign: number; reason: PauseReason; now: number; by: string }) => boolean;
}

/** Outcomes (ledger/sending.ts): verdicts, and what they mean for batch, money and waiting reports. */
export function outcomeOperations(database: DatabaseSync, records: OutcomeRecords) {
  const sql = prepareStatements(database, new URL('./outcomes.sql', import.meta.url), STATEMENTS);
  sql.attempt_state.setReturnArrays(true);

  return {
    recordOutcomes({ worker, by = 'worker', now, outcomes, pauses }: CrossingOutcomes): number[] {
      const { batches, openBooks, joiner, pause } = records;
      const commit = {
        sql,
        batches,
        joiner,
        books: openBooks(),
        touched: batches.touched(),
        worker,
        by,
        now,
      };
      joiner.beginCommit();
      const stale: number[] = [];
      const written = crossedOutcomes(outcomes);
      for (const [index, outcome] of written.entries())
        if (record(commit, outcome) === 'stale') stale.push(index);
        else records.networkBreaker.note(outcome, now);
      commit.books.post(now);
      commit.touched.settle(now);
      if (written.some(({ to }) => to === 'queued')) batches.noteTime(now);
      joiner.ids.putSome(written.length);
      for (const { campaign, reason } of pauses) pause({ campaign, reason, now, by });
      if (by === 'worker') sql.count_recorded.run(worker, written.length);
      return stale;
    },
  };
}

/** What the verdicts of one transaction share. */
interface Commit {
  sql: Statements<typeof STATEMENTS>;
  batches: BatchRecords;
  joiner: Joiner;
  books: Books;
  touched: TouchedBatches;
  worker: number;
  by: 'worker' | 'reaper';
  now: number;
}

/** The row before the verdict; an array, for one is read for every message. */
type Before = [
  state: MessageState,
  reserved: MoneyMicro,
  counted: MoneyMicro,
  basis: string | null,
  messageId: string | null,
];

function record(commit: Commit, outcome: Outcome): OutcomeResult {
  const { campaign, seq, attempt } = outcome;
  const before = commit.sql.attempt_state.get(campaign, seq, attempt, commit.worker) as unknown as
    | Before
    | undefined;
  if (before === undefined || !mayFollow(commit, before, outcome)) return 'stale';
  const batch = commit.touched.of(campaign, seq);
  keepEvidence(commit, outcome);
  switch (outcome.to) {
    case 'sent':
      recordSent(commit, outcome, before);
      break;
    case 'rejected':
      recordRejected(commit, outcome, before);
      break;
    case 'uncertain':
      recordUncertain(commit, outcome, before);
      break;
    case 'queued':
      if (recordQueued(commit, outcome, before) && batch.worker === null)
        commit.batches.makeDue(batch.id, outcome.notBefore);
  }
  return 'recorded';
}

/**
 * An attempt that is `sending` takes any verdict. A late answer also decides an uncertain one, and fills in the facts of
 * one that a report or an operator has called sent, unless that report named another messageid.
 */
function mayFollow({ by }: Commit, [state, , , basis, messageId]: Before, outcome: Outcome): boolean {
  if (state === 'sending') return true;
  if (by === 'reaper' || outcome.to !== 'sent') return false;
  if (state === 'uncertain') return true;
  return state === 'sent' && basis !== 'answer' && (messageId ?? outcome.messageId) === outcome.messageId;
}

/** Books that the campaign counts `amount` for the message from now on, and that it is no longer in flight. */
function count(entry: Entry, [state, reserved, counted]: Before, amount: MoneyMicro): Entry {
  entry.campaignSpent += amount - counted;
  if (state !== 'sending') return entry;
  entry.inFlight -= 1;
  entry.campaignReserved -= reserved;
  return entry;
}

function recordSent(commit: Commit, outcome: Extract<Outcome, { to: 'sent' }>, before: Before): void {
  const { sql, joiner, books, by, now } = commit;
  const { campaign, seq, sendMs, messageId, network, costMicro, segments } = outcome;
  const [state, reserved, countedBefore] = before;
  const counted = costMicro ?? (state === 'sending' ? reserved : countedBefore);
  const entry = count(books.of(campaign), before, counted);
  entry.reserved -= reserved;
  if (costMicro === null) {
    // What is still held has not been seen by a reading: until one, the unknown cost stays subtracted.
    entry.assumed += reserved;
  } else {
    entry.spent += costMicro;
    books.see({ campaign, network, segments, costMicro });
  }
  const written = outcome.flags.length === 0 ? null : outcome.flags.join(',');
  sql.sent.run(campaign, seq, now, sendMs, messageId, network, costMicro, written, counted, by);
  joiner.joinEarly(messageId);
}

function recordRejected(commit: Commit, outcome: Extract<Outcome, { to: 'rejected' }>, before: Before): void {
  const { campaign, seq, sendMs, reason, retryHelps } = outcome;
  count(commit.books.of(campaign), before, 0).reserved -= before[1];
  commit.sql.rejected.run(campaign, seq, commit.now, sendMs, reason, retryHelps ? 1 : 0, commit.by);
}

/** What was reserved stays held back on the account until a reading has seen whether it was charged. */
function recordUncertain(
  commit: Commit,
  outcome: Extract<Outcome, { to: 'uncertain' }>,
  before: Before,
): void {
  const { campaign, seq, sendMs, reason } = outcome;
  count(commit.books.of(campaign), before, before[1]);
  commit.sql.uncertain.run(campaign, seq, commit.now, sendMs, reason, commit.by);
}

/** Answers whether the message waits to be sent; of a canceled campaign it does not. */
function recordQueued(commit: Commit, outcome: Extract<Outcome, { to: 'queued' }>, before: Before): boolean {
  const { sql, by, now } = commit;
  const { campaign, seq, sendMs, reason, notBefore, countsAsTry } = outcome;
  const entry = count(commit.books.of(campaign), before, 0);
  entry.reserved -= before[1];
  sql.keep_attempt.run(campaign, seq, now, sendMs, reason);
  sql.queued.run(campaign, seq, notBefore, countsAsTry ? 1 : 0, reason, by);
  if (by === 'reaper' && reason === TAKEN_BACK) sql.count_taken_back.run(campaign);
  if (entry.state !== 'canceled') return true;
  sql.cancel.run(campaign, seq, now);
  return false;
}

function keepEvidence({ sql, now }: Commit, { campaign, seq, attempt, evidence }: Outcome): void {
  if (evidence === null) return;
  const { httpStatus, code, raw } = evidence;
  sql.add_evidence.run(campaign, seq, attempt, now, httpStatus, code, raw);
}
