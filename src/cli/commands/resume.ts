import { resumeCampaign } from '../../campaign/resume.ts';
import { formatMoney } from '../../domain/money.ts';
import { grouped } from '../../reports/report-words.ts';
import type { CommandModule } from '../command.ts';
import { EXIT } from '../exit.ts';
import { campaignPart, orderFor } from '../order.ts';
import { amountFlag, senderFlag } from '../typed.ts';
import { noteWithoutWorker } from '../workers-alive.ts';

/** `tuma resume CAMPAIGN [--sender NAME] [--budget AMOUNT]` */
export const command: CommandModule = {
  declare: (command) =>
    void command
      .argument('<campaign>', 'id, unique prefix of one, or name')
      .option('--sender <name>', 'go on under another sender')
      .option('--budget <amount>', 'raise what it may cost in all, and go on'),
  async run(context, { args, flags }) {
    const order = await orderFor(context, args[0] ?? '');
    const { currency } = order.campaign.settings;
    const sender = senderFlag(flags['sender']);
    const budgetMicro = amountFlag(flags['budget'], { flag: '--budget', currency });
    const changed = await resumeCampaign({ ...order, sender, budgetMicro });
    const campaign = await campaignPart(context, order.campaign.n);
    const budget = budgetMicro === null ? {} : { budget: formatMoney(budgetMicro) };
    context.output.result({ campaign, changed, ...budget }, () => {
      const goes = campaign.state === 'running' ? 'goes on' : `is ${campaign.state}`;
      const states = changed ? `${campaign.name} ${goes}` : `${campaign.name} is ${campaign.state} already`;
      return budgetMicro === null
        ? `${states}.`
        : `${states}; it may cost ${currency} ${grouped(formatMoney(budgetMicro))} in all.`;
    });
    if (budgetMicro !== null && campaign.reason === 'canary')
      context.output.note(
        `Its canary still holds the rest; tuma resume ${campaign.id} sends it all the same.`,
      );
    await noteWithoutWorker(context);
    return EXIT.done;
  },
};
