import { WIRE_MS } from '../../campaign/planning/upload.ts';
import type { CampaignOverview } from '../../ledger/reader.ts';
import { whole } from '../../domain/money.ts';
import type { Context } from '../context.ts';
import { provenAlive } from '../doctor/own-roles.ts';

const LOOK_MS = 200;

/**
 * Waits for the in-flight messages of a canceled campaign, because those that turn out unsent belong to the
 * canceled ones. Waits at most a minute, and not at all where no worker lives.
 */
export async function waitForInFlight(
  context: Context,
  canceled: CampaignOverview,
): Promise<CampaignOverview> {
  const { clock, signal, output } = context;
  let overview = canceled;
  const { campaign, messages } = canceled;
  if (messages.sending > 0)
    output.note(
      `${campaign.name} is canceled, with ${whole(messages.sending)} in flight: waiting for what becomes of that.`,
    );
  const until = clock.monotonic() + WIRE_MS;
  for (let alive = true; alive && overview.messages.sending > 0 && clock.monotonic() < until; ) {
    alive = (await provenAlive(context)) > 0 && !signal.aborted;
    if (alive) await clock.sleep(LOOK_MS, signal);
    overview = await (await context.reader()).overview(campaign.n);
  }
  return overview;
}

/** The same of the latest campaign of a name, where it was canceled. */
export async function latestAfterInFlight(context: Context, name: string): Promise<void> {
  const latest = await (await context.ledger()).latestNamed(name);
  if (latest?.campaign.state !== 'canceled') return;
  await waitForInFlight(context, await (await context.reader()).overview(latest.campaign.n));
}
