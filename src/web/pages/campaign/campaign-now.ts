import { campaignWithId } from '../../../campaign/operator/campaign-with-id.ts';
import { livingWorkers } from '../../../campaign/operator/living-workers.ts';
import type { OpenAnswer } from '../../../ledger/contracts/answers.ts';
import type { ProviderWords } from '../../../ledger/contracts/reader.ts';
import type { AuditTrail } from '../../../ledger/contracts/records.ts';
import type { Look } from '../../../reports/campaign-pace.ts';
import { pauseOf } from '../../../reports/campaign-status.ts';
import { type CreditEvidence, readCreditEvidence } from '../../../reports/credit-evidence.ts';
import { type CreditAhead, readCreditAhead } from '../../../campaign/planning/credit-ahead.ts';
import { type FailureGroup, failureGroups } from '../../../reports/failures.ts';
import type { NetworkNames } from '../../../reports/network-words.ts';
import type { Paused } from '../../../reports/pause-help.ts';
import {
  type CampaignNumbers,
  type CampaignOrders,
  type OrderFacts,
  ordersOf,
  readNumbers,
  readOrderFacts,
} from '../../campaign-orders.ts';
import type { WebEnv } from '../../web-env.ts';
import { type TimeSeries, timeSeriesOf } from '../../../reports/time-series.ts';

/** What a person looks at beside the numbers; it changes seldom. */
export interface CampaignBackground extends OrderFacts {
  look: Pick<Look, 'workers' | 'outage'>;
  series: TimeSeries;
  evidence: CreditEvidence | null;
  providerWords: ProviderWords[];
  decisions: OpenAnswer[];
  trail: AuditTrail;
  paused: Paused | null;
  ahead: CreditAhead;
  networks: NetworkNames;
}

/** Everything that the page of a campaign shows, as of `now` (milliseconds). */
export interface CampaignNow extends CampaignOrders, Omit<CampaignBackground, 'look'> {
  /** Reports are awaited for so long, in milliseconds. */
  reportWaitMs: number;
  look: Look;
  failures: FailureGroup[];
}

const MOST_PAST = 30;
/** Open uncertain messages on the page; the others stand on their own. */
export const UNCERTAIN_SHOWN = 5;

/** Reads the rest of the page. */
export async function readBackground(env: WebEnv, numbers: CampaignNumbers): Promise<CampaignBackground> {
  const reader = await env.reader();
  const { overview, tallies } = numbers;
  const { campaign } = overview;
  const now = env.clock.now();
  const isRefused = tallies.messages.rejected + tallies.messages.uncertain > 0;
  return {
    look: await livingWorkers(env),
    series: await timeSeriesOf(reader, campaign.n, tallies),
    ...(await readOrderFacts(env, numbers, { openShown: UNCERTAIN_SHOWN })),
    evidence: await evidenceOf(env, numbers),
    providerWords: isRefused ? await reader.providerWords(campaign.n) : [],
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
  const orders = ordersOf(env, numbers, background);
  const { now, look } = orders;
  return {
    ...background,
    ...orders,
    reportWaitMs: env.config.reportWaitMs,
    look: { now, ...look, ...background.look },
    failures: failureGroups(numbers.tallies, background.providerWords),
  };
}

/** The campaign as it is now. Throws `not_found`. */
export async function lookAt(env: WebEnv, id: string): Promise<CampaignNow> {
  const { n } = await campaignWithId(await env.reader(), id);
  const numbers = await readNumbers(env, n);
  return campaignNow(env, numbers, await readBackground(env, numbers));
}

/** What the balance tells of uncertain messages; null: none is open. */
export async function evidenceOf(env: WebEnv, numbers: CampaignNumbers): Promise<CreditEvidence | null> {
  const { messages } = numbers.tallies;
  if (messages.uncertain === messages.written_off) return null;
  return readCreditEvidence(await env.reader(), numbers, env.clock.now());
}
