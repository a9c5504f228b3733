import { awaitInFlight, type InFlightWait } from '../../campaign/operator/await-in-flight.ts';
import { WIRE_MS } from '../../campaign/planning/upload.ts';
import type { CampaignOverview } from '../../ledger/reader.ts';
import { whole } from '../../domain/money.ts';
import type { Context } from '../context.ts';
import { provenAlive } from '../doctor/own-roles.ts';
import { workersAlive } from '../../campaign/operator/living-workers.ts';

/** A pause is answered within this time, also while messages are on the wire. */
const PAUSE_ANSWER_MS = 10_000;

/**
 * Waits for the in-flight messages of a canceled campaign, because those that turn out unsent belong to the
 * canceled ones. Waits at most a minute, and not at all where no worker lives.
 */
export async function waitForInFlight(
  context: Context,
  canceled: CampaignOverview,
): Promise<CampaignOverview> {
  const { campaign, messages } = canceled;
  if (messages.sending > 0)
    context.output.note(
      `${campaign.name} is canceled, with ${whole(messages.sending)} in flight: waiting for what becomes of that.`,
    );
  const isWorkerAlive = async () => (await provenAlive(context)) > 0;
  return inFlightOver(context, canceled, { isWorkerAlive, mostMs: WIRE_MS });
}

/** Waits until nothing of a paused campaign leaves any more, for ten seconds at most. */
export async function waitUntilHeld(context: Context, paused: CampaignOverview): Promise<CampaignOverview> {
  // Only readers are asked, because a ledger that others write to would hold up the answer.
  const isWorkerAlive = async () => (await workersAlive(context)) > 0;
  return inFlightOver(context, paused, { isWorkerAlive, mostMs: PAUSE_ANSWER_MS });
}

async function inFlightOver(
  context: Context,
  ordered: CampaignOverview,
  how: Pick<InFlightWait, 'isWorkerAlive' | 'mostMs'>,
): Promise<CampaignOverview> {
  const { clock, signal } = context;
  return awaitInFlight({ clock, reader: await context.reader(), signal, ...how }, ordered);
}

/** The same of the latest campaign of a name, where it was canceled. */
export async function latestAfterInFlight(context: Context, name: string): Promise<void> {
  const latest = await (await context.ledger()).latestNamed(name);
  if (latest?.campaign.state !== 'canceled') return;
  await waitForInFlight(context, await (await context.reader()).overview(latest.campaign.n));
}
