import { styleText } from 'node:util';
import {
  type AccountCredit,
  type Earlier,
  changed,
  checkLimits,
  countsOf,
  differences,
  openAccount,
} from '../../campaign/launch/launch.ts';
import { type LoadedJob, loadJob } from '../../campaign/jobs/load-job.ts';
import { interrupted } from '../../campaign/planning/plan.ts';
import {
  type PlannedJob,
  type PlanRequest,
  contactsPathOf,
  discardAfter,
  hashesOf,
  planJob,
  requireUsableRow,
  senderOf,
} from '../../campaign/planning/plan-job.ts';
import { clearDrafts } from '../../campaign/launch/clear-drafts.ts';
import { refuseBehind } from '../../campaign/maintenance/stale-ledger-guard.ts';
import { applyUpload, checkMissing, finishUploads } from '../../campaign/planning/upload.ts';
import type { Env } from '../../campaign/env.ts';
import type { Campaign, CampaignHashes } from '../../domain/campaign.ts';
import { formatMoney, type MoneyMicro } from '../../domain/money.ts';
import type { CampaignOverview } from '../../ledger/reader.ts';
import { grouped } from '../../reports/report-words.ts';
import { confirmCampaign, confirmYes } from '../terminal/confirm.ts';
import type { Context } from '../context.ts';
import { TumaError } from '../../domain/errors.ts';
import { type OpenFlags, refuseLooser, withoutEffect } from './launch-open.ts';
import { latestAfterInFlight } from './wait-for-in-flight.ts';
import type { Output } from '../terminal/output.ts';
import { type ExampleTexts, type PlanDocument, planDocument } from '../text/plan-document.ts';
import { planFacts, profileWarnings } from '../text/plan-facts.ts';
import { refuseMissed } from '../text/plan-start.ts';
import { launchSummary, planText } from '../text/plan-text.ts';
import { rateWarnings } from '../text/rate-warning.ts';
import { alikeWarnings } from './launched-alike.ts';
import { canceledBefore, lookBack, sentBeforeWarnings } from './previous-launches.ts';

/** The flags of `launch`, read. */
export interface LaunchFlags extends OpenFlags {
  job: string;
  contacts: string | null;
  /** Where the rejects go of a launch that reads these files. */
  rejects: (reads: readonly string[]) => PlanRequest['rejectsPlace'];
  yes: boolean;
  newLedger: boolean;
  cancelMissing: boolean;
  /** `--at`, or the job's `start`; null: at once. */
  startAt: (loaded: LoadedJob) => number | null;
  /** Makes ready whatever the launch needs once it is activated; when it throws, nothing is activated. */
  prepare: () => Promise<void>;
}

/** What a launch came to. */
export type Launched =
  | { launched: 'activated'; campaign: Campaign }
  /** It was found open, or the contacts corrected an open one; `without`: what flags did not do, in sentences. */
  | { launched: 'continued' | 'corrected'; campaign: Campaign; without: string[] }
  /** The same files ran to their end before; `--again` starts them anew. */
  | { launched: 'settled'; campaign: Campaign };

type LaunchEnv = Pick<Env, 'ledger' | 'provider' | 'clock' | 'random'>;

/**
 * Everything of a launch up to the activation: who pays, whether this campaign is known, the plan, the limits, the
 * question, the one commit. Whatever stops it before that commit leaves no campaign behind.
 */
export async function launchDraft(context: Context, flags: LaunchFlags): Promise<Launched> {
  const loaded = await loadJob(flags.job);
  // Refuses a start that does not fit the job before anything is asked or read.
  flags.startAt(loaded);
  const contactsPath = contactsPathOf(loaded, flags.contacts);
  const hashes = await hashesOf(loaded, contactsPath);
  const env: LaunchEnv = {
    clock: context.clock,
    random: Math.random,
    provider: await context.provider(),
    ledger: await context.ledger(),
  };
  const { audited: since } = await env.ledger.facts();
  const identity = { name: loaded.job.name, hashes };
  const { earlier, before } = await lookBack(context, env.ledger, identity);
  if (earlier.launch === 'continue' || earlier.launch === 'upload') {
    refuseLooser(earlier.campaign, flags);
    // One that was killed in the middle is whole before its campaign is shown, or compared with other contacts.
    await finishUploads(env);
  }
  if (earlier.launch === 'continue') return goOn(earlier.campaign, loaded, flags);
  if (earlier.launch === 'settled' && !flags.again)
    return { launched: 'settled', campaign: earlier.campaign };
  refuseCanceled(earlier, before, flags);
  const when = { zone: context.config.zone, now: env.clock.now() };
  // Only here: a launch that goes on with its campaign has its rejects already.
  const rejectsPlace = flags.rejects([loaded.file, loaded.template.file, contactsPath]);
  refuseMissed(loaded, { ...when, startAt: flags.startAt(loaded), byFlag: flags.at });
  await acceptNewLedger(context, env, flags);
  const account = await openAccount(env);
  // Whom it has on its way counts as reminded.
  if (loaded.job.remind !== null) await latestAfterInFlight(context, env.ledger, loaded.job.name);
  const planned = await planJob(env, {
    loaded,
    contactsPath,
    hashes,
    ...requestOf(context, loaded, flags),
    rejectsPlace,
    optOuts: env.ledger,
    earlier: flags.again ? null : env.ledger,
    upload: earlier.launch === 'upload' ? { campaign: earlier.campaign, ledger: env.ledger } : null,
    signal: context.signal,
  });
  await clearDrafts(env, planned.draft);
  try {
    requireUsableRow(planned, contactsPath);
    return await offer(context, env, { loaded, planned, account, hashes, before, since, flags });
  } catch (error) {
    await discardAfter(error, { ledger: env.ledger, draft: planned.draft });
    throw error;
  }
}

function refuseCanceled(earlier: Earlier, before: CampaignOverview[], { again }: LaunchFlags): void {
  if (earlier.launch === 'canceled' && !again) throw canceledBefore(earlier.campaign, before);
}

function requestOf({ config }: Context, loaded: LoadedJob, flags: LaunchFlags) {
  const { country, zone, currency, optOutText } = config;
  const sender = senderOf(loaded, config.sender);
  return { country, zone, currency, optOutText, sender, gsmSafe: flags.gsm };
}

interface Offer {
  loaded: LoadedJob;
  planned: PlannedJob;
  account: AccountCredit;
  hashes: CampaignHashes;
  /** Launches of the same files. */
  before: CampaignOverview[];
  /** What the ledger had audited before an earlier launch was looked for. */
  since: number;
  flags: LaunchFlags;
}

/** Shows what it will cost, holds it against the limits, asks, and activates. */
async function offer(context: Context, env: LaunchEnv, given: Offer): Promise<Launched> {
  const { loaded, planned, account, flags } = given;
  const { creditMicro } = account;
  const learned = await env.ledger.knownPrices(account.account);
  const startAt = flags.startAt(loaded);
  const warnings = await warningsOf(context, env, given);
  const facts = planFacts(context, loaded, { planned, learned, creditMicro, startAt, warnings });
  const document = planDocument(facts, textsFor(context.output));
  const { currency } = planned.draft.settings;
  const budgetMicro = checkLimits(
    {
      cost: facts.cost,
      creditMicro,
      money: (amount) => `${currency} ${grouped(formatMoney(amount))}`,
    },
    { maxCostMicro: flags.maxCostMicro, budgetMicro: loaded.job.budgetMicro, partial: flags.partial },
  );
  const upload = planned.reminders?.upload ?? null;
  if (upload !== null) checkMissing(upload.changes, { ...planned, allowed: flags.cancelMissing });
  await confirm(context, document, flags.yes);
  await prepare(context, flags);
  const estimatedMicro = facts.cost.upperMicro;
  if (upload !== null) {
    const correction = { ...upload, planned, account: account.account, estimatedMicro };
    return corrected(await applyUpload(env, correction), loaded, flags);
  }
  if (planned.reminders !== null) await env.ledger.arrangeReminders(planned.draft.n, env.clock.now());
  return activate(env, { ...given, budgetMicro, estimatedMicro, startAt });
}

async function warningsOf(context: Context, env: LaunchEnv, given: Offer): Promise<string[]> {
  const { loaded, planned, hashes, before } = given;
  return [
    ...profileWarnings(await context.notAccepted()),
    ...(await rateWarnings(context, loaded.job.name)),
    ...sentBeforeWarnings(before),
    ...(await alikeWarnings(context, env.ledger, { draft: planned.draft, hashes })),
  ];
}

/** What a correction came to. `--again` and `--partial` were heeded: by the plan and by the limits. */
function corrected(campaign: Campaign, { job }: LoadedJob, flags: LaunchFlags): Launched {
  const unheeded = { ...flags, again: false, partial: false };
  return { launched: 'corrected', campaign, without: withoutEffect(campaign, unheeded, job.budgetMicro) };
}

/** A script's stderr is a log, and no message text belongs there. */
function textsFor({ interactive, showNumbers }: Output): ExampleTexts {
  if (!interactive) return 'none';
  return showNumbers ? 'whole' : 'masked';
}

async function confirm(context: Context, document: PlanDocument, yes: boolean): Promise<void> {
  const { output, signal, config } = context;
  const paint = (style: 'bold' | 'yellow', text: string) =>
    output.liveProgress ? styleText(style, text, { stream: process.stderr }) : text;
  output.note(planText(document, { zone: config.zone, now: context.clock.now(), paint }));
  const summary = `\n${launchSummary(document)}`;
  await confirmCampaign({ output, signal, name: document.campaign.name, summary, yes });
}

/** The last step before the commit: a signal, a port in use or a Redis that is away stop the launch here. */
async function prepare({ signal }: Context, flags: LaunchFlags): Promise<void> {
  if (!signal.aborted) await flags.prepare().catch(nothingLaunched);
  if (signal.aborted) throw interrupted();
}

function nothingLaunched(error: unknown): never {
  if (!(error instanceof TumaError)) throw error;
  const { code, message, hint, where } = error;
  throw new TumaError(code, {
    message: `${message}${message.endsWith('.') ? '' : '.'} Nothing was launched.`,
    ...(hint === null ? {} : { hint }),
    ...(where === null ? {} : { where }),
    cause: error,
  });
}

async function activate(
  env: LaunchEnv,
  given: Offer & {
    budgetMicro: MoneyMicro | null;
    estimatedMicro: MoneyMicro | null;
    startAt: number | null;
  },
): Promise<Launched> {
  const { loaded, planned, account, hashes, since, budgetMicro, estimatedMicro, startAt } = given;
  const result = await env.ledger.activate({
    campaign: planned.draft.n,
    since,
    account: account.account,
    budgetMicro,
    estimatedMicro,
    priceMicro: estimatedMicro === null ? null : Math.ceil(estimatedMicro / planned.tally.segments.planned),
    startAt,
    startDeadlineMs: loaded.job.startDeadlineMs,
    counts: countsOf(planned.tally),
    now: env.clock.now(),
    by: 'operator',
  });
  if (result.activated) return { launched: 'activated', campaign: await activated(env, planned.draft) };
  // Two launches at once: the other one came first. The same files are watched, others are refused.
  const different = differences(result.open.hashes, hashes);
  if (different.length > 0) throw changed(result.open, different);
  refuseLooser(result.open, given.flags);
  await env.ledger.discardDraft(planned.draft.n);
  return goOn(result.open, loaded, given.flags);
}

/** Goes on with a campaign that is open. */
function goOn(campaign: Campaign, { job }: LoadedJob, flags: OpenFlags): Launched {
  return { launched: 'continued', campaign, without: withoutEffect(campaign, flags, job.budgetMicro) };
}

async function activated(env: LaunchEnv, draft: Campaign): Promise<Campaign> {
  return (await env.ledger.campaign(draft.n)) ?? draft;
}

/** A ledger that knows nothing may mean that a wrong folder was taken, and that people get a message twice. */
async function acceptNewLedger(context: Context, env: LaunchEnv, flags: LaunchFlags): Promise<void> {
  const { config, output, signal } = context;
  await refuseBehind(env);
  const { unused } = await env.ledger.facts();
  if (!unused || flags.newLedger) return;
  const refusal = new TumaError('new_ledger', {
    message: 'Nothing sent before is known here: this ledger is new.',
    hint: 'If that is right, add --new-ledger; else run in the folder of the earlier campaigns, or set TUMA_HOME to theirs.',
    where: config.ledgerFile,
  });
  if (!output.interactive) throw refusal;
  const question = `Nothing sent before is known in ${config.ledgerFile}. Begin a new ledger there?`;
  if (!(await confirmYes({ output, signal, yes: false, question, hint: '--new-ledger' }))) throw refusal;
}
