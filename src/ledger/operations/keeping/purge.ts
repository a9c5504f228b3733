import type { Connection } from '../../connection.ts';
import type { PurgeLedger, TraceCounts } from '../../contracts/purge.ts';
import type { StateChange } from '../../contracts/records.ts';
import { MOST_ROWS, type StepDone } from '../planning/batches.ts';
import type { CampaignRecords } from '../planning/campaigns.ts';
import { eraseOperations } from './erase.ts';
import { maskReports } from './masked-reports.ts';
import { PurgedReminders } from '../planning/purged-reminders.ts';
import type { Engine } from '../../engine.ts';
import { type Sql, loadStatements } from '../../statements.ts';
import { operation } from '../operation.ts';

/** Removes personal data step by step. Each step records its progress in the ledger itself. */

type BeginPurge = StateChange & { campaign: number };
type TraceStep = Parameters<PurgeLedger['purgeTraces']>[0] & { after: number };

interface Context {
  engine: Engine;
  sql: Sql;
  campaigns: CampaignRecords;
  reminders: PurgedReminders;
}

const DAY_MS = 24 * 3_600_000;

/** The purge (contracts/purge.ts) and the removal of one person (contracts/erase.ts) as operations of the thread. */
export function purgeOperations(
  database: Connection,
  { campaigns, engine }: { campaigns: CampaignRecords; engine: Engine },
) {
  const sql = loadStatements(database, new URL('./purge.sql', import.meta.url));
  const context = { engine, sql, campaigns, reminders: new PurgedReminders(database) };
  return {
    takeDailyPurge: async (now: number): Promise<boolean> =>
      (await sql('take_day').run(String(now), now - DAY_MS)).changes > 0,
    beginPurge: operation({ right: 'admin' }, (order: BeginPurge) => beginPurge(context, order)),
    purgeStep: operation({ right: 'admin' }, (step: { campaign: number; now: number }) =>
      purgeStep(context, step),
    ),
    traceStep: operation({ right: 'admin' }, (step: TraceStep) => traceStep(context, step)),
    ...eraseOperations(database, { campaigns, engine, purge: sql }),
  };
}

/** False: there is nothing to purge, neither from the beginning nor from an unfinished order. */
async function beginPurge({ sql, campaigns }: Context, { campaign, now, by }: BeginPurge): Promise<boolean> {
  if ((await sql('begin').run(campaign)).changes > 0) {
    await campaigns.audit({ now, by, verb: 'purge', campaign, detail: {} });
    await sql('empty_audit').run(campaign);
    await sql('empty_alerts').run(campaign);
    await sql('drop_canceled_people').run(campaign);
  }
  return (await sql('under_way').get(campaign)) !== undefined;
}

async function purgeStep(
  context: Context,
  { campaign, now }: { campaign: number; now: number },
): Promise<StepDone> {
  const { sql } = context;
  const found = await sql<{ seq: number; last: number }>('under_way').get(campaign);
  if (found === undefined) return { count: 0, after: null };
  await context.engine.overwriteDeleted();
  const [first, until] = [found.seq + 1, found.seq + MOST_ROWS];
  await context.reminders.keep(campaign, [first, until]);
  await sql('drop_failures').run(campaign, first, until);
  await sql('drop_outlived_by_messages').run(campaign, first, until);
  const { changes } = await sql('empty_messages').run(campaign, first, until);
  await sql('empty_evidence').run(campaign, first, until);
  const done = until >= found.last;
  await sql('advance').run(campaign, until, done ? now : null);
  return { count: Number(changes), after: done ? null : until };
}

async function traceStep(context: Context, step: TraceStep): Promise<TraceCounts & { after: number | null }> {
  const { sql, campaigns } = context;
  const { before, after, now, by } = step;
  if (after === 0) await campaigns.audit({ now, by, verb: 'purge', campaign: null, detail: { before } });
  await context.engine.overwriteDeleted();
  const until = after + MOST_ROWS;
  const webhooks = Number((await sql('empty_webhooks').run(after, until, before, now)).changes);
  const reports = await maskReports(sql('mask_report'), await sql('reports').all(after, until, before));
  await sql('drop_outlived_by_replies').run(after, until, before);
  const replies = Number((await sql('empty_replies').run(after, until, before)).changes);
  const more = until < Number((await sql('last_ids').get())?.['last']);
  return { webhooks, reports, replies, after: more ? until : null };
}
