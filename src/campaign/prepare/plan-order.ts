import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { hashFile } from '../../contacts/source-file.ts';
import { TumaError } from '../../domain/errors.ts';
import type { Ledger } from '../../ledger/contracts/ledger.ts';
import type { LedgerReader } from '../../ledger/contracts/reader.ts';
import { loadJobText } from '../jobs/load-job.ts';
import type { Clock, Processes } from '../env.ts';
import type { AccountCredit } from '../launch/launch.ts';
import { confirmLaunch } from '../launch/confirm-launch.ts';
import type { LaunchEnv, LaunchSettings } from '../launch/launch-settings.ts';
import {
  type LaunchPreview,
  type LaunchQuestion,
  previewLaunch,
  readLaunchFiles,
} from '../launch/preview-launch.ts';
import { workersAlive } from '../operator/living-workers.ts';
import { planDocument } from '../planning/plan-document.ts';
import { startOfJob } from '../planning/plan-start.ts';
import type { DonePlan, KeptContacts, PreparationActor, PreparationPlan } from './preparation.ts';

/** What a process needs to plan or launch one revision of a preparation. It is data, and holds no secret. */
export interface PlanOrder {
  id: string;
  revision: number;
  /** The token of this try, under which its plan is kept. */
  process: string;
  /** The text of the job file. */
  job: string;
  folder: string;
  contacts: KeptContacts;
  account: AccountCredit;
  settings: LaunchSettings;
  actor: PreparationActor;
  /** What the person saw and accepted; null: it is only planned. */
  launch: AcceptedPlan | null;
}

/** What the person saw and accepted. */
export interface AcceptedPlan {
  /** The digest of the plan; another plan is shown first. */
  digest: string;
  accepted: readonly LaunchQuestion[];
}

/** Plans or launches in another process, which keeps the result. `progress`: the rows read so far. Rejects when it fails. */
export type PlanApart = (order: PlanOrder, progress: (rows: number) => void) => Promise<void>;

/** What that process runs with. */
export interface PlanOrderEnv {
  ledger: Ledger;
  reader: () => Promise<LedgerReader>;
  clock: Clock;
  processes: Processes;
  random: () => number;
  /** The folder of copies, which goes with the process. */
  copies: string;
  progress: (rows: number) => void;
  signal: AbortSignal;
}

/** The name of a preparation's job in errors. */
export const JOB_NAME = 'job';

/**
 * Plans one revision as `previewLaunch` does, and keeps the plan; its draft goes at once. With `launch` it then launches
 * what it has just planned, if that is what the person saw: one commit makes the campaign and the preparation
 * `launched`. Errors that a person can mend become the plan.
 */
export async function planOrder(env: PlanOrderEnv, order: PlanOrder): Promise<void> {
  const { id, revision, process, actor } = order;
  const plan = await planOrFailure(env, order);
  // Null: it is launched, and the preparation says so.
  if (plan === null) return;
  const change = { id, revision, process, by: actor.name, now: env.clock.now() };
  await env.ledger.recordPlan({ ...change, plan: JSON.stringify(plan) });
}

async function planOrFailure(env: PlanOrderEnv, order: PlanOrder): Promise<PreparationPlan | null> {
  try {
    return await preview(env, order);
  } catch (error) {
    if (!(error instanceof TumaError)) throw error;
    return failedPlan(error, order.folder);
  }
}

/** A plan that failed, in words that a person can act on. Places in our folder say `job` or `contacts`. */
export function failedPlan(
  { code, message, hint, advice, where }: TumaError,
  folder: string,
): PreparationPlan {
  const plain = (text: string) =>
    text.replaceAll(`${folder}/`, '').replace(/contacts-[0-9a-f]{16}/g, 'contacts');
  return {
    planning: 'failed',
    code,
    message: plain(message),
    hint: hint === null ? null : plain(hint),
    advice,
    where: where === null ? null : plain(where),
  };
}

async function preview(env: PlanOrderEnv, order: PlanOrder): Promise<PreparationPlan | null> {
  const { folder, contacts, account, settings } = order;
  const loaded = await loadJobText({ file: join(folder, JOB_NAME), source: order.job });
  const place = { folder: env.copies, input: process.stdin };
  const kept = join(folder, contacts.file);
  const files = await readLaunchFiles(loaded, kept, place);
  await using _ = files.contacts;
  // Of a workbook the copy has another hash.
  const sha256 = contacts.format === 'csv' ? files.hashes.contacts : await hashFile(kept);
  if (sha256 !== contacts.sha256) throw otherContacts();
  const isWorkerAlive = async () => (await workersAlive(env)) > 0;
  const launching = { ...env, ledger: counting(env), provider: NO_PROVIDER, settings, isWorkerAlive };
  const result = await previewLaunch(launching, {
    files,
    account,
    rejectsPlace: () => ({ path: join(folder, `rejects.${contacts.format}`), ifTaken: 'replace' }),
    newLedger: 'ask',
    cancelMissing: 'ask',
    isPrepared: true,
    startAt: startOfJob(loaded.job, { zone: settings.zone, now: env.clock.now() }),
    warnings: [],
    signal: env.signal,
    maxCostMicro: null,
    gsm: false,
    // The plan says what is missing, and the person launches all the same or tops up.
    partial: true,
    again: false,
    at: false,
  });
  return result.preview === 'draft'
    ? launchOrKeep(launching, order, result)
    : known(launching, order, result);
}

type Drafted = Extract<LaunchPreview, { preview: 'draft' }>;
type Known = Exclude<LaunchPreview, Drafted>;

/** These files are a campaign already: a launch of an open one is that campaign. */
async function known(
  env: LaunchEnv,
  order: PlanOrder,
  { preview, campaign }: Known,
): Promise<PreparationPlan | null> {
  const settled = preview === 'settled';
  if (order.launch !== null && !settled && (await joinOpen(env, order, campaign.id))) return null;
  return { planning: 'known', campaign: campaign.id, settled };
}

/** Launches the draft, if it is what the person saw; else the draft goes and the plan stays. */
async function launchOrKeep(
  env: LaunchEnv,
  order: PlanOrder,
  result: Drafted,
): Promise<PreparationPlan | null> {
  const { draft } = result;
  const { launch, actor, id, revision, process } = order;
  const plan = planOf(order, result, env.clock.now());
  if (launch === null || launch.digest !== plan.digest) {
    await env.ledger.discardDraft(draft.draft.n);
    return plan;
  }
  const { name, identities, mayApprove } = actor;
  const preparation = { id, revision, process, identities, mayApprove };
  const confirmation = { accepted: launch.accepted, actor: name, preparation };
  const { launched, campaign } = await confirmLaunch(env, draft, confirmation);
  if (launched === 'continued') await joinOpen(env, order, campaign.id);
  return null;
}

function joinOpen(
  env: LaunchEnv,
  { id, revision, process, actor }: PlanOrder,
  campaign: string,
): Promise<boolean> {
  const change = { id, revision, process, by: actor.name, now: env.clock.now() };
  return env.ledger.joinPreparation({ ...change, campaign });
}

function planOf(order: PlanOrder, { draft, plan }: Drafted, plannedAt: number): DonePlan {
  const { upload = null } = plan.planned.reminders ?? {};
  const document = planDocument(plan, 'whole');
  const { upperMicro, othersMicro } = plan.cost;
  const { questions } = draft;
  return {
    planning: 'done',
    document,
    money: { atMostMicro: upperMicro ?? othersMicro?.upperMicro ?? null, balance: plan.balance },
    questions,
    corrects: upload?.campaign.id ?? null,
    digest: digestOf(order, { document, questions }),
    plannedAt,
    account: order.account.account,
  };
}

/** Of all that a person is shown before a launch: text, contacts, people, cost, start, questions, warnings. */
function digestOf(
  { job, contacts, account }: PlanOrder,
  { document, questions }: Pick<DonePlan, 'document' | 'questions'>,
): string {
  const { campaign, rows, cost, start, warnings, reminders } = document;
  const plan = [campaign, rows, cost, start, warnings, questions, changesOf(reminders?.upload ?? null)];
  const shown = [job, contacts.sha256, account.account, ...plan];
  return createHash('sha256').update(JSON.stringify(shown)).digest('base64url').slice(0, 32);
}

/** What a correction does; not the counts that fall by themselves while the reminders of the campaign leave. */
function changesOf(upload: NonNullable<DonePlan['document']['reminders']>['upload']) {
  if (upload === null) return null;
  const { campaign, moved, brought_back, stays_canceled, missing, canceled } = upload;
  return { campaign, new: upload.new, moved, brought_back, stays_canceled, missing, canceled };
}

/** The ledger, with a count of the rows that are planned. */
function counting({ ledger, progress }: PlanOrderEnv): Ledger {
  let rows = 0;
  const count = (more: number) => progress((rows += more));
  return {
    ...ledger,
    addMessages: async (campaign, given, about) => {
      const leftOut = await ledger.addMessages(campaign, given, about);
      count(given.length);
      return leftOut;
    },
    stageReminders: async (draft, given) => {
      const leftOut = await ledger.stageReminders(draft, given);
      count(given.length);
      return leftOut;
    },
  };
}

function otherContacts(): TumaError {
  return new TumaError('contacts_invalid', {
    message: 'The kept file is not the one that was uploaded.',
    hint: 'Upload the contacts again.',
  });
}

/** Planning sends nothing, and the account was looked at before. */
const NO_PROVIDER = {
  send: () => Promise.reject(new Error('a plan does not send')),
  balance: () => Promise.reject(new Error('a plan has looked already')),
  mapAnswers: () => undefined,
  close: () => Promise.resolve(),
};
