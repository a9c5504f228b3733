import type { Connection } from '../../connection.ts';
import type { PauseReason } from '../../../domain/campaign.ts';
import { spacingMs } from '../../../domain/pace/rate.ts';
import type { Ledger } from '../../contracts/ledger.ts';
import type { StateChange } from '../../contracts/records.ts';
import type { BatchRecords, StepDone } from '../planning/batches.ts';
import { type CampaignRecords, type CampaignRow, campaignFrom } from '../planning/campaigns.ts';
import type { CanaryGate } from '../sending/canary.ts';
import type { NetworkBreaker } from '../sending/network-breaker.ts';
import type { PreparationBook } from '../planning/preparations.ts';
import { type Sql, loadStatements } from '../../statements.ts';
import { mapInOrder } from '../../in-order.ts';
import { operation } from '../operation.ts';

/** The operators' actions on a whole campaign. Every change leaves an audit row. */

type Change = StateChange & { campaign: number };
/** `cutOffAt`: the campaign's last sign of sending before its worker died. */
type Pause = Change & Parameters<Ledger['pause']>[1] & { cutOffAt?: number };
type Resume = Change & Parameters<Ledger['resume']>[1];
type SetRate = Change & Parameters<Ledger['setRate']>[1];
type CancelStep = { campaign: number; after: number; now: number };

interface Context {
  sql: Sql;
  preparations: Pick<PreparationBook, 'requireApproverNow'>;
  campaigns: CampaignRecords;
  batches: BatchRecords;
  canary: CanaryGate;
  networkBreaker: NetworkBreaker;
  /** A recurring job that a person paused waits for its next moment. One that waits for a person fires at once. */
  resumeSchedule: (campaign: number, reason: PauseReason, now: number) => Promise<void>;
}

/** The actions of people and watchers on campaigns (contracts/ledger.ts): pause, resume, cancel, rate. */
export function verbOperations(database: Connection, records: Omit<Context, 'sql'>) {
  const sql = loadStatements(database, new URL('./verbs.sql', import.meta.url));
  const context = { sql, ...records };
  return {
    pause: (campaign: number, change: Omit<Pause, 'campaign'>) => pause(context, { ...change, campaign }),
    resume: (campaign: number, change: Omit<Resume, 'campaign'>) => resume(context, { ...change, campaign }),
    watchCanaries: (now: number) =>
      context.canary.watch(now, {
        pause: (change) => pause(context, change),
        goOn: (change) => resume(context, { ...change, reasons: ['canary'] }),
      }),
    watchNetworks: (now: number) => context.networkBreaker.watch(now, (change) => pause(context, change)),
    beginCancel: (change: Change) => beginCancel(context, change),
    cancelChunk: (step: CancelStep) => cancelChunk(context, step),
    haltedCampaigns: operation({ durable: false }, async (asked: readonly number[]) =>
      (await sql<{ n: number }>('halted').all(JSON.stringify(asked))).map(({ n }) => n),
    ),
    unfinishedCancels: async () => (await sql<{ n: number }>('unfinished_cancels').all()).map(({ n }) => n),
    setRate: (campaign: number, change: Omit<SetRate, 'campaign'>) =>
      setRate(context, { ...change, campaign }),
    startDue: (now: number) => startDue(context, now),
  };
}

/** Also called for verdicts that ask for a pause, and for campaigns of a dead worker. */
async function pause({ sql, campaigns }: Context, change: Pause): Promise<boolean> {
  const { campaign, reason, words, usedUpMicro, cutOffAt, now, by } = change;
  const { budget } = await campaigns.require(campaign, { launched: true });
  if (usedUpMicro !== undefined && usedUpMicro !== budget) return false;
  const { changes } =
    reason === 'operator'
      ? await sql('pause_by_operator').run(campaign)
      : await sql('pause').run(campaign, reason);
  if (changes === 0) return false;
  await campaigns.audit({ now, by, verb: 'pause', campaign, detail: { reason, words, cutOffAt } });
  return true;
}

async function resume(context: Context, change: Resume): Promise<boolean> {
  const { sql, campaigns } = context;
  const { campaign, sender, now, by } = change;
  await requireApproval(context, change);
  const { state, reason, settings } = await campaigns.require(campaign, { launched: true });
  const resumes = reason !== null && isMeant(change, reason);
  // A person who names a sender wants no message under the old one, and a budget alone could resume that.
  if (sender !== undefined && !resumes) return false;
  const raised = await raiseBudget(context, change);
  const lifted = await letNetworksGo(context, change, { running: state === 'running', reason });
  if (!resumes) return raised || lifted;
  if (sender !== undefined) await changeSender(context, { campaign, sender, now });
  if (JSON.parse(settings).every !== undefined) await context.resumeSchedule(campaign, reason, now);
  await sql('resume').run(campaign, sender ?? null, now);
  if (reason === 'canary') await overrideCanary(context, change);
  await campaigns.audit({ now, by, verb: 'resume', campaign, detail: { reason, sender } });
  await noteMissedStart(context, change);
  return true;
}

/** A changed sender or a higher budget sends more, or otherwise, than was approved. */
async function requireApproval(
  { preparations }: Context,
  { campaign, sender, budgetMicro }: Resume,
): Promise<void> {
  if (sender !== undefined || budgetMicro !== undefined)
    await preparations.requireApproverNow('raise a budget or change a sender', campaign);
}

/** A campaign that was paused past its start waits for a person, as any that missed it. */
async function noteMissedStart({ campaigns }: Context, { campaign, now }: Resume): Promise<void> {
  const { reason, start_at: startAt } = await campaigns.require(campaign, { launched: true });
  if (reason === 'start')
    await campaigns.audit({ now, by: 'schedule', verb: 'miss_start', campaign, detail: { startAt } });
}

/** A person means every pause. But a raised budget alone does not mean a canary, which is not about money. */
function isMeant({ reasons, budgetMicro, sender }: Resume, reason: PauseReason): boolean {
  if (reasons !== undefined) return reasons.includes(reason);
  return reason !== 'canary' || budgetMicro === undefined || sender !== undefined;
}

/** A person who resumes during the canary overrides it. The canary's own resume does not. */
async function overrideCanary({ canary }: Context, { campaign, reasons, now }: Resume): Promise<void> {
  if (reasons === undefined) await canary.override(campaign, now);
}

/** Leases with the old sender end, so that nothing more is claimed under them. */
async function changeSender(
  { sql, batches }: Context,
  { campaign, sender, now }: { campaign: number; sender: string; now: number },
): Promise<void> {
  await sql('keep_sender').run(campaign, now, sender);
  await batches.endLeases(campaign);
}

/** Resuming a running campaign releases its held networks, unless the person only raised the budget. */
async function letNetworksGo(
  { networkBreaker }: Context,
  change: Resume,
  { running, reason }: { running: boolean; reason: PauseReason | null },
): Promise<boolean> {
  const meant = reason === 'errors' || (running && change.budgetMicro === undefined);
  return meant && change.reasons === undefined && (await networkBreaker.override(change));
}

async function raiseBudget(
  { sql, campaigns }: Context,
  { campaign, budgetMicro, now, by }: Resume,
): Promise<boolean> {
  if (budgetMicro === undefined) return false;
  const { budget: was } = await campaigns.require(campaign, { launched: true });
  if ((await sql('raise_budget').run(campaign, budgetMicro)).changes === 0) return false;
  await campaigns.audit({ now, by, verb: 'budget', campaign, detail: { was, is: budgetMicro } });
  return true;
}

/**
 * First step of a cancel: from now on no message can be claimed. False: the campaign is settled and stays so.
 * After a crash, another cancel or the sweep continues with the queued messages.
 */
async function beginCancel({ sql, campaigns }: Context, { campaign, now, by }: Change): Promise<boolean> {
  const { state } = await campaigns.require(campaign, { launched: true });
  if (state === 'canceled') return true;
  if ((await sql('is_settled').get(campaign))?.['settled'] === 1) return false;
  await sql('cancel').run(campaign, now);
  await sql('end_schedule').run(campaign);
  await campaigns.audit({ now, by, verb: 'cancel', campaign, detail: { was: state } });
  return true;
}

/** Queued → canceled in the batches after `after`, up to `MOST_ROWS` messages. */
async function cancelChunk({ sql, batches }: Context, step: CancelStep): Promise<StepDone> {
  return await batches.walk(step, async (batch) => {
    if (batch.settled_at !== null) return 0;
    const { first_seq: first, last_seq: last } = batch;
    const { changes } = await sql('cancel_messages').run(step.campaign, first, last, step.now);
    await batches.settleIfEmpty(batch.id, step.now);
    return Number(changes);
  });
}

/** The next slot comes one spacing of the new rate after the last taken slot. */
async function setRate(
  { sql, campaigns }: Context,
  { campaign, ratePerSecond, now, by }: SetRate,
): Promise<void> {
  const { rate } = await campaigns.require(campaign, { launched: true });
  const spacing = (value: number | null) => (value === null ? 0 : spacingMs(value));
  await sql('set_rate').run(campaign, ratePerSecond, spacing(ratePerSecond) - spacing(rate));
  await campaigns.audit({ now, by, verb: 'rate', campaign, detail: { was: rate, is: ratePerSecond } });
}

async function startDue({ sql, campaigns }: Context, now: number): ReturnType<Ledger['startDue']> {
  const due = await sql<Pick<CampaignRow, 'n' | 'start_at' | 'start_deadline'>>('due_starts').all(now);
  return await mapInOrder(due, async ({ n, start_at: startAt, start_deadline: deadline }) => {
    const started = now - (startAt ?? now) <= deadline;
    await sql('start').run(n, ...(started ? ['running', null] : ['paused', 'start']));
    const verb = started ? 'start' : 'miss_start';
    await campaigns.audit({ now, by: 'schedule', verb, campaign: n, detail: { startAt } });
    return { campaign: campaignFrom(await campaigns.require(n, { launched: true })), started };
  });
}
