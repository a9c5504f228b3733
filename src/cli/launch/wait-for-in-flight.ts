import { WIRE_MS } from '../../campaign/planning/upload.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { CampaignOverview } from '../../ledger/reader.ts';
import { whole } from '../../reports/report-words.ts';
import type { Context } from '../context.ts';
import { provenAlive } from '../doctor/own-roles.ts';

const LOOK_MS = 200;

/**
 * Waits until nothing of a canceled campaign is on its way any more, for what turns out not to be sent is one of those that it does
 * not reach: who counts them, writes a file of them or plans them anew before that would leave it out. Not longer than a minute, nor
 * where no worker lives that could tell.
 */
export async function waitForInFlight(
  context: Context,
  canceled: CampaignOverview,
): Promise<CampaignOverview> {
  const { clock, signal, output } = context;
  let overview = canceled;
  const { campaign, messages } = canceled;
  // Who stops the wait knows that the cancel stands, and a launch of which campaign it speaks.
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
export async function latestAfterInFlight(
  context: Context,
  ledger: Pick<Ledger, 'latestNamed'>,
  name: string,
): Promise<void> {
  const latest = await ledger.latestNamed(name);
  if (latest?.campaign.state !== 'canceled') return;
  await waitForInFlight(context, await (await context.reader()).overview(latest.campaign.n));
}
