import type { MoneyMicro } from '../../domain/money.ts';
import type { CampaignOverview, LastReading } from '../../ledger/reader.ts';
import type { Context } from '../context.ts';

/** A paused campaign's balance is read again every few seconds; an older reading says nothing. */
const FRESH_MS = 600_000;

/** What the campaign's account held when it was last asked, a short while ago; null: nobody asked. */
export async function latestCredit(
  context: Context,
  { campaign }: CampaignOverview,
): Promise<MoneyMicro | null> {
  if (campaign.account === null) return null;
  const now = context.clock.now();
  const span = { from: now - FRESH_MS, to: now };
  const readings = await (await context.reader()).readings(campaign.account, span);
  return readings.at(-1)?.creditMicro ?? null;
}

/** The last that a campaign which was cut off knows of its account's credit, however old; null: nothing, or it was not cut off. */
export async function creditAtCut(
  context: Context,
  { campaign, cutOffAt }: CampaignOverview,
): Promise<LastReading | null> {
  if (cutOffAt === undefined || campaign.account === null) return null;
  return (await context.reader()).lastReading(campaign.account);
}
