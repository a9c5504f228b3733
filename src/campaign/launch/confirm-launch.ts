import type { Campaign } from '../../domain/campaign.ts';
import { TumaError } from '../../domain/errors.ts';
import { discardAfter } from '../planning/plan-job.ts';
import { applyUpload } from '../planning/upload.ts';
import { changed, countsOf, differences } from './launch.ts';
import type { LaunchEnv } from './launch-settings.ts';
import { refuseLooser, withoutEffect } from './open-campaign.ts';
import { type LaunchDraft, type LaunchQuestion, newLedgerError } from './preview-launch.ts';

/** The result of a confirmed launch; `without` names the flags that changed nothing, in sentences. */
export type Launched =
  | { launched: 'activated'; campaign: Campaign }
  | { launched: 'continued' | 'corrected'; campaign: Campaign; without: string[] };

/** The accepted questions of a draft, and the person who accepts them. */
export interface Confirmation {
  /** The questions of the draft that the person accepts. */
  accepted: readonly LaunchQuestion[];
  /** The person who launches, for the audit. */
  actor: string;
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
    return await launch(env, draft, confirmation.actor);
  } catch (error) {
    await discardLaunch(env, draft, error);
    throw error;
  }
}

/** Removes the draft of a launch that was not confirmed, because of `error`. */
export async function discardLaunch(env: LaunchEnv, { draft }: LaunchDraft, error: unknown): Promise<void> {
  await discardAfter(error, { ledger: env.ledger, draft });
}

function requireAccepted(env: LaunchEnv, { questions }: LaunchDraft, { accepted }: Confirmation): void {
  const open = questions.find((question) => !accepted.includes(question));
  if (open === 'new_ledger') throw newLedgerError(env);
  if (open === 'loss')
    throw new TumaError('declined', {
      message: 'It is not known who got this in the time that the ledger lost. Nothing was launched.',
    });
  if (open === 'cost')
    throw new TumaError('declined', { message: 'The cost was not accepted. Nothing was launched.' });
}

async function launch(env: LaunchEnv, given: LaunchDraft, actor: string): Promise<Launched> {
  const { draft, planned, account, estimatedMicro, flags } = given;
  const upload = planned.reminders?.upload ?? null;
  if (upload !== null) {
    const correction = { ...upload, planned, account, estimatedMicro, actor };
    const campaign = await applyUpload(env, correction);
    // The plan used `again`, and the limits used `partial`.
    const unheeded = { ...flags, again: false, partial: false };
    return { launched: 'corrected', campaign, without: withoutEffect(campaign, unheeded) };
  }
  if (planned.reminders !== null) await env.ledger.arrangeReminders(draft.n, env.clock.now());
  return activate(env, given, actor);
}

async function activate(env: LaunchEnv, given: LaunchDraft, actor: string): Promise<Launched> {
  const { draft, planned, hashes, since, account, budgetMicro, estimatedMicro, startAt } = given;
  const result = await env.ledger.activate({
    campaign: draft.n,
    since,
    account,
    budgetMicro,
    estimatedMicro,
    priceMicro: estimatedMicro === null ? null : Math.ceil(estimatedMicro / planned.tally.segments.planned),
    startAt,
    startDeadlineMs: given.startDeadlineMs,
    counts: countsOf(planned.tally),
    now: env.clock.now(),
    by: actor,
  });
  if (result.activated)
    return { launched: 'activated', campaign: (await env.ledger.campaign(draft.n)) ?? draft };
  // Another launch of the name came first. With the same files this launch continues that campaign.
  const different = differences(result.open.hashes, hashes);
  if (different.length > 0) throw changed(result.open, different);
  refuseLooser(result.open, given.flags);
  await env.ledger.discardDraft(draft.n);
  return { launched: 'continued', campaign: result.open, without: withoutEffect(result.open, given.flags) };
}
