import { cancelCampaign, restCommand } from '../../campaign/cancel.ts';
import { whole } from '../../reports/report-words.ts';
import type { CommandModule } from '../command.ts';
import { EXIT } from '../exit.ts';
import { noteOfFirings } from '../open-firings.ts';
import { campaignPart, orderFor } from '../order.ts';

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
    if (changed && canceled > 0 && !recurs)
      context.output.note(
        `To send to them after all: ${restCommand(campaign)}, and launch with --contacts rest.csv.`,
      );
    return EXIT.done;
  },
};
