import { resolve } from 'node:path';
import { SHOWN_INPUT } from '../../contacts/contacts-source.ts';
import type { Campaign, CampaignHashes, CampaignSettings } from '../../domain/campaign.ts';
import type { Advice } from '../../domain/advice.ts';
import { TumaError } from '../../domain/errors.ts';
import type { Job } from '../../domain/job.ts';
import type { MoneyMicro } from '../../domain/money.ts';
import type { PlanTally } from '../../domain/plan-tally.ts';
import type { UploadCounts } from '../../ledger/contracts/records.ts';
import { balanceError } from '../sending/check-balance.ts';
import type { Env } from '../env.ts';
import type { CostEstimate } from '../planning/estimate.ts';
import type { LoadedJob } from '../jobs/load-job.ts';
import type { JobEdit, LaunchPart } from '../planning/plan-warning.ts';
import { type EditedFiles, editOf, readsAnew } from './edited-job.ts';

/** The account as the provider knows it at launch (API document 2.4). */
export interface AccountCredit {
  account: string;
  creditMicro: MoneyMicro;
}

type LaunchEnv = Pick<Env, 'ledger' | 'provider' | 'clock' | 'random'>;

/**
 * Asks the provider for the account and its credit, and records both as a reading. Throws `credentials`,
 * `provider_unreachable` or `provider_answer`.
 */
export async function openAccount(env: LaunchEnv): Promise<AccountCredit> {
  const startedAt = env.clock.now();
  const known = await env.ledger.beginReadings(startedAt);
  const answer = await env.provider.balance();
  if (answer.outcome !== 'balance') throw balanceError(answer);
  const { clientId: account, creditMicro } = answer;
  const begun =
    known.find((totals) => totals.account === account) ?? (await env.ledger.beginReading(account, startedAt));
  await env.ledger.recordReading({ account, begun, at: env.clock.now(), creditMicro });
  return { account, creditMicro };
}

/** The answer of `findEarlier`. */
export type Earlier =
  | { launch: 'new' }
  | { launch: 'continue' | 'settled' | 'canceled' | 'upload'; campaign: Campaign }
  /** A recurring job that reads these files itself; `edit`: what their edit changes. */
  | { launch: 'edited'; campaign: Campaign; edit: JobEdit };

/** The files of a launch by which earlier launches are found. */
export interface LaunchIdentity {
  name: string;
  hashes: CampaignHashes;
  /** Left out: an edit of files that are read anew is refused like every other. */
  files?: EditedFiles | undefined;
}

/**
 * Compares a launch with the latest campaign of its name. The same files continue an open campaign
 * (`continue`), show a settled one (`settled`), or were canceled (`canceled`). Other contacts of an open
 * reminder job correct it (`upload`), and a recurring job may read them itself (`edited`). Any other difference
 * beside an open campaign is refused.
 */
export async function findEarlier(
  env: { ledger: Pick<LaunchEnv['ledger'], 'latestNamed'> },
  { name, hashes, files }: LaunchIdentity,
): Promise<Earlier> {
  const latest = await env.ledger.latestNamed(name);
  if (latest === null) return { launch: 'new' };
  const { campaign, settled } = latest;
  const different = differences(campaign.hashes, hashes);
  // A canceled campaign counts as canceled even with messages in flight, because no more of it will be sent.
  if (campaign.state === 'canceled')
    return different.length === 0 ? { launch: 'canceled', campaign } : { launch: 'new' };
  if (different.length === 0) return { launch: settled ? 'settled' : 'continue', campaign };
  return settled ? { launch: 'new' } : besideOpen(campaign, different, { hashes, files });
}

/** The launch of other files beside an open campaign. */
function besideOpen(
  campaign: Campaign,
  different: LaunchPart[],
  { hashes, files }: Pick<LaunchIdentity, 'hashes' | 'files'>,
): Earlier {
  if (isUpload(campaign, hashes)) return { launch: 'upload', campaign };
  if (files !== undefined && readsAnew(campaign, files))
    return { launch: 'edited', campaign, edit: editOf(campaign, files, different) };
  throw changed(campaign, different);
}

/** True when a launch of these files is a corrected upload to that campaign: only the contacts differ. */
export function isUpload(campaign: Campaign, hashes: CampaignHashes): boolean {
  const { job, template } = campaign.hashes;
  if (campaign.state === 'canceled') return false;
  return campaign.settings.remind !== undefined && job === hashes.job && template === hashes.template;
}

/** The error of a launch with other files while a campaign of that name is open. */
export function changed(campaign: Campaign, different: readonly LaunchPart[]): TumaError {
  const words = { job: 'the job file', template: 'the template', contacts: 'the contacts' };
  return new TumaError('campaign_changed', {
    message: `Campaign ${campaign.id} (${campaign.name}) is still ${campaign.state}, and ${different.map((part) => words[part]).join(' and ')} changed since it was launched`,
    advice: wayOn(campaign),
  });
}

/** The advice for a launch beside an open campaign. A recurring job never finishes by itself. */
function wayOn({ id, state, settings: { every, remind } }: Campaign): Advice {
  if (every?.reread !== undefined && state === 'paused') return { action: 'resume_reading', campaign: id };
  const isUnsent = state === 'scheduled' || every !== undefined || remind !== undefined;
  return {
    action: 'end_first',
    campaign: id,
    isPaused: state === 'paused',
    ends: every === undefined,
    hasRest: !isUnsent,
  };
}

/** The differences between two identities. */
export function differences(before: CampaignHashes, now: CampaignHashes): LaunchPart[] {
  return (['job', 'template', 'contacts'] as const).filter((part) => before[part] !== now[part]);
}

/** The parts that a draft is made from. */
export interface DraftInput {
  loaded: LoadedJob;
  hashes: CampaignHashes;
  sender: string;
  header: string[];
  /** The headers of the key's columns. */
  key: string[];
  gsmSafe: boolean;
  zone: string;
  currency: string;
  optOutText: string;
  contacts: { path: string };
  countries: readonly string[];
}

/** Creates the draft that the plan is written into. */
export async function openDraft(env: Omit<LaunchEnv, 'provider'>, input: DraftInput): Promise<Campaign> {
  const { loaded, hashes, sender } = input;
  const { name, kind } = loaded.job;
  return env.ledger.createDraft({
    id: newCampaignId(env.random),
    name,
    kind,
    sender,
    template: loaded.template.source,
    settings: settingsOf(input),
    hashes,
    now: env.clock.now(),
  });
}

/** The job's settings as the campaign keeps them. */
export function settingsOf(input: DraftInput): CampaignSettings {
  const { header, key, gsmSafe, zone, currency, optOutText } = input;
  const { job } = input.loaded;
  return {
    zone,
    currency,
    window: job.window,
    ratePerSecond: job.ratePerSecond,
    retry: job.retry,
    batchSize: job.batchSize,
    header,
    columns: job.columns,
    ...(key.length === 0 ? {} : { key }),
    gsmSafe,
    ...(job.language === 'en' ? {} : { language: job.language }),
    optOutText: job.kind === 'promotional' ? optOutText : '',
    ...(job.isTest === true ? { isTest: true } : {}),
    ...(job.remind === null ? {} : { remind: job.remind }),
    ...(job.every === null ? {} : { every: everyOf(input, job.every) }),
    ...(job.canary === null ? {} : { canary: job.canary }),
    ...(job.guard.sameTextMs === null && job.guard.most === null ? {} : { guard: job.guard }),
  };
}

/** The recurrence, with the files that each firing reads. Throws `job_invalid` for contacts without a file. */
function everyOf(
  { loaded, contacts, countries }: DraftInput,
  { cron, contacts: from }: NonNullable<Job['every']>,
): NonNullable<CampaignSettings['every']> {
  if (from !== 'reread') return { cron };
  if (contacts.path === SHOWN_INPUT)
    throw new TumaError('job_invalid', {
      message: '`contacts: reread` needs a file, and standard input can be read once.',
      advice: { action: 'give_contacts', needs: 'file' },
      where: loaded.placeOf('every', 'contacts'),
    });
  const path = resolve(contacts.path);
  const given = path === loaded.contactsPath ? null : path;
  const reread = { job: resolve(loaded.file), contacts: given, countries: [...countries] };
  return { cron, reread };
}

/** Letters and digits that are not mistaken for each other. */
const ID_LETTERS = '23456789abcdefghjkmnpqrstvwxyz';
const ID_LENGTH = 8;

/** An id that people can type. */
export function newCampaignId(random: () => number): string {
  return Array.from({ length: ID_LENGTH }, () => ID_LETTERS[Math.floor(random() * ID_LETTERS.length)]).join(
    '',
  );
}

/** The counts that account for an upload: read = planned + unchanged + duplicate + invalid + suppressed. */
export function countsOf(tally: PlanTally): UploadCounts {
  const { read, planned, rejected } = tally;
  // The ledger counts the unchanged rows of an upload (`beginUpload`).
  return { read, planned, unchanged: 0, ...rejected };
}

/** The limits of a launch. Money in millionths; null: no limit. */
export interface Limits {
  /** `--max-cost`. */
  maxCostMicro: MoneyMicro | null;
  /** The job's `budget`. */
  budgetMicro: MoneyMicro | null;
  partial: boolean;
}

/**
 * Checks a plan against its limits before it is activated, and returns the campaign's budget. Throws
 * `cost_unknown`, `over_max_cost` or `insufficient_credit`.
 */
export function checkLimits(
  plan: {
    cost: CostEstimate;
    creditMicro: MoneyMicro;
    money: (amount: MoneyMicro) => string;
  },
  { maxCostMicro, budgetMicro, partial }: Limits,
): MoneyMicro | null {
  const { cost, creditMicro, money } = plan;
  const atLeastMicro = cost.upperMicro ?? cost.othersMicro?.upperMicro ?? 0;
  if (cost.upperMicro === null) withoutPrice(maxCostMicro, budgetMicro);
  if (maxCostMicro !== null && atLeastMicro > maxCostMicro)
    throw new TumaError('over_max_cost', {
      message: `The campaign may cost ${money(atLeastMicro)}, more than its limit of ${money(maxCostMicro)}.`,
      advice: { action: 'raise_max_cost' },
    });
  if (atLeastMicro > creditMicro && !partial)
    throw new TumaError('insufficient_credit', {
      message: `The balance is ${money(creditMicro)} and the campaign may cost ${money(atLeastMicro)}: ${money(atLeastMicro - creditMicro)} short. Nothing was activated.`,
      advice: { action: 'top_up_or_partial' },
    });
  return least(maxCostMicro, budgetMicro);
}

/** A limit needs a price for each message. */
function withoutPrice(maxCostMicro: MoneyMicro | null, budgetMicro: MoneyMicro | null): void {
  if (maxCostMicro === null && budgetMicro === null) return;
  throw new TumaError('cost_unknown', {
    message: `${maxCostMicro === null ? 'The budget' : 'The limit on the cost'} needs a price for each message, and one is not known yet.`,
    hint: 'Set TUMA_PRICE (cost a segment, for each country that you send to); or launch once without the limit, and the cost is learned.',
  });
}

/** The smaller limit; null: none. */
export function least(left: MoneyMicro | null, right: MoneyMicro | null): MoneyMicro | null {
  if (left === null || right === null) return left ?? right;
  return Math.min(left, right);
}
