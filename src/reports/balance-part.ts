import { formatMoney } from '../domain/money.ts';
import type { CampaignOverview, LedgerReader, Reading } from '../ledger/reader.ts';

/**
 * What the account's balance says about a campaign. Readings belong to the account, so a campaign has its own `before`,
 * `after` and `unexplained` only when it alone was sending; else they are null and the others are named.
 */
export interface BalancePart {
  before: string | null;
  after: string | null;
  /**
   * Movement that no known charge explains; positive: more was taken than is known. Null beside a top-up that may hide such: it is told
   * by the rise, so that what messages of unknown cost took meanwhile only makes it look smaller.
   */
  unexplained: string | null;
  /** Ids of the other campaigns that had messages in flight. */
  shared_with: string[];
  top_ups: { at: string; amount: string }[];
}

/** Whose balance is told, as of when (milliseconds). */
export interface BalanceRequest {
  reader: LedgerReader;
  overview: CampaignOverview;
  /** Messages of the campaign of which nobody knows what they cost, the uncertain ones with them. */
  open: number;
  now: number;
}

const UNKNOWN = { before: null, after: null, unexplained: null, shared_with: [], top_ups: [] };

/** Compares the last quiet reading before the first claim with the first one after everything was settled. */
export async function balancePart(request: BalanceRequest): Promise<BalancePart> {
  const { reader, overview, now } = request;
  const { campaign, startedAt, finishedAt } = overview;
  if (campaign.account === null || startedAt === null) return { ...UNKNOWN };
  const readings = await reader.readings(campaign.account, { from: 0, to: now });
  const { before, after } = ends(readings, { startedAt, finishedAt });
  const span = { from: before?.at ?? startedAt, to: after?.at ?? finishedAt ?? now };
  const sharedWith = await reader.sharedWith(campaign.n, span);
  if (sharedWith.length > 0) return { ...UNKNOWN, shared_with: sharedWith };
  const between = readings.filter(({ at, quiet }) => quiet && at >= span.from && at <= span.to);
  return {
    before: credit(before),
    after: credit(after),
    unexplained: await unexplained(request, { before, after, between }),
    shared_with: [],
    top_ups: topUps(between).map(({ at, micro }) => ({
      at: new Date(at).toISOString(),
      amount: formatMoney(micro),
    })),
  };
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

interface Compared {
  before: Reading | null;
  after: Reading | null;
  between: Reading[];
}

/** Without a reading on either side there is nothing to compare with. */
async function unexplained(
  request: BalanceRequest,
  { before, after, between }: Compared,
): Promise<string | null> {
  if (before === null || after === null || (await hidesCost(request, between))) return null;
  return formatMoney(unexplainedMicro(between));
}

/** Whether messages of unknown cost were in flight while the balance rose. */
async function hidesCost({ reader, overview, open }: BalanceRequest, readings: Reading[]): Promise<boolean> {
  // Looked up only where there are any: it reads all messages.
  if (open === 0) return false;
  const campaign = overview.campaign.n;
  for (const [from, to] of pairs(readings).filter(isTopUp))
    if (await reader.sentUnpriced(campaign, { from: from.at, to: to.at })) return true;
  return false;
}

function credit(reading: Reading | null): string | null {
  return reading === null ? null : formatMoney(reading.creditMicro);
}

/** What a pair of neighbouring readings took beyond the charges that are known; negative when the credit rose. */
function excess(from: Reading, to: Reading): number {
  return from.creditMicro - to.creditMicro - (to.spentMicro - from.spentMicro);
}

function pairs(readings: Reading[]): [Reading, Reading][] {
  return readings.slice(1).map((to, index) => [readings[index] ?? to, to]);
}

function isTopUp([from, to]: [Reading, Reading]): boolean {
  return to.creditMicro > from.creditMicro;
}

/** What came in between readings, oldest first. Without a rise there is nothing to tell a top-up by. */
export function topUps(readings: Reading[]): { at: number; micro: number }[] {
  return pairs(readings)
    .filter(isTopUp)
    .map(([from, to]) => ({ at: to.at, micro: -excess(from, to) }));
}

function unexplainedMicro(readings: Reading[]): number {
  return pairs(readings)
    .filter((pair) => !isTopUp(pair))
    .reduce((sum, [from, to]) => sum + excess(from, to), 0);
}
