import { awaitInFlight } from '../operator/await-in-flight.ts';
import { WIRE_MS } from '../planning/upload.ts';
import type { CampaignOverview } from '../../ledger/contracts/reader.ts';
import type { LaunchEnv } from './launch-settings.ts';

/**
 * Waits until nothing of the latest campaign of a name is on the wire, where it was canceled: what turns out unsent was
 * no reminder. Waits at most a minute, and not at all where no worker lives.
 */
export async function afterCanceled(
  env: Omit<LaunchEnv, 'provider' | 'random' | 'settings'>,
  name: string,
  signal: AbortSignal,
): Promise<void> {
  const latest = await env.ledger.latestNamed(name);
  if (latest?.campaign.state !== 'canceled') return;
  await wireOver(env, await (await env.reader()).overview(latest.campaign.n), signal);
}

/** The same for a campaign that was canceled just now. Returns it as it is then. */
export async function wireOver(
  { clock, reader, isWorkerAlive, waits }: Pick<LaunchEnv, 'clock' | 'reader' | 'isWorkerAlive' | 'waits'>,
  canceled: CampaignOverview,
  signal: AbortSignal,
): Promise<CampaignOverview> {
  if (canceled.messages.sending > 0) waits?.(canceled);
  return awaitInFlight({ clock, reader: await reader(), isWorkerAlive, signal, mostMs: WIRE_MS }, canceled);
}
