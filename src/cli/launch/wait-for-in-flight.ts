import { wireOver } from '../../campaign/launch/after-canceled.ts';
import { awaitInFlight } from '../../campaign/operator/await-in-flight.ts';
import type { CampaignOverview } from '../../ledger/contracts/reader.ts';
import { whole } from '../../domain/money.ts';
import type { Context } from '../context.ts';
import { provenAlive } from '../doctor/own-roles.ts';
import { workersAlive } from '../../campaign/operator/living-workers.ts';

/** A pause is answered within this time, also while messages are on the wire. */
const PAUSE_ANSWER_MS = 10_000;

/** Says that messages on the wire of a canceled campaign are waited for. */
export function sayWaiting(
  { output }: Pick<Context, 'output'>,
  { campaign, messages }: CampaignOverview,
): void {
  const inFlight = whole(messages.sending);
  output.note(`${campaign.name} is canceled, with ${inFlight} in flight: waiting for what becomes of that.`);
}

/** Waits for the messages on the wire of a campaign that was canceled just now (after-canceled.ts). */
export async function waitForInFlight(
  context: Context,
  canceled: CampaignOverview,
): Promise<CampaignOverview> {
  const { clock, signal } = context;
  const isWorkerAlive = async () => (await provenAlive(context)) > 0;
  const waits = (waited: CampaignOverview) => sayWaiting(context, waited);
  return wireOver({ clock, reader: () => context.reader(), isWorkerAlive, waits }, canceled, signal);
}

/** Waits until nothing of a paused campaign leaves any more, for ten seconds at most. */
export async function waitUntilHeld(context: Context, paused: CampaignOverview): Promise<CampaignOverview> {
  // Only readers are asked, because a ledger that others write to would hold up the answer.
  const isWorkerAlive = async () => (await workersAlive(context)) > 0;
  const { clock, signal } = context;
  const reader = await context.reader();
  return awaitInFlight({ clock, reader, isWorkerAlive, signal, mostMs: PAUSE_ANSWER_MS }, paused);
}
