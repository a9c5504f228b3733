import { campaignWithId } from '../campaign/operator/campaign-with-id.ts';
import { legalOrders, type LegalOrder } from '../campaign/operator/legal-orders.ts';
import { livingWorkers } from '../campaign/operator/living-workers.ts';
import type { LeftOut, OpenAnswer } from '../ledger/answers.ts';
import type { CampaignOverview, ProviderWords, Tallies, UncertainRow } from '../ledger/reader.ts';
import type { AuditTrail } from '../ledger/records.ts';
import type { Agenda } from '../ledger/schedules.ts';
import type { Look } from '../reports/campaign-pace.ts';
import { pauseOf } from '../reports/campaign-status.ts';
import { type CreditEvidence, readCreditEvidence } from '../reports/credit-evidence.ts';
import { type CreditAhead, readCreditAhead } from '../campaign/planning/credit-ahead.ts';
import { type FailureGroup, failureGroups } from '../reports/failures.ts';
import type { NetworkNames } from '../reports/network-words.ts';
import type { Paused } from '../reports/pause-help.ts';
import type { WebEnv } from './web-env.ts';
import { type TimeSeries, timeSeriesOf } from '../reports/time-series.ts';

/** The numbers of a campaign that change while it is sent. */
export interface CampaignNumbers {
  overview: CampaignOverview;
  tallies: Tallies;
}

/** What a person looks at beside the numbers; it changes seldom. */
export interface CampaignBackground {
  look: Pick<Look, 'workers' | 'outage'>;
  series: TimeSeries;
  agenda: Agenda;
  leftOut: LeftOut;
  uncertain: { rows: UncertainRow[]; total: number; again: number; allFrom: number | null };
  evidence: CreditEvidence | null;
  said: ProviderWords[];
  decisions: OpenAnswer[];
  trail: AuditTrail;
  paused: Paused | null;
  ahead: CreditAhead;
  networks: NetworkNames;
}

/** Everything that the page of a campaign shows, as of `now` (milliseconds). */
export interface CampaignNow extends CampaignNumbers, Omit<CampaignBackground, 'look'> {
  now: number;
  /** Reports are awaited for so long, in milliseconds. */
  reportWaitMs: number;
  /** An uncertain message rests for so long before it may be sent again, in milliseconds. */
  resolveAfterMs: number;
  look: Look;
  failures: FailureGroup[];
  orders: LegalOrder[];
}

/** Uncertain messages that the waiting times are told from. */
const MOST_UNCERTAIN = 1_000;
const MOST_PAST = 30;

/** Reads the numbers of a campaign. */
export async function readNumbers(env: WebEnv, campaign: number): Promise<CampaignNumbers> {
  const reader = await env.reader();
  const unreportedBefore = env.clock.now() - env.config.reportWaitMs;
  const { overview, tallies } = await reader.campaignCounters(campaign, unreportedBefore);
  return { overview, tallies };
}

/** Reads the rest of the page. `reason`: what a retry leaves out is asked of this reason only; null: of all. */
export async function readBackground(
  env: WebEnv,
  { overview, tallies }: CampaignNumbers,
  reason: string | null = null,
): Promise<CampaignBackground> {
  const reader = await env.reader();
  const { campaign } = overview;
  const now = env.clock.now();
  const isRefused = tallies.messages.rejected + tallies.messages.uncertain > 0;
  return {
    look: await livingWorkers(env),
    series: await timeSeriesOf(reader, campaign.n, tallies),
    agenda: await reader.agenda(campaign.n),
    leftOut: await leftOutOf(env, overview, reason),
    uncertain: await uncertainOf(env, overview),
    evidence: await evidenceOf(env, { overview, tallies }),
    said: isRefused ? await reader.providerWords(campaign.n) : [],
    decisions: await reader.openAnswers(campaign.n),
    trail: await reader.auditTrail({ campaign: campaign.n, limit: MOST_PAST }),
    paused: await pauseOf({ reader, now }, overview),
    ahead: await readCreditAhead(reader, campaign.account),
    networks: await env.networkNames(),
  };
}

/** Puts both together: the orders follow from them. */
export function campaignNow(
  env: Pick<WebEnv, 'clock' | 'config'>,
  numbers: CampaignNumbers,
  background: CampaignBackground,
): CampaignNow {
  const { overview, tallies } = numbers;
  const now = env.clock.now();
  return {
    ...background,
    ...numbers,
    now,
    reportWaitMs: env.config.reportWaitMs,
    resolveAfterMs: env.config.resolveAfterMs,
    look: { now, accountRate: env.config.ratePerSecond, ...background.look },
    failures: failureGroups(tallies, background.said),
    orders: legalOrders({
      overview,
      reasons: tallies.reasons,
      leftOut: background.leftOut,
      uncertain: background.uncertain,
      nextAt: background.agenda.schedule?.nextAt ?? null,
    }),
  };
}

/** The campaign as it is now, for a page or an order; `reason` as above. Throws `not_found`. */
export async function lookAt(env: WebEnv, id: string, reason: string | null = null): Promise<CampaignNow> {
  const { n } = await campaignWithId(await env.reader(), id);
  const numbers = await readNumbers(env, n);
  return campaignNow(env, numbers, await readBackground(env, numbers, reason));
}

async function leftOutOf(env: WebEnv, { campaign, messages }: CampaignOverview, reason: string | null) {
  if (messages.rejected === 0) return { named: 0, tooYoung: 0 };
  const answeredBefore = env.clock.now() - env.config.resolveAfterMs;
  return (await env.reader()).leftOut({ campaign: campaign.n, reason, answeredBefore });
}

async function uncertainOf(
  env: WebEnv,
  { campaign, messages }: CampaignOverview,
): Promise<CampaignBackground['uncertain']> {
  if (messages.uncertain === 0) return { rows: [], total: 0, again: 0, allFrom: null };
  const reader = await env.reader();
  const query = { campaign: campaign.n, limit: MOST_UNCERTAIN, line: null, mobile: null };
  const { rows, total } = await reader.uncertain(query);
  const { resolveAfterMs } = env.config;
  const since = env.clock.now() - resolveAfterMs;
  const young = await reader.youngUncertain({ campaign: campaign.n, since });
  return {
    rows,
    total,
    again: messages.uncertain - messages.written_off - young.count,
    allFrom: young.latestAt === null ? null : young.latestAt + resolveAfterMs,
  };
}

/** What the balance tells of uncertain messages; null: none is open. */
async function evidenceOf(env: WebEnv, numbers: CampaignNumbers): Promise<CreditEvidence | null> {
  const { messages } = numbers.tallies;
  if (messages.uncertain === messages.written_off) return null;
  return readCreditEvidence(await env.reader(), numbers, env.clock.now());
}
