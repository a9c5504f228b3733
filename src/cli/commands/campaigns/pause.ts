import { pauseCampaign } from '../../../campaign/operator/orders.ts';
import type { CommandModule } from '../../command.ts';
import { EXIT } from '../../exit.ts';
import { pauseWords } from '../../../reports/report-words.ts';
import { campaignPart, orderFor } from '../../terminal/order.ts';

/** `tuma pause CAMPAIGN` */
export const command: CommandModule = {
  declare: (command) => void command.argument('<campaign>', 'id, unique prefix of one, or name'),
  async run(context, { args }) {
    const order = await orderFor(context, args[0] ?? '');
    const changed = await pauseCampaign(order);
    const campaign = await campaignPart(context, order.campaign.n);
    context.output.result({ campaign, changed }, () =>
      changed
        ? `${campaign.name} is paused. What is on the wire is finished. Go on: tuma resume ${campaign.id}`
        : `${campaign.name} stays as it is, ${pauseWords(campaign.reason, campaign.cut_off_at !== undefined)}.`,
    );
    return EXIT.done;
  },
};
