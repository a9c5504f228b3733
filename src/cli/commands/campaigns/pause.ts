import { pauseCampaign } from '../../../campaign/operator/orders.ts';
import type { CommandModule } from '../../command.ts';
import { EXIT } from '../../exit.ts';
import { pauseWords } from '../../../reports/report-words.ts';
import type { CampaignOverview } from '../../../ledger/contracts/reader.ts';
import { counted } from '../../../domain/money.ts';
import { waitUntilHeld } from '../../launch/wait-for-in-flight.ts';
import { orderFor, partOf } from '../../terminal/order.ts';

/** `tuma pause CAMPAIGN` */
export const command: CommandModule = {
  declare: (command) => void command.argument('<campaign>', 'id, unique prefix of one, or name'),
  async run(context, { args }) {
    const order = await orderFor(context, args[0] ?? '');
    const changed = await pauseCampaign(order);
    const reader = await context.reader();
    const overview = await waitUntilHeld(context, await reader.overview(order.campaign.n));
    const campaign = partOf(overview);
    const { sending } = overview.messages;
    context.output.result({ campaign, changed, sending }, () =>
      changed
        ? `${campaign.name} is paused. ${wordsOfRest(overview)} Go on: tuma resume ${campaign.id}`
        : `${campaign.name} stays as it is, ${pauseWords(campaign)}. ${wordsOfRest(overview)}`,
    );
    return EXIT.done;
  },
};

function wordsOfRest({ messages: { sending } }: CampaignOverview): string {
  if (sending === 0) return 'Nothing more leaves.';
  return `${counted(sending, 'message')} may still leave or be on the wire, and nothing else.`;
}
