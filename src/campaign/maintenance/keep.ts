import type { CampaignOverview } from '../../ledger/contracts/reader.ts';
import type { LedgerReader } from '../../ledger/contracts/reader.ts';
import { removeOldFiles } from '../tasks/task-files.ts';
import type { Env } from '../env.ts';
import { oldCampaigns, purge } from './purge.ts';

/** What `serve` needs to remove old personal data by itself. */
export interface KeepOptions {
  /** Milliseconds that personal data is kept (`TUMA_KEEP`). */
  keepMs: number;
  reader: Pick<LedgerReader, 'campaigns' | 'purges'>;
  /** The folder that holds `exports/`. */
  sharedFolder: string;
}

/**
 * Removes personal data that is older than `keepMs`, once a day over all processes and restarts. Campaigns with a
 * message that is queued, sending or openly uncertain stay, and so do scheduled ones.
 */
export async function purgeOld(
  { ledger, clock, log }: Pick<Env, 'ledger' | 'clock' | 'log'>,
  { keepMs, reader, sharedFolder }: KeepOptions,
): Promise<void> {
  const now = clock.now();
  if (!(await ledger.takeDailyPurge(now))) return;
  const before = now - keepMs;
  const old = (await oldCampaigns(reader, before)).filter((overview) => !isOpenlyUncertain(overview));
  const campaigns = old.map(({ campaign }) => campaign.n);
  const purged = await purge({ ledger, campaigns, before, now, by: 'keep' });
  await removeOldFiles(sharedFolder, now);
  log.info(
    { before: new Date(before).toISOString(), ...purged, ids: old.map(({ campaign }) => campaign.id) },
    'personal data that is older than TUMA_KEEP was removed',
  );
}

function isOpenlyUncertain({ messages: { uncertain, written_off: writtenOff } }: CampaignOverview): boolean {
  return uncertain > writtenOff;
}
