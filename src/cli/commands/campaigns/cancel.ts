import type { Campaign } from '../../../domain/campaign.ts';
import { cancelCampaign, restWay } from '../../../campaign/operator/orders.ts';
import type { CampaignOverview, LedgerReader } from '../../../ledger/reader.ts';
import { counted, whole } from '../../../domain/money.ts';
import type { CommandModule } from '../../command.ts';
import type { Context } from '../../context.ts';
import { EXIT } from '../../exit.ts';
import { waitForInFlight } from '../../launch/wait-for-in-flight.ts';
import { orderFor, partOf } from '../../terminal/order.ts';

/** `tuma cancel CAMPAIGN` */
export const command: CommandModule = {
  declare: (command) => void command.argument('<campaign>', 'id, unique prefix of one, or name'),
  async run(context, { args }) {
    const order = await orderFor(context, args[0] ?? '');
    const { changed } = await cancelCampaign(order);
    const reader = await context.reader();
    const overview = await waitForInFlight(context, await reader.overview(order.campaign.n));
    // A message that comes back unsent during the cancel is canceled, too.
    const canceled = overview.messages.canceled - order.messages.canceled;
    const campaign = partOf(overview);
    const recurs = order.campaign.settings.every !== undefined;
    const ends = recurs ? 'it fires no more' : `${counted(canceled, 'message')} will not be sent`;
    const firings = await openFirings(reader, order.campaign);
    context.output.result({ campaign, changed, canceled, ...(recurs ? { firings } : {}) }, () =>
      changed ? `${campaign.name} is canceled: ${ends}.` : `${campaign.name} is canceled already.`,
    );
    for (const { id, name, state } of firings)
      context.output.note(`${name} was fired before and is still ${state}: tuma cancel ${id}`);
    if (changed && canceled > 0 && !recurs) {
      // The job of a firing, launched again, would recur.
      const launch =
        (await reader.agenda(order.campaign.n)).firedBy !== null ? 'launch a job without `every`' : 'launch';
      context.output.note(`To send to them after all: ${restWay(order.campaign, launch)}.`);
    }
    noteOnTheWire(context, overview);
    return EXIT.done;
  },
};

/** Messages stay in flight without an answer within a minute, or when their worker ended elsewhere. */
function noteOnTheWire(
  { output }: Context,
  { campaign: { id }, messages: { sending } }: CampaignOverview,
): void {
  if (sending === 0) return;
  output.note(
    `${whole(sending)} may be sent yet, or not: a file of the others lacks them until \`tuma status ${id}\` shows none in flight.`,
  );
}

/** The firings that go on though their recurring job is canceled: each is a campaign of its own. */
async function openFirings(reader: LedgerReader, { n }: Campaign) {
  const { schedule } = await reader.agenda(n);
  const found = await Promise.all((schedule?.open ?? []).map((id) => reader.find(id)));
  return Promise.all(found.flat().map(async (campaign) => partOf(await reader.overview(campaign.n))));
}
