import type { Campaign } from '../../domain/campaign.ts';
import type { LedgerReader } from '../../ledger/reader.ts';
import { partOf } from '../terminal/order.ts';
import { launchesOfSameFiles } from '../../campaign/launch/previous-launches.ts';

/** The firings that go on though their recurring job is canceled: each is a campaign of its own. */
export async function openFirings(reader: LedgerReader, { settings, hashes }: Campaign) {
  if (settings.every === undefined) return [];
  const same = await launchesOfSameFiles(reader, hashes);
  const firings = same.filter((campaign) => campaign.settings.every === undefined);
  const looks = await Promise.all(firings.map(async ({ n }) => reader.overview(n)));
  return looks.map(partOf).filter(({ state }) => state === 'running' || state === 'paused');
}

/** True for a firing: of the files of a recurring job, and none itself. Launching that job again makes it recur. */
export async function isFiring(
  reader: Pick<LedgerReader, 'find'>,
  { settings, hashes }: Campaign,
): Promise<boolean> {
  if (settings.every !== undefined) return false;
  const same = await launchesOfSameFiles(reader, hashes);
  return same.some((campaign) => campaign.settings.every !== undefined);
}
