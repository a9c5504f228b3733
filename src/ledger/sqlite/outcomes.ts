import type { DatabaseSync } from 'node:sqlite';
import type { MessageState } from '../../domain/message.ts';
import type { MoneyMicro } from '../../domain/money.ts';
import type { Outcome, OutcomeRecord, OutcomeResult } from '../sending.ts';
import type { BatchRecords } from './batches.ts';
import type { Joiner } from './joiner.ts';
import type { Books, MoneyRecords } from './money.ts';
import { prepareStatements } from './statements.ts';

/**
 * Verdicts: sending → sent, rejected, uncertain, queued, by the worker that holds the attempt. A verdict whose attempt
 * has moved on is `stale` and changes nothing. One commit holds the verdicts, the money, the prices, the evidence, the
 * pauses, the reports that came early, and the question whether the batch is settled now.
 */

export interface OutcomeRecords {
  batches: BatchRecords;
  money: MoneyRecords;
  joiner: Joiner;
  pause(change: {
    campaign: number;
    reason: OutcomeRecord['pauses'][number]['reason'];
    now: number;
    by: string;
  }): boolean;
}

/** The row before the verdict. */
interface Before {
  state: MessageState;
  reserved: MoneyMicro;
  counted: MoneyMicro;
  basis: string | null;
  messageid: string | null;
}

interface Step<Kind extends Outcome = Outcome> {
  outcome: Kind;
  before: Before;
  books: Books;
  now: number;
}

type Sent = Extract<Outcome, { to: 'sent' }>;
type Requeued = Extract<Outcome, { to: 'queued' }>;

export function outcomeOperations(database: DatabaseSync, records: OutcomeRecords) {
  const { batches, money, joiner } = records;
  const sql = prepareStatements(database, new URL('./outcomes.sql', import.meta.url), [
    'attempt_state',
    'sent',
    'rejected',
    'uncertain',
    'keep_attempt',
    'queued',
    'cancel',
    'add_evidence',
  ]);

  /** The counts of account and campaign for a message that leaves `sending`, or was counted before. */
  function leave({ outcome, before, books }: Step, counted: MoneyMicro) {
    const entry = books.of(outcome.campaign);
    entry.campaignSpent += counted - before.counted;
    if (before.state !== 'sending') return entry;
    entry.inFlight -= 1;
    entry.campaignReserved -= before.reserved;
    return entry;
  }

  function recordSent(step: Step<Sent>): void {
    const { outcome, before, books, now } = step;
    const { campaign, seq, sendMs, messageId, network, costMicro, segments } = outcome;
    const price = before.state === 'sending' ? before.reserved : before.counted;
    const counted = costMicro ?? price;
    const entry = leave(step, counted);
    entry.reserved -= before.reserved;
    // A hold that is still there has not been seen by a reading: until one, an unknown cost stays subtracted.
    if (costMicro === null) entry.assumed += before.reserved;
    else entry.spent += costMicro;
    if (costMicro !== null) books.see({ campaign, network, segments, costMicro });
    const conflict = joiner.markConflict(messageId, { campaign, seq });
    const flags = [...outcome.flags, ...(conflict ? ['id_conflict'] : [])].join(',') || null;
    sql.sent.run(campaign, seq, now, sendMs, messageId, network, costMicro, flags, counted);
    joiner.joinEarly(messageId);
  }

  function recordQueued(step: Step<Requeued>, batch: { id: number; worker: number | null }): void {
    const { outcome, before, now } = step;
    const { campaign, seq, sendMs, reason, notBefore, countsAsTry } = outcome;
    const entry = leave(step, 0);
    entry.reserved -= before.reserved;
    sql.keep_attempt.run(campaign, seq, now, sendMs, reason);
    sql.queued.run(campaign, seq, notBefore, countsAsTry ? 1 : 0, reason);
    if (entry.state === 'canceled') sql.cancel.run(campaign, seq, now);
    else if (batch.worker === null) batches.makeDue(batch.id, notBefore);
  }

  function recordRejected(step: Step<Extract<Outcome, { to: 'rejected' }>>): void {
    const { outcome, before, now } = step;
    const entry = leave(step, 0);
    entry.reserved -= before.reserved;
    const { campaign, seq, sendMs, reason, retryHelps } = outcome;
    sql.rejected.run(campaign, seq, now, sendMs, reason, retryHelps ? 1 : 0);
  }

  function recordUncertain(step: Step<Extract<Outcome, { to: 'uncertain' }>>): void {
    const { outcome, before, now } = step;
    leave(step, before.reserved);
    sql.uncertain.run(outcome.campaign, outcome.seq, now, outcome.sendMs, outcome.reason);
  }

  function keepEvidence({ campaign, seq, attempt, evidence }: Outcome, now: number): void {
    if (evidence === null) return;
    const { httpStatus, code, raw } = evidence;
    sql.add_evidence.run(campaign, seq, attempt, now, httpStatus, code, raw);
  }

  return {
    recordOutcomes({ worker, now, outcomes, pauses }: OutcomeRecord): OutcomeResult[] {
      const books = money.openBooks();
      const touched = batches.touched();
      joiner.beginCommit();
      const results = outcomes.map((outcome): OutcomeResult => {
        const { campaign, seq, attempt } = outcome;
        const before = sql.attempt_state.get(campaign, seq, attempt, worker) as Before | undefined;
        if (before === undefined || !mayFollow(before, outcome)) return 'stale';
        const batch = touched.of(campaign, seq);
        keepEvidence(outcome, now);
        switch (outcome.to) {
          case 'sent':
            recordSent({ outcome, before, books, now });
            break;
          case 'rejected':
            recordRejected({ outcome, before, books, now });
            break;
          case 'uncertain':
            recordUncertain({ outcome, before, books, now });
            break;
          case 'queued':
            recordQueued({ outcome, before, books, now }, batch);
        }
        return 'recorded';
      });
      books.post(now);
      touched.settle(now);
      for (const { campaign, reason } of pauses) records.pause({ campaign, reason, now, by: 'worker' });
      return results;
    },
  };
}

/**
 * An attempt that is `sending` takes any verdict. A late answer also decides an uncertain one, and fills in the facts of
 * one that a report or an operator has called sent, unless that report named another messageid.
 */
function mayFollow({ state, basis, messageid }: Before, outcome: Outcome): boolean {
  if (state === 'sending') return true;
  if (outcome.to !== 'sent') return false;
  if (state === 'uncertain') return true;
  return state === 'sent' && basis !== 'answer' && (messageid ?? outcome.messageId) === outcome.messageId;
}
