import { resumeCampaign } from '../../campaign/resume.ts';
import type { CommandModule } from '../commands.ts';
import { EXIT } from '../exit.ts';
import { campaignPart, orderFor } from '../order.ts';
import { noteWithoutWorker } from '../workers-alive.ts';

/** `tuma resume CAMPAIGN [--sender NAME]` */
export const command: CommandModule = {
  declare: (command) =>
    void command
      .argument('<campaign>', 'id, unique prefix of one, or name')
      .option('--sender <name>', 'go on under another sender'),
  async run(context, { args, flags }) {
    const order = await orderFor(context, args[0] ?? '');
    const sender = typeof flags['sender'] === 'string' ? flags['sender'] : null;
    const changed = await resumeCampaign({ ...order, sender });
    const campaign = await campaignPart(context, order.campaign.n);
    context.output.result({ campaign, changed }, () =>
      changed ? `${campaign.name} goes on.` : `${campaign.name} is running already.`,
    );
    await noteWithoutWorker(context);
    return EXIT.done;
  },
};
