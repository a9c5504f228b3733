import type { DatabaseSync } from 'node:sqlite';
import { TumaError } from '../../domain/errors.ts';
import type { MoneyMicro } from '../../domain/money.ts';
import type { Resolution, StateChange } from '../records.ts';
import { type BatchRecords, MOST_ROWS, type StepDone } from './batches.ts';
import type { CampaignRecords } from './campaigns.ts';
import type { Books, MoneyRecords } from './money.ts';
import { prepareStatements } from './statements.ts';

/**
 * What only a person may do: rejected messages are tried again, uncertain ones are decided. Both go in steps; after a
 * crash in between, the same verb again takes what is left. The audit row is written with the first step.
 */

export interface ResendRecords {
  campaigns: CampaignRecords;
  batches: BatchRecords;
  money: MoneyRecords;
}

export interface RetryStep extends StateChange {
  campaign: number;
  reason?: string;
  afterSeq: number;
}

export interface ResolveStep extends Resolution {
  campaign: number;
  afterSeq: number;
}

export interface ResolveDone {
  resolved: number;
  tooYoung: number;
  afterSeq: number | null;
}

interface UncertainRow {
  seq: number;
  settled_at: number;
  reserved: MoneyMicro;
  counted: MoneyMicro;
}

export function resendOperations(database: DatabaseSync, { campaigns, batches, money }: ResendRecords) {
  const sql = prepareStatements(database, new URL('./resend.sql', import.meta.url), [
    'keep_rejected',
    'retry_rejected',
    'uncertain_after',
    'call_sent',
    'keep_uncertain',
    'call_not_sent',
    'write_off',
  ]);

  function begin(step: RetryStep | ResolveStep, { verb, detail }: { verb: string; detail: object }): void {
    const { campaign, afterSeq, now, by } = step;
    const { state, id } = campaigns.require(campaign, { launched: true });
    const sendsAgain = !('decision' in step) || step.decision === 'not_sent';
    if (state === 'canceled' && sendsAgain) {
      throw new TumaError('state_forbids', {
        message: `Campaign ${id} is canceled; nothing of it is sent again.`,
      });
    }
    if (afterSeq === 0) campaigns.audit({ now, by, verb, campaign, detail });
  }

  function decide({ row, step, books }: { row: UncertainRow; step: ResolveStep; books: Books }): void {
    const { campaign, decision, now } = step;
    if (decision === 'write_off') {
      sql.write_off.run(campaign, row.seq);
      return;
    }
    const entry = books.of(campaign);
    entry.reserved -= row.reserved;
    if (decision === 'sent') {
      entry.assumed += row.reserved;
      sql.call_sent.run(campaign, row.seq, now);
    } else {
      entry.campaignSpent -= row.counted;
      sql.keep_uncertain.run(campaign, row.seq);
      sql.call_not_sent.run(campaign, row.seq);
    }
  }

  return {
    retryStep(step: RetryStep): StepDone {
      const { campaign, reason = null, now } = step;
      begin(step, { verb: 'retry', detail: { reason } });
      return batches.walk(step, (batch) => {
        const { id, first_seq: first, last_seq: last } = batch;
        sql.keep_rejected.run(campaign, first, last, reason);
        const changed = Number(sql.retry_rejected.run(campaign, first, last, reason).changes);
        if (changed > 0) batches.makeDue(id, now);
        return changed;
      });
    },

    resolveStep(step: ResolveStep): ResolveDone {
      const { campaign, afterSeq, decision, before, line = null, mobile = null, now } = step;
      begin(step, { verb: 'resolve', detail: { decision, line, mobile } });
      const page = sql.uncertain_after.all(
        campaign,
        afterSeq,
        line,
        mobile,
        MOST_ROWS,
      ) as unknown as UncertainRow[];
      const young = (row: UncertainRow) => decision === 'not_sent' && row.settled_at >= before;
      const decided = page.filter((row) => !young(row));
      const books = money.openBooks();
      const touched = batches.touched();
      for (const row of decided) {
        decide({ row, step, books });
        if (decision === 'not_sent') batches.makeDue(touched.of(campaign, row.seq).id, now);
      }
      books.post(now);
      return {
        resolved: decided.length,
        tooYoung: page.length - decided.length,
        afterSeq: page.length < MOST_ROWS ? null : (page.at(-1)?.seq ?? null),
      };
    },
  };
}
