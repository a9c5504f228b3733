import type { DatabaseSync } from 'node:sqlite';
import type { Campaign, PauseReason } from '../../domain/campaign.ts';
import type { StateChange } from '../records.ts';
import type { BatchRecords, StepDone } from './batches.ts';
import { type CampaignRecords, type CampaignRow, campaignFrom } from './campaigns.ts';
import { spacingMs } from './slots.ts';
import { prepareStatements } from './statements.ts';

/** What operators do to a campaign as a whole. Every change leaves an audit row. */

export interface VerbRecords {
  campaigns: CampaignRecords;
  batches: BatchRecords;
}

export function verbOperations(database: DatabaseSync, { campaigns, batches }: VerbRecords) {
  const sql = prepareStatements(database, new URL('./verbs.sql', import.meta.url), [
    'pause',
    'resume',
    'cancel',
    'is_settled',
    'cancel_messages',
    'unfinished_cancels',
    'set_rate',
    'due_starts',
    'start',
    'miss_start',
    'add_opt_out',
    'is_opted_out',
  ]);

  /** Also called with the outcomes that ask for a pause. */
  function pause({ campaign, reason, now, by }: StateChange & { campaign: number; reason: PauseReason }) {
    campaigns.require(campaign, { launched: true });
    if (sql.pause.run(campaign, reason).changes === 0) return false;
    campaigns.audit({ now, by, verb: 'pause', campaign, detail: { reason } });
    return true;
  }

  function startOne(row: Pick<CampaignRow, 'n' | 'start_at' | 'start_deadline'>, now: number) {
    const started = now - (row.start_at ?? now) <= row.start_deadline;
    (started ? sql.start : sql.miss_start).run(row.n);
    campaigns.audit({
      now,
      by: 'schedule',
      verb: started ? 'start' : 'miss_start',
      campaign: row.n,
      detail: { startAt: row.start_at },
    });
    return { campaign: campaignFrom(campaigns.require(row.n, { launched: true })), started };
  }

  return {
    pause,

    resume(change: StateChange & { campaign: number; reasons?: PauseReason[]; sender?: string }): boolean {
      const { campaign, reasons, sender, now, by } = change;
      const { state, reason } = campaigns.require(campaign, { launched: true });
      if (state !== 'paused' || reason === null) return false;
      if (reasons !== undefined && !reasons.includes(reason)) return false;
      sql.resume.run(campaign, sender ?? null);
      campaigns.audit({ now, by, verb: 'resume', campaign, detail: { reason, sender } });
      return true;
    },

    /**
     * First step of a cancel: from here on nothing can be claimed. A campaign that is settled stays as it is.
     * A crash afterwards leaves a canceled campaign with queued messages; canceling again or the sweep goes on.
     */
    beginCancel({ campaign, now, by }: StateChange & { campaign: number }): boolean {
      const { state } = campaigns.require(campaign, { launched: true });
      if (state === 'canceled') return true;
      if (sql.is_settled.get(campaign)?.['settled'] === 1) return false;
      sql.cancel.run(campaign, now);
      campaigns.audit({ now, by, verb: 'cancel', campaign, detail: { was: state } });
      return true;
    },

    /** Queued → canceled in the batches after `afterSeq`, up to `MOST_ROWS` messages. */
    cancelChunk(step: { campaign: number; afterSeq: number; now: number }): StepDone {
      return batches.walk(step, (batch) => {
        if (batch.settled_at !== null) return 0;
        const { first_seq: first, last_seq: last } = batch;
        const { changes } = sql.cancel_messages.run(step.campaign, first, last, step.now);
        batches.settleIfEmpty(batch.id, step.now);
        return Number(changes);
      });
    },

    unfinishedCancels(): number[] {
      return sql.unfinished_cancels.all().map((row) => Number(row['n']));
    },

    setRate(change: StateChange & { campaign: number; ratePerSecond: number | null }): void {
      const { campaign, ratePerSecond, now, by } = change;
      const { rate } = campaigns.require(campaign, { launched: true });
      // The next slot is counted from the last one given out, whatever the rate was then.
      const moved =
        (ratePerSecond === null ? 0 : spacingMs(ratePerSecond)) - (rate === null ? 0 : spacingMs(rate));
      sql.set_rate.run(campaign, ratePerSecond, moved);
      campaigns.audit({ now, by, verb: 'rate', campaign, detail: { was: rate, is: ratePerSecond } });
    },

    startDue(now: number): { campaign: Campaign; started: boolean }[] {
      const due = sql.due_starts.all(now) as unknown as CampaignRow[];
      return due.map((row) => startOne(row, now));
    },

    addOptOuts({ entries, now }: { entries: { mobile: string; source: string }[]; now: number }): void {
      for (const { mobile, source } of entries) sql.add_opt_out.run(mobile, source, now);
    },

    optedOut(mobiles: string[]): string[] {
      return mobiles.filter((mobile) => sql.is_opted_out.get(mobile) !== undefined);
    },
  };
}
