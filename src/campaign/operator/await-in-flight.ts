import type { CampaignOverview, LedgerReader } from '../../ledger/contracts/reader.ts';
import type { Clock } from '../env.ts';

const LOOK_MS = 200;

/** The parts of a wait for the messages in flight of a campaign that was paused or canceled. */
export interface InFlightWait {
  clock: Clock;
  reader: Pick<LedgerReader, 'overview'>;
  /** False: no worker lives, so waiting is in vain. An error, such as a locked ledger, is no answer. */
  isWorkerAlive: () => Promise<boolean>;
  signal: AbortSignal;
  /** The longest wait, in milliseconds. */
  mostMs: number;
}

/**
 * Waits until no message of the campaign is `sending`. Nothing leaves after that, because nothing can be claimed
 * after the order. Returns the campaign as it is then; messages that are still `sending` may leave or have left.
 */
export async function awaitInFlight(
  { clock, reader, isWorkerAlive, signal, mostMs }: InFlightWait,
  ordered: CampaignOverview,
): Promise<CampaignOverview> {
  let overview = ordered;
  const until = clock.monotonic() + mostMs;
  for (let alive = true; alive && overview.messages.sending > 0 && clock.monotonic() < until; ) {
    alive = (await isWorkerAlive().catch(() => true)) && !signal.aborted;
    if (alive) await clock.sleep(LOOK_MS, signal);
    overview = await reader.overview(ordered.campaign.n);
  }
  return overview;
}
