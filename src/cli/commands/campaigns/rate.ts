import { setRate } from '../../../campaign/operator/orders.ts';
import { TumaError } from '../../../domain/errors.ts';
import { parseRate, rateWords } from '../../../domain/pace/rate.ts';
import type { CommandModule } from '../../command.ts';
import { EXIT } from '../../exit.ts';
import { campaignPart, orderFor } from '../../terminal/order.ts';

/** `tuma rate CAMPAIGN 80/s` */
export const command: CommandModule = {
  declare: (command) =>
    void command
      .argument('<campaign>', 'id, unique prefix of one, or name')
      .argument('<rate>', 'messages a second (80/s), a minute (600/min), or unlimited'),
  async run(context, { args }) {
    const rate = parseRate(args[1] ?? '');
    if (rate === null) {
      throw new TumaError('usage', {
        message: `"${args[1] ?? ''}" is not a rate.`,
        hint: 'Write 80/s, 600/min or unlimited; to stop sending, pause the campaign.',
      });
    }
    const order = await orderFor(context, args[0] ?? '');
    const changed = await setRate({ ...order, ratePerSecond: rate.perSecond });
    const campaign = await campaignPart(context, order.campaign.n);
    const words = rate.perSecond === null ? "the account's rate only" : rateWords(rate.perSecond);
    context.output.result({ campaign, changed, rate_per_second: rate.perSecond }, () =>
      changed ? `${campaign.name} is now held to ${words}.` : `${campaign.name} is held to ${words} already.`,
    );
    noteAboveAccount(context, rate.perSecond);
    return EXIT.done;
  },
};

function noteAboveAccount(
  { output, config }: Parameters<CommandModule['run']>[0],
  perSecond: number | null,
): void {
  if (config.ratePerSecond === null || perSecond === null || perSecond <= config.ratePerSecond) return;
  output.note(`The account's rate (TUMA_RATE, ${rateWords(config.ratePerSecond)}) still holds.`);
}
