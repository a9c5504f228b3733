import { formatMoney, grouped } from '../../../domain/money.ts';
import type { CampaignOverview, Tallies } from '../../../ledger/reader.ts';
import type { Frame } from '../../frame.ts';
import { html, type Html } from '../../views/html.ts';
import { facts, partsThatAddUp } from '../../views/parts.ts';
import { stateOf } from '../../views/state.ts';

/** The page of one campaign. */
export function campaignView(frame: Frame, overview: CampaignOverview, tallies: Tallies): Html {
  const { campaign, state, spentMicro } = overview;
  const { words } = frame;
  const { messages, delivery } = tallies;
  const all = Object.entries(messages).reduce(
    (sum, [name, count]) => sum + (name === 'written_off' ? 0 : count),
    0,
  );
  const parts = partsThatAddUp(
    [
      { words: words.campaign.delivered, count: delivery.delivered, look: 'good' },
      { words: words.campaign.waiting, count: delivery.pending + delivery.unreported, look: 'wait' },
      { words: words.campaign.failed, count: delivery.undelivered + messages.rejected, look: 'bad' },
      { words: words.campaign.uncertain, count: messages.uncertain, look: 'unsure' },
      { words: words.campaign.leftOut, count: messages.skipped + messages.canceled, look: 'rest' },
      { words: words.campaign.toSend, count: messages.queued + messages.sending, look: 'rest' },
    ],
    { words: words.campaign.all, count: all },
  );
  const spent = `${campaign.settings.currency} ${grouped(formatMoney(spentMicro))}`;
  return html`<header class="head"><div>
<p class="crumb"><a href="/campaigns">${words.campaigns.title}</a></p>
<h1>${campaign.name}</h1>
${stateOf(state, words)}
<p class="soft">${words.campaign.from(words.campaign.kinds[campaign.kind], campaign.sender)} <span class="id">${campaign.id}</span></p>
</div></header>
<section aria-labelledby="where"><h2 class="hear" id="where">${words.campaign.where}</h2>
${parts}
</section>
${facts([[words.campaign.spent, spent]])}`;
}
