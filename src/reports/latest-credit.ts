import type { MoneyMicro } from '../domain/money.ts';
import type { CampaignOverview, LastReading, LedgerReader } from '../ledger/reader.ts';

/** A paused campaign's balance is read again every few seconds; an older reading says nothing. */
const FRESH_MS = 600_000;

/** What the campaign's account held when it was last asked, a short while ago; null: nobody asked. */
export async function latestCredit(
  { reader, now }: { reader: LedgerReader; now: number },
  { campaign }: CampaignOverview,
): Promise<MoneyMicro | null> {
  if (campaign.account === null) return null;
  const span = { from: now - FRESH_MS, to: now };
  const readings = await reader.readings(campaign.account, span);
  return readings.at(-1)?.creditMicro ?? null;
}

/** The last that a campaign which was cut off knows of its account's credit, however old; null: nothing, or it was not cut off. */
export async function creditAtCut(
  { reader }: { reader: LedgerReader },
  { campaign, cutOffAt }: CampaignOverview,
): Promise<LastReading | null> {
  if (cutOffAt === undefined || campaign.account === null) return null;
  return reader.lastReading(campaign.account);
}
