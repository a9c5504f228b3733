import type { Campaign } from '../../domain/campaign.ts';
import { TumaError } from '../../domain/errors.ts';
import { discardAfter } from '../planning/plan-job.ts';
import { applyUpload } from '../planning/upload.ts';
import type { LaunchedPreparation } from '../../ledger/contracts/records.ts';
import { changed, differences } from './launch.ts';
import type { LaunchEnv } from './launch-settings.ts';
import { type IgnoredFlag, refuseLooser, withoutEffect } from './open-campaign.ts';
import { type LaunchDraft, type LaunchFacts, type LaunchQuestion, newLedgerError } from './preview-launch.ts';

/** What the commit of a launch uses. */
type CommitEnv = Pick<LaunchEnv, 'ledger' | 'clock'>;

/** The result of a confirmed launch; `without` names the flags that changed nothing. */
export type Launched =
  | { launched: 'activated'; campaign: Campaign }
  | { launched: 'continued' | 'corrected'; campaign: Campaign; without: IgnoredFlag[] };

/** The accepted questions of a draft, and the person who accepts them. */
export interface Confirmation {
  /** The questions of the draft that the person accepts. */
  accepted: readonly LaunchQuestion[];
  /** The person who launches, for the audit. */
  actor: string;
  /** As of DraftLaunch; left out: a job file is launched. */
  preparation?: LaunchedPreparation;
}

/**
 * The second step of a launch: one commit makes the draft a campaign, or lays corrected contacts over an open
 * one. Throws `declined` or `new_ledger` for a question that is not accepted. Throws `campaign_changed` when
 * another launch came first. An error leaves no campaign behind.
 */
export async function confirmLaunch(
  env: LaunchEnv,
  draft: LaunchDraft,
  confirmation: Confirmation,
): Promise<Launched> {
  try {
    requireAccepted(env, draft, confirmation);
    const { actor, preparation = null } = confirmation;
    return await launchDraft(env, { draft: draft.draft, facts: draft.facts, actor, preparation });
  } catch (error) {
    await discardLaunch(env, draft, error);
    throw error;
  }
}

/** Removes the draft of a launch that was not confirmed, because of `error`. */
export async function discardLaunch(
  env: Pick<LaunchEnv, 'ledger'>,
  { draft }: LaunchDraft,
  error: unknown,
): Promise<void> {
  await discardAfter(error, { ledger: env.ledger, draft });
}

function canceledMeanwhile({ id }: Campaign): TumaError {
  return new TumaError('campaign_changed', {
    message: `The same files were launched meanwhile as ${id}, and canceled. Nothing was launched.`,
    hint: 'Launch again to send them all the same.',
    where: id,
  });
}

function requireAccepted(env: LaunchEnv, { questions }: LaunchDraft, { accepted }: Confirmation): void {
  const open = questions.find((question) => !accepted.includes(question));
  if (open === 'new_ledger') throw newLedgerError(env);
  if (open === 'loss')
    throw new TumaError('declined', {
      message: 'It is not known who got this in the time that the ledger lost. Nothing was launched.',
    });
  if (open === 'cancel_missing')
    throw new TumaError('declined', {
      message:
        'Nobody said that the people whom these contacts leave out are to be canceled. Nothing was changed.',
    });
  if (open === 'cost')
    throw new TumaError('declined', { message: 'The cost was not accepted. Nothing was launched.' });
}

/** A draft that is launched, who launches it, and the preparation that becomes launched in the same commit. */
interface DraftLaunch {
  draft: Campaign;
  facts: LaunchFacts;
  actor: string;
  /** Null: a job file is launched. */
  preparation: LaunchedPreparation | null;
}

/**
 * The commit of a launch. Throws `campaign_changed` when another launch came first. The draft stays when it throws;
 * it is gone after `continued`, because the open campaign is the same.
 */
async function launchDraft(env: CommitEnv, launch: DraftLaunch): Promise<Launched> {
  const { draft, facts, actor, preparation } = launch;
  const { corrects, account, estimatedMicro, counts, flags } = facts;
  if (corrects !== null) {
    const { since } = facts;
    const correction = {
      ...corrects,
      since,
      draft: draft.n,
      account,
      estimatedMicro,
      counts,
      actor,
      preparation,
    };
    const campaign = await applyUpload(env, correction);
    // The plan used `again`, and the limits used `partial`.
    const unheeded = { ...flags, again: false, partial: false };
    return { launched: 'corrected', campaign, without: withoutEffect(campaign, unheeded) };
  }
  if (facts.isReminder) await env.ledger.arrangeReminders(draft.n, env.clock.now());
  return activate(env, launch);
}

async function activate(
  env: CommitEnv,
  { draft, facts, actor, preparation }: DraftLaunch,
): Promise<Launched> {
  const { since, account, budgetMicro, estimatedMicro, priceMicro, startAt, startDeadlineMs, counts } = facts;
  const money = { account, budgetMicro, estimatedMicro, priceMicro };
  const result = await env.ledger.activate({
    campaign: draft.n,
    since,
    ...money,
    startAt,
    startDeadlineMs,
    counts,
    preparation,
    now: env.clock.now(),
    by: actor,
  });
  if (result.activated)
    return { launched: 'activated', campaign: (await env.ledger.campaign(draft.n)) ?? draft };
  if (result.open.state === 'canceled') throw canceledMeanwhile(result.open);
  // Another launch of the name came first. With the same files this launch continues that campaign.
  const different = differences(result.open.hashes, draft.hashes);
  if (different.length > 0) throw changed(result.open, different);
  refuseLooser(result.open, facts.flags);
  await env.ledger.discardDraft(draft.n);
  return { launched: 'continued', campaign: result.open, without: withoutEffect(result.open, facts.flags) };
}
