import { TumaError } from '../../domain/errors.ts';
import { totalOf } from '../../domain/message.ts';
import { formatDuration, parseDuration } from '../../domain/time/time-words.ts';
import { type WorkerSight, workersAlive } from '../operator/living-workers.ts';
import type { Ledger } from '../../ledger/contracts/ledger.ts';
import type { PurgeReader, TraceCounts } from '../../ledger/contracts/purge.ts';
import type { CampaignOverview, LedgerReader } from '../../ledger/contracts/reader.ts';

/** The scope of a purge, and the person who orders it. */
export interface PurgeOrder {
  ledger: Ledger;
  /** Settled campaigns, by their number in the ledger. */
  campaigns: number[];
  /** Older webhooks, reports and replies are purged, too. */
  before: number;
  now: number;
  by: string;
  /** Called after each campaign. */
  onCampaign?: (done: number) => void;
}

/** The counts of a purge. */
export interface Purged extends TraceCounts {
  campaigns: number;
  messages: number;
  /** Campaigns that were left, because some of their messages wait to be sent again. */
  left: number;
}

/** Campaigns with nothing left to send that were finished before, and that have not been purged. */
export async function oldCampaigns(
  reader: Pick<LedgerReader, 'campaigns'> & PurgeReader,
  before: number,
): Promise<CampaignOverview[]> {
  const purged = await reader.purges();
  const done = new Set(purged.filter(({ purgedAt }) => purgedAt !== null).map(({ campaign }) => campaign));
  const all = await reader.campaigns();
  return all.filter(({ campaign, messages, finishedAt }) => {
    const settled = messages.queued + messages.sending === 0 && finishedAt !== null && finishedAt < before;
    return settled && !done.has(campaign.n);
  });
}

/** Removes personal data. After an interruption the same order, given again, continues. */
export async function purge(order: PurgeOrder): Promise<Purged> {
  const { ledger, campaigns, before, now, by, onCampaign = () => {} } = order;
  const purged = { campaigns: 0, messages: 0, left: 0 };
  for (const [index, campaign] of campaigns.entries()) {
    const messages = await ledger.purgeCampaign(campaign, { now, by });
    if (messages === null) purged.left += 1;
    else {
      purged.campaigns += 1;
      purged.messages += messages;
    }
    onCampaign(index + 1);
  }
  return { ...purged, ...(await ledger.purgeTraces({ before, now, by })) };
}

/** What a purge would remove, for a person to look at. */
export interface PurgeLook {
  before: number;
  campaigns: CampaignOverview[];
  messages: number;
  /** Open uncertain ones, which could then not be sent again. */
  uncertain: number;
}

/** Looks for what a purge would remove. */
export async function lookForPurge(
  reader: Pick<LedgerReader, 'campaigns'> & PurgeReader,
  before: number,
): Promise<PurgeLook> {
  const campaigns = await oldCampaigns(reader, before);
  const sumOf = (count: (overview: CampaignOverview) => number) =>
    campaigns.reduce((sum, overview) => sum + count(overview), 0);
  return {
    before,
    campaigns,
    messages: sumOf(totalOf),
    uncertain: sumOf(({ messages: { uncertain, written_off: writtenOff } }) => uncertain - writtenOff),
  };
}

/**
 * An age such as 180d in milliseconds. Throws `usage` for none, and for one below the time that reports are waited for:
 * until then they join uncertain messages by their number.
 */
export function purgeAge(
  text: string,
  { reportWaitMs, where }: { reportWaitMs: number; where: string },
): number {
  const age = parseDuration(text);
  if (age !== null && age >= reportWaitMs) return age;
  const least = formatDuration(reportWaitMs);
  throw new TumaError('usage', {
    message: age === null ? `"${text}" is no age.` : `${text} is too young: reports are waited for ${least}.`,
    hint: 'Give it in days, as 180d.',
    where,
  });
}

/**
 * Writes the ledger anew, so that its unused space holds no removed data. A worker could neither claim nor record
 * meanwhile, so with one alive it is left for another time: false.
 */
export async function rewriteLedger(ledger: Pick<Ledger, 'rewrite'>, sight: WorkerSight): Promise<boolean> {
  return (await workersAlive(sight)) > 0 ? false : ledger.rewrite();
}
