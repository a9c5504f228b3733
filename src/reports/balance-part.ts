import { formatMoney, type MoneyMicro } from '../domain/money.ts';
import type { CampaignOverview, LedgerReader, Reading } from '../ledger/contracts/reader.ts';
import { movementOf, shownTopUp, type TopUp } from './statement-balance.ts';

/** The account's balance around a campaign. Null where other campaigns were sending; these are then named. */
export interface BalancePart {
  before: string | null;
  after: string | null;
  /** More was taken than is known (positive). Null beside a top-up that may hide what unknown costs took. */
  unexplained: string | null;
  /** Ids of the other campaigns that had messages in flight. */
  shared_with: string[];
  top_ups: { at: string; amount: string }[];
}

/** Whose balance is told, as of when (milliseconds). */
export interface BalanceRequest {
  reader: LedgerReader;
  overview: CampaignOverview;
  /** How many messages of the campaign have no known cost, the uncertain ones among them. */
  open: number;
  now: number;
}

/** The same in millionths, times in milliseconds. */
export interface CampaignBalance {
  beforeMicro: MoneyMicro | null;
  afterMicro: MoneyMicro | null;
  unexplainedMicro: MoneyMicro | null;
  sharedWith: string[];
  topUps: TopUp[];
}

const UNKNOWN: CampaignBalance = {
  beforeMicro: null,
  afterMicro: null,
  unexplainedMicro: null,
  sharedWith: [],
  topUps: [],
};

/** The balance around a campaign, as `--json` shows it. */
export async function balancePart(request: BalanceRequest): Promise<BalancePart> {
  const { beforeMicro, afterMicro, unexplainedMicro, sharedWith, topUps } = await campaignBalance(request);
  const shown = (amount: MoneyMicro | null) => (amount === null ? null : formatMoney(amount));
  return {
    before: shown(beforeMicro),
    after: shown(afterMicro),
    unexplained: shown(unexplainedMicro),
    shared_with: sharedWith,
    top_ups: topUps.map(shownTopUp),
  };
}

/** Compares the last quiet reading before the first claim with the first one after everything was settled. */
export async function campaignBalance({
  reader,
  overview,
  open,
  now,
}: BalanceRequest): Promise<CampaignBalance> {
  const { campaign, startedAt, finishedAt } = overview;
  if (campaign.account === null || startedAt === null) return UNKNOWN;
  const readings = await reader.readings(campaign.account, { from: 0, to: now });
  const { before, after } = ends(readings, { startedAt, finishedAt });
  const span = { from: before?.at ?? startedAt, to: after?.at ?? finishedAt ?? now };
  const sharedWith = await reader.sharedWith(campaign.n, span);
  if (sharedWith.length > 0) return { ...UNKNOWN, sharedWith };
  const between = readings.filter(({ at, quiet }) => quiet && at >= span.from && at <= span.to);
  return ownBalance({ before, after, between, open });
}

interface Compared {
  before: Reading | null;
  after: Reading | null;
  between: Reading[];
  open: number;
}

function ownBalance({ before, after, between, open }: Compared): CampaignBalance {
  const movement = movementOf(between);
  const topUps = movement?.topUps ?? [];
  const isCompared = before !== null && after !== null;
  // A top-up may hide what unknown costs took.
  const isHidden = open > 0 && topUps.length > 0;
  return {
    beforeMicro: creditOf(before),
    afterMicro: creditOf(after),
    unexplainedMicro: movement !== null && isCompared && !isHidden ? movement.unexplainedMicro : null,
    sharedWith: [],
    topUps,
  };
}

function creditOf(reading: Reading | null): MoneyMicro | null {
  return reading === null ? null : reading.creditMicro;
}

interface Times {
  startedAt: number;
  finishedAt: number | null;
}

function ends(readings: Reading[], { startedAt, finishedAt }: Times) {
  const before = readings.findLast(({ at, quiet }) => quiet && at <= startedAt) ?? null;
  if (finishedAt === null) return { before, after: null };
  return { before, after: readings.find(({ at, quiet }) => quiet && at > finishedAt) ?? null };
}
