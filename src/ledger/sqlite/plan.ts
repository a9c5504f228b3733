import type { DatabaseSync } from 'node:sqlite';
import type { Campaign, CampaignSettings } from '../../domain/campaign.ts';
import type { Activation, DuplicateRow, NewCampaign, NewMessage } from '../records.ts';
import { type CampaignRecords, type CampaignRow, campaignFrom } from './campaigns.ts';
import { MOST_ROWS } from './batches.ts';
import { prepareStatements } from './statements.ts';

/** Drafts, and their launch. Batches grow with the rows, so that a launch is one small commit however large the plan. */

export interface AddMessages {
  campaign: number;
  rows: NewMessage[];
  now: number;
}

export function planOperations(database: DatabaseSync, campaigns: CampaignRecords) {
  const sql = prepareStatements(database, new URL('./plan.sql', import.meta.url), [
    'create_draft',
    'last_seq',
    'add_message',
    'kept_line',
    'last_batch',
    'grow_batch',
    'add_batch',
    'open_named',
    'add_account',
    'activate',
    'add_upload',
    'discard_messages',
    'discard_batches',
    'discard_campaign',
  ]);

  function lastSeq(campaign: number): number {
    return Number(sql.last_seq.get(campaign)?.['last']);
  }

  /** Puts the rows after `fromSeq` into batches: first what fits into the last one, then new ones. */
  function growBatches({ campaign, toSeq, now }: { campaign: number; toSeq: number; now: number }): void {
    const { batchSize } = JSON.parse(
      campaigns.require(campaign, { launched: false }).settings,
    ) as CampaignSettings;
    const last = sql.last_batch.get(campaign) as
      | { id: number; first_seq: number; last_seq: number }
      | undefined;
    let next = 1;
    if (last !== undefined) {
      const grown = Math.min(last.first_seq + batchSize - 1, toSeq);
      if (grown > last.last_seq) sql.grow_batch.run(last.id, grown);
      next = grown + 1;
    }
    for (; next <= toSeq; next += batchSize) {
      sql.add_batch.run(campaign, next, Math.min(next + batchSize - 1, toSeq), now);
    }
  }

  return {
    createDraft(draft: NewCampaign): Campaign {
      const { id, name, kind, sender, template, settings, hashes, now } = draft;
      const { lastInsertRowid } = sql.create_draft.run(
        id,
        name,
        kind,
        sender,
        template,
        JSON.stringify(settings),
        settings.ratePerSecond,
        hashes.job,
        hashes.template,
        hashes.contacts,
        now,
      );
      return campaignFrom(campaigns.require(Number(lastInsertRowid), { launched: false }));
    },

    addMessages({ campaign, rows, now }: AddMessages): DuplicateRow[] {
      if (rows.length > MOST_ROWS) throw new RangeError(`at most ${MOST_ROWS} rows at a time`);
      campaigns.require(campaign, { launched: false });
      const duplicates: DuplicateRow[] = [];
      let seq = lastSeq(campaign);
      for (const { line, mobile, key, occurrence, fields, segments } of rows) {
        const cells = JSON.stringify(fields);
        const added = sql.add_message.run(
          campaign,
          seq + 1,
          line,
          mobile,
          key,
          occurrence,
          cells,
          segments,
          now,
        );
        if (added.changes === 1) {
          seq += 1;
        } else {
          const kept = sql.kept_line.get(campaign, mobile, key, occurrence);
          duplicates.push({ line, keptLine: Number(kept?.['line']) });
        }
      }
      growBatches({ campaign, toSeq: seq, now });
      return duplicates;
    },

    activate(activation: Activation): { activated: true } | { activated: false; open: Campaign } {
      const { campaign, now, by, account, counts, startAt, startDeadlineMs } = activation;
      const draft = campaigns.require(campaign, { launched: false });
      const open = sql.open_named.get(draft.name) as CampaignRow | undefined;
      if (open !== undefined) return { activated: false, open: campaignFrom(open) };
      const rows = lastSeq(campaign);
      if (counts.planned !== rows)
        throw new RangeError(`the draft holds ${rows} messages, not ${counts.planned}`);
      sql.add_account.run(account);
      const state = startAt === null ? 'running' : 'scheduled';
      const { budgetMicro, estimatedMicro } = activation;
      sql.activate.run(campaign, state, account, budgetMicro, estimatedMicro, startAt, startDeadlineMs, now);
      const { read, planned, unchanged, duplicate, invalid, suppressed } = counts;
      sql.add_upload.run(campaign, now, read, planned, unchanged, duplicate, invalid, suppressed);
      campaigns.audit({
        now,
        by,
        verb: 'launch',
        campaign,
        detail: { account, startAt, budgetMicro, counts },
      });
      return { activated: true };
    },

    /**
     * Deletes up to `MOST_ROWS` messages of a draft, and the draft itself when none is left. Answers whether it is
     * gone. After a crash in between, the rest is a draft still: discarding it again goes on.
     */
    discardChunk(campaign: number): boolean {
      if (campaigns.find(campaign) === null) return true;
      campaigns.require(campaign, { launched: false });
      if (sql.discard_messages.run(campaign, MOST_ROWS).changes > 0) return false;
      sql.discard_batches.run(campaign);
      sql.discard_campaign.run(campaign);
      return true;
    },
  };
}
