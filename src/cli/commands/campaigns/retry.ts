import { retryRejected } from '../../../campaign/operator/orders.ts';
import { counted } from '../../../domain/money.ts';
import type { CommandModule } from '../../command.ts';
import { EXIT } from '../../exit.ts';
import { campaignPart, orderFor, noteOfReminders } from '../../terminal/order.ts';
import { noteWithoutWorker } from '../../doctor/workers-alive.ts';

/** `tuma retry CAMPAIGN [--reason R]` */
export const command: CommandModule = {
  declare: (command) =>
    void command
      .argument('<campaign>', 'id, unique prefix of one, or name')
      .option(
        '--reason <reason>',
        'those of this reason, as the report names it, whether a retry can help or not',
      ),
  async run(context, { args, flags }) {
    const order = await orderFor(context, args[0] ?? '');
    const reason = typeof flags['reason'] === 'string' ? flags['reason'] : null;
    const retried = await retryRejected({ ...order, reason });
    const campaign = await campaignPart(context, order.campaign.n);
    context.output.result({ campaign, retried }, () =>
      retried === 0
        ? `No rejected message of ${campaign.name} ${reason === null ? 'can be helped by a retry' : 'has that reason'}.`
        : `${counted(retried, 'message')} of ${campaign.name} queued again.`,
    );
    noteOfReminders(context, order.campaign);
    if (retried > 0) await noteWithoutWorker(context);
    return EXIT.done;
  },
};
