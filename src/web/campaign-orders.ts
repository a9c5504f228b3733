import { campaignWithId } from '../campaign/operator/campaign-with-id.ts';
import { legalOrders, type LegalOrder } from '../campaign/operator/legal-orders.ts';
import type { LeftOut } from '../ledger/contracts/answers.ts';
import type { CampaignOverview, Tallies, UncertainRow } from '../ledger/contracts/reader.ts';
import type { Agenda } from '../ledger/contracts/schedules.ts';
import type { Look } from '../reports/campaign-pace.ts';
import type { WebEnv } from './web-env.ts';

/** The numbers of a campaign that change while it is sent. */
export interface CampaignNumbers {
  overview: CampaignOverview;
  tallies: Tallies;
}

/** What the orders about a campaign follow from, beside its numbers. */
export interface OrderFacts {
  agenda: Agenda;
  /** What a retry leaves out. */
  leftOut: LeftOut;
  /** `again`: those that may be sent again now; `allFrom`: when all may, in milliseconds, null: now. */
  uncertain: { rows: UncertainRow[]; total: number; again: number; allFrom: number | null };
}

/** The orders that a campaign allows, and what each would do, as of `now` (milliseconds). */
export interface CampaignOrders extends CampaignNumbers, OrderFacts {
  now: number;
  /** An uncertain message rests for so long before it may be sent again, in milliseconds. */
  resolveAfterMs: number;
  look: Pick<Look, 'accountRate'>;
  orders: LegalOrder[];
}

/** Uncertain messages that are listed at most. */
const MOST_UNCERTAIN = 1_000;

/** Reads the numbers of a campaign. */
export async function readNumbers(env: WebEnv, campaign: number): Promise<CampaignNumbers> {
  const reader = await env.reader();
  const unreportedBefore = env.clock.now() - env.config.reportWaitMs;
  const { overview, tallies } = await reader.campaignCounters(campaign, unreportedBefore);
  return { overview, tallies };
}

/**
 * Reads what the orders follow from. `reason`: what a retry leaves out is asked of this reason only; null: of all.
 * `openShown`: so many open uncertain messages are among the rows at least; left out: as many as are listed anywhere.
 */
export async function readOrderFacts(
  env: WebEnv,
  { overview }: CampaignNumbers,
  { reason = null, openShown = MOST_UNCERTAIN }: { reason?: string | null; openShown?: number } = {},
): Promise<OrderFacts> {
  return {
    agenda: await (await env.reader()).agenda(overview.campaign.n),
    leftOut: await leftOutOf(env, overview, reason),
    uncertain: await uncertainOf(env, overview, openShown),
  };
}

/** Puts both together. */
export function ordersOf(
  { clock, config }: Pick<WebEnv, 'clock' | 'config'>,
  { overview, tallies }: CampaignNumbers,
  facts: OrderFacts,
): CampaignOrders {
  const { agenda, leftOut, uncertain } = facts;
  return {
    overview,
    tallies,
    agenda,
    leftOut,
    uncertain,
    now: clock.now(),
    resolveAfterMs: config.resolveAfterMs,
    look: { accountRate: config.ratePerSecond },
    orders: legalOrders({
      overview,
      reasons: tallies.reasons,
      leftOut,
      uncertain,
      nextAt: agenda.schedule?.nextAt ?? null,
    }),
  };
}

/** The orders about the campaign with this id as they are now; `reason` as above. Throws `not_found`. */
export async function lookAtOrders(
  env: WebEnv,
  id: string,
  reason: string | null = null,
): Promise<CampaignOrders> {
  const { n } = await campaignWithId(await env.reader(), id);
  const numbers = await readNumbers(env, n);
  return ordersOf(env, numbers, await readOrderFacts(env, numbers, { reason }));
}

async function leftOutOf(env: WebEnv, { campaign, messages }: CampaignOverview, reason: string | null) {
  if (messages.rejected === 0) return { named: 0, tooYoung: 0 };
  const answeredBefore = env.clock.now() - env.config.resolveAfterMs;
  return (await env.reader()).leftOut({ campaign: campaign.n, reason, answeredBefore });
}

async function uncertainOf(
  env: WebEnv,
  { campaign, messages }: CampaignOverview,
  openShown: number,
): Promise<OrderFacts['uncertain']> {
  if (messages.uncertain === 0) return { rows: [], total: 0, again: 0, allFrom: null };
  const reader = await env.reader();
  // Those that were written off are among the rows.
  const limit = Math.min(MOST_UNCERTAIN, openShown + messages.written_off);
  const { rows, total } = await reader.uncertain({ campaign: campaign.n, limit, line: null, mobile: null });
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
