import { skipFiring } from '../../../campaign/operator/skip-firing.ts';
import { momentWords } from '../../../domain/time/time-words.ts';
import { isoTime } from '../../../reports/campaign-report.ts';
import type { CommandModule } from '../../command.ts';
import { EXIT } from '../../exit.ts';
import { campaignPart, orderFor } from '../../terminal/order.ts';

/** `tuma skip CAMPAIGN` */
export const command: CommandModule = {
  declare: (command) => void command.argument('<campaign>', 'id, unique prefix of one, or name'),
  async run(context, { args }) {
    const order = await orderFor(context, args[0] ?? '');
    const { schedule } = await (await context.reader()).agenda(order.campaign.n);
    const { at, next, changed } = await skipFiring({ ...order, nextAt: schedule?.nextAt ?? null });
    const campaign = await campaignPart(context, order.campaign.n);
    const skipped = { at: isoTime(at), next_at: next === null ? null : isoTime(next) };
    context.output.result({ campaign, changed, ...skipped }, () => {
      const { now } = order;
      const when = (moment: number) => momentWords(moment, { zone: order.campaign.settings.zone, now });
      const rest = next === null ? 'It fires no more.' : `The next one: ${when(next)}.`;
      return `${changed ? 'Left out' : 'Left out already'}: ${campaign.name}, ${when(at)}. ${rest}`;
    });
    return EXIT.done;
  },
};
