import type { Env } from '../env.ts';
import type { ContactsSource } from '../../contacts/contacts-source.ts';
import type { Campaign, CampaignHashes } from '../../domain/campaign.ts';
import { TumaError } from '../../domain/errors.ts';
import { formatMoney, type MoneyMicro, grouped } from '../../domain/money.ts';
import type { CampaignOverview } from '../../ledger/contracts/reader.ts';
import type { UploadCounts } from '../../ledger/contracts/records.ts';
import type { AcceptedLoss } from '../../ledger/contracts/stale-ledger.ts';
import { type LoadedJob, loadJob } from '../jobs/load-job.ts';
import { refuseBehind } from '../maintenance/stale-ledger-guard.ts';
import { type PlanFacts, planFacts, profileWarnings } from '../planning/plan-facts.ts';
import { contactsOf, type ContactsPlace, hashesOf } from '../planning/job-contacts.ts';
import {
  discardAfter,
  planJob,
  type PlannedJob,
  type PlanRequest,
  requireUsableRow,
  senderOf,
} from '../planning/plan-job.ts';
import { readCreditAhead } from '../planning/credit-ahead.ts';
import { refuseMissed } from '../planning/plan-start.ts';
import type { JobEdit, PlanWarning } from '../planning/plan-warning.ts';
import { asksAboutMissing, finishUploads } from '../planning/upload.ts';
import { afterCanceled } from './after-canceled.ts';
import { type AccountCredit, checkLimits, countsOf, type Earlier, openAccount } from './launch.ts';
import type { LaunchEnv } from './launch-settings.ts';
import { type IgnoredFlag, type OpenFlags, refuseLooser, withoutEffect } from './open-campaign.ts';
import { canceledBefore, lookBack, sameContactsWarnings, sentBeforeWarnings } from './previous-launches.ts';

/** The launch that a person asks for. Money in millionths. */
export interface LaunchRequest extends OpenFlags {
  files: LaunchFiles;
  /** The place of rejected rows. It is asked for when something is planned, because it may be taken. */
  rejectsPlace: () => PlanRequest['rejectsPlace'];
  /** The decision about a ledger without an earlier campaign. */
  newLedger: 'accept' | 'ask' | 'refuse';
  /** The decision about a correction that leaves out more than a tenth of the open reminders. */
  cancelMissing: 'accept' | 'ask' | 'refuse';
  /** True: of a preparation, which a second person can approve. Left out: of the command line. */
  isPrepared?: boolean;
  /** The start in milliseconds; null: at once. */
  startAt: number | null;
  /** More warnings of the caller. */
  warnings: readonly PlanWarning[];
  /** The account, where the caller has looked at it just now; left out: it is looked at. */
  account?: AccountCredit;
  signal: AbortSignal;
}

/** The files of a launch, as they were read. */
export interface LaunchFiles {
  loaded: LoadedJob;
  contacts: ContactsSource;
  hashes: CampaignHashes;
}

/**
 * Reads the files of a launch; `given` are contacts in place of the job's. The caller disposes of the contacts.
 * Throws `job_invalid` and similar errors before the ledger is touched.
 */
export async function readLaunchFiles(
  job: string | LoadedJob,
  given: string | null,
  place: ContactsPlace,
): Promise<LaunchFiles> {
  const loaded = typeof job === 'string' ? await loadJob(job) : job;
  const contacts = await contactsOf(loaded, given, place);
  try {
    return { loaded, contacts, hashes: await hashesOf(loaded, contacts) };
  } catch (error) {
    await contacts[Symbol.asyncDispose]();
    throw error;
  }
}

/** The questions that a person answers before a draft is launched. */
export type LaunchQuestion = 'new_ledger' | 'loss' | 'cancel_missing' | 'cost';

/** What a draft fixes for its launch. It is data, so that it can be kept. Money in millionths, times in milliseconds. */
export interface LaunchFacts {
  /** The number of audit rows before the look at earlier launches. */
  since: number;
  account: string;
  budgetMicro: MoneyMicro | null;
  estimatedMicro: MoneyMicro | null;
  /** The estimate's price of a segment; null: none is known. */
  priceMicro: MoneyMicro | null;
  startAt: number | null;
  startDeadlineMs: number;
  counts: UploadCounts;
  /** Each person has a moment of its own. */
  isReminder: boolean;
  /** The campaign that corrected contacts are laid over; null: this becomes a campaign of its own. */
  corrects: { campaign: number; contacts: string } | null;
  flags: OpenFlags;
}

/** A durable draft, and what its launch needs. */
export interface LaunchDraft {
  draft: Campaign;
  /** The questions that a person must accept before the launch. */
  questions: LaunchQuestion[];
  /** What the question `loss` is about; null: nothing was lost. */
  loss: AcceptedLoss | null;
  facts: LaunchFacts;
}

/** The result of the first step. */
export type LaunchPreview =
  /** These files are an open campaign already; `without` names the flags without effect; `edited` says
   * what an edit of files changes that it reads itself, else null. */
  | { preview: 'continued'; campaign: Campaign; without: IgnoredFlag[]; edited: JobEdit | null }
  /** These files ran to their end before; `again` starts them anew. */
  | { preview: 'settled'; campaign: Campaign }
  | { preview: 'draft'; draft: LaunchDraft; plan: PlanFacts };

/**
 * The first step of a launch: the account, earlier launches, the plan, the limits. It asks no question and
 * sends no message. The draft stays in the ledger until `confirmLaunch` or `discardLaunch`. An error leaves
 * no draft.
 */
export async function previewLaunch(env: LaunchEnv, request: LaunchRequest): Promise<LaunchPreview> {
  const { loaded, contacts, hashes } = request.files;
  const { zone } = env.settings;
  const { audited: since } = await env.ledger.facts();
  const { earlier, before } = await lookBack(env, env.ledger, {
    name: loaded.job.name,
    hashes,
    files: { loaded, contacts: contacts.path },
  });
  const known = await knownCampaign(env, earlier, request);
  if (known !== null) return known;
  await refuseUnapproved(env, request);
  if (earlier.launch === 'canceled' && !request.again) throw canceledBefore(earlier.campaign, before);
  const rejectsPlace = request.rejectsPlace();
  refuseMissed(loaded, { zone, now: env.clock.now(), startAt: request.startAt, byFlag: request.at });
  const questions = await questionsOf(env, request);
  const { account, creditMicro } = await accountOf(env, request);
  if (loaded.job.remind !== null) await afterCanceled(env, loaded.job.name, request.signal);
  const planned = await planJob(env, {
    loaded,
    contacts,
    hashes,
    ...env.settings,
    sender: senderOf(loaded, env.settings.sender),
    gsmSafe: request.gsm,
    rejectsPlace,
    optOuts: env.ledger,
    guards: { ledger: env.ledger, at: request.startAt ?? env.clock.now() },
    networks: env.settings.prices === null ? env.ledger : null,
    earlier: request.again ? null : env.ledger,
    upload:
      earlier.launch === 'upload'
        ? { campaign: earlier.campaign, ledger: env.ledger, reader: env.reader }
        : null,
    signal: request.signal,
  });
  try {
    await clearDrafts(env, planned.draft);
    requireUsableRow(planned, contacts.path);
    const offer = { request, planned, account, creditMicro, before, since, questions };
    return { preview: 'draft', ...(await draftOf(env, offer)) };
  } catch (error) {
    await discardAfter(error, { ledger: env.ledger, draft: planned.draft });
    throw error;
  }
}

/** Says at once what the commit would say after the plan: nobody knows who sits at the machine, so nobody can approve it. */
async function refuseUnapproved({ ledger }: LaunchEnv, { files, isPrepared }: LaunchRequest): Promise<void> {
  const isTest = files.loaded.job.isTest === true;
  if (isPrepared === true || isTest || !(await ledger.approvalNeeded())) return;
  throw new TumaError('approval_needed', {
    message:
      'A second person must approve each campaign here, so none is launched at the command line. Nothing was launched.',
    advice: { action: 'use_pages' },
  });
}

/** The account as the caller has just seen it, else as it is. */
async function accountOf(env: LaunchEnv, { account }: LaunchRequest): Promise<AccountCredit> {
  return account ?? openAccount(env);
}

/** The campaign of these files that a launch continues or shows; null: the launch makes or corrects one. */
async function knownCampaign(
  env: LaunchEnv,
  earlier: Earlier,
  request: LaunchRequest,
): Promise<LaunchPreview | null> {
  if (earlier.launch === 'continue' || earlier.launch === 'upload' || earlier.launch === 'edited') {
    refuseLooser(earlier.campaign, request);
    // A killed upload is completed before its campaign is shown or compared.
    await finishUploads(env);
  }
  if (earlier.launch === 'continue' || earlier.launch === 'edited') {
    const { campaign } = earlier;
    const edited = earlier.launch === 'edited' ? earlier.edit : null;
    return { preview: 'continued', campaign, without: withoutEffect(campaign, request), edited };
  }
  if (earlier.launch !== 'settled' || request.again) return null;
  return { preview: 'settled', campaign: earlier.campaign };
}

/** An empty ledger may mean a wrong folder, and people would get a message twice. */
async function questionsOf(env: LaunchEnv, { newLedger }: LaunchRequest): Promise<LaunchQuestion[]> {
  await refuseBehind(env);
  const { unused } = await env.ledger.facts();
  if (!unused || newLedger === 'accept') return ['cost'];
  if (newLedger === 'refuse') throw newLedgerError(env);
  return ['new_ledger', 'cost'];
}

/** The error of a ledger without an earlier launch. */
export function newLedgerError({ settings }: Pick<LaunchEnv, 'settings'>): TumaError {
  return new TumaError('new_ledger', {
    message: 'Nothing sent before is known here: this ledger is new.',
    advice: { action: 'accept_new_ledger' },
    where: settings.ledgerPlace,
  });
}

interface Offer {
  request: LaunchRequest;
  planned: PlannedJob;
  account: string;
  creditMicro: MoneyMicro;
  /** Launches of the same files. */
  before: CampaignOverview[];
  since: number;
  questions: LaunchQuestion[];
}

/** The plan and its cost, checked against the limits. */
async function draftOf(env: LaunchEnv, offer: Offer): Promise<{ draft: LaunchDraft; plan: PlanFacts }> {
  const { request, planned, account, creditMicro, since, questions } = offer;
  const { maxCostMicro, partial, startAt, files } = request;
  const { job } = files.loaded;
  const learned = await env.ledger.knownPrices(account);
  const warnings = await warningsOf(env, offer);
  const reader = await env.reader();
  const { planned: ahead } = await readCreditAhead(reader, account);
  const plan = planFacts(env, files.loaded, { planned, learned, creditMicro, ahead, startAt, warnings });
  const money = (amount: MoneyMicro) => `${planned.draft.settings.currency} ${grouped(formatMoney(amount))}`;
  const limits = { maxCostMicro, budgetMicro: job.budgetMicro, partial };
  const budgetMicro = checkLimits({ cost: plan.cost, creditMicro, money }, limits);
  const upload = planned.reminders?.upload ?? null;
  const asksMissing = upload !== null && asksAboutMissing(upload.changes, planned, request.cancelMissing);
  const loss = await reader.acceptedLoss(planned.draft.n);
  const { upperMicro: estimatedMicro } = plan.cost;
  const { segments } = planned.tally;
  const { startDeadlineMs } = job;
  const facts: LaunchFacts = {
    since,
    account,
    budgetMicro,
    estimatedMicro,
    priceMicro: estimatedMicro === null ? null : Math.ceil(estimatedMicro / segments.planned),
    startAt,
    startDeadlineMs,
    counts: countsOf(planned.tally),
    isReminder: planned.reminders !== null,
    corrects:
      upload === null ? null : { campaign: upload.campaign.n, contacts: upload.campaign.hashes.contacts },
    flags: flagsOf(request),
  };
  const open: LaunchQuestion[] = [
    ...(loss === null ? [] : (['loss'] as const)),
    ...(asksMissing ? (['cancel_missing'] as const) : []),
    ...questions,
  ];
  return { draft: { draft: planned.draft, questions: open, loss, facts }, plan };
}

function flagsOf({ maxCostMicro, gsm, partial, again, at }: OpenFlags): OpenFlags {
  return { maxCostMicro, gsm, partial, again, at };
}

async function warningsOf(env: LaunchEnv, offer: Offer): Promise<PlanWarning[]> {
  const { request, planned, before } = offer;
  const { hashes } = request.files;
  return [
    ...profileWarnings(env.settings.notAccepted),
    ...request.warnings,
    ...sentBeforeWarnings(before),
    ...(await sameContactsWarnings(env, env.ledger, { draft: planned.draft, hashes })),
  ];
}

/** A launch without an answer for this long is abandoned. */
const ABANDONED_MS = 24 * 60 * 60 * 1_000;
/** The number of earlier campaigns that are checked. */
const MOST_LOOKED_AT = 100;

/**
 * Discards drafts of killed launches, because each takes the room of all its contacts. `newest` is the draft
 * of the present launch. Returns the number of discarded drafts.
 */
export async function clearDrafts(env: Pick<Env, 'ledger' | 'clock'>, newest: Campaign): Promise<number> {
  const before = env.clock.now() - ABANDONED_MS;
  const count = Math.min(newest.n - 1, MOST_LOOKED_AT);
  const numbers = Array.from({ length: count }, (_, index) => newest.n - 1 - index);
  const found = await Promise.all(numbers.map((n) => env.ledger.campaign(n)));
  const abandoned = found.filter((draft) => draft?.state === 'draft' && draft.createdAt < before);
  for (const draft of abandoned) if (draft !== null) await env.ledger.discardDraft(draft.n);
  return abandoned.length;
}
