import { cancelCampaign, restWay } from '../../campaign/cancel.ts';
import type { Campaign } from '../../domain/campaign.ts';
import { whole } from '../../reports/report-words.ts';
import type { CommandModule } from '../command.ts';
import type { Context } from '../context.ts';
import { EXIT } from '../exit.ts';
import { isFiring, noteOfFirings } from '../open-firings.ts';
import { campaignPart, orderFor } from '../order.ts';
import { totalOf } from '../progress.ts';

/** `tuma cancel CAMPAIGN` */
export const command: CommandModule = {
  declare: (command) => void command.argument('<campaign>', 'id, unique prefix of one, or name'),
  async run(context, { args }) {
    const order = await orderFor(context, args[0] ?? '');
    const { changed, canceled } = await cancelCampaign(order);
    const campaign = await campaignPart(context, order.campaign.n);
    const recurs = order.campaign.settings.every !== undefined;
    const ends = recurs
      ? 'it fires no more'
      : `${whole(canceled)} ${canceled === 1 ? 'message' : 'messages'} will not be sent`;
    context.output.result({ campaign, changed, canceled }, () =>
      changed ? `${campaign.name} is canceled: ${ends}.` : `${campaign.name} is canceled already.`,
    );
    await noteOfFirings(context, order.campaign);
    if (changed && canceled > 0 && !recurs) await noteOfRest(context, order.campaign);
    return EXIT.done;
  },
};

/** Says how to send after all to those whom a canceled campaign did not reach. */
async function noteOfRest(context: Context, campaign: Campaign): Promise<void> {
  const reader = await context.reader();
  const overview = await reader.overview(campaign.n);
  // A file of all of them may be its contacts, byte for byte: refused without --again. Of reminders that would remind anew.
  const isWhole = overview.messages.canceled === totalOf(overview) && campaign.settings.remind === undefined;
  const how = (await isFiring(reader, campaign))
    ? restWay(campaign, 'launch a job without `every`')
    : isWhole
      ? 'launch the same with --again'
      : restWay(campaign);
  context.output.note(`To send to them after all: ${how}.`);
}
