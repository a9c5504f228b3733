import { whole } from '../../../domain/money.ts';
import { totalOf } from '../../../domain/message.ts';
import { percent } from '../../../reports/report-words.ts';
import type { PlannedCost } from '../../../campaign/planning/credit-ahead.ts';
import type { Frame } from '../../frame.ts';
import { html, type Html } from '../../views/html.ts';
import { networkWords } from '../../views/network.ts';
import { notice } from '../../views/notice.ts';
import { timeOf, timeWords } from '../../views/time.ts';
import type { CampaignNow } from './campaign-now.ts';
import { moneyOf, plainMoney } from '../../views/amounts.ts';

/** The cost by network, and the sum of what it cost so far. */
export function moneyView(frame: Frame, now: CampaignNow): Html {
  const { tallies } = now;
  const isSpent = tallies.messages.sent > 0 || tallies.messages.uncertain > 0;
  if (!isSpent)
    return html`<div class="two" id="live-money" data-empty><p class="soft">${frame.words.campaign.moneyNone}</p></div>`;
  return html`<div class="two" id="live-money">
${networks(frame, now)}
${costs(frame, now)}
</div>`;
}

function networks(frame: Frame, { tallies, networks: names, overview }: CampaignNow): Html {
  const { campaign: words } = frame.words;
  const { byNetwork, delivery, chargedMicro } = tallies;
  const sent = byNetwork.reduce((sum, each) => sum + each.sent, 0);
  const share = (delivered: number, of: number) => (of === 0 ? '' : percent(delivered / of));
  return html`<section aria-labelledby="networks"><h3 id="networks">${words.networksTitle}</h3>
<table><caption class="hear">${words.networksTitle}</caption>
<thead><tr><th scope="col">${words.network}</th><th scope="col" class="n">${words.sent}</th><th scope="col" class="n">${words.deliveredShare}</th><th scope="col" class="n">${words.charged(overview.campaign.settings.currency)}</th></tr></thead>
<tbody>
${byNetwork.map(
  (
    each,
  ) => html`<tr><th scope="row">${each.network === null ? words.notKnownNetwork : networkWords(frame, each.network, names)}</th><td class="n">${whole(each.sent)}</td><td class="n">${share(each.delivered, each.sent)}</td><td class="n">${plainMoney(each.chargedMicro)}</td></tr>
`,
)}<tr class="total"><th scope="row">${words.allSteps}</th><td class="n">${whole(sent)}</td><td class="n">${share(delivery.delivered, sent)}</td><td class="n">${plainMoney(chargedMicro)}</td></tr>
</tbody></table></section>`;
}

/** Charged, and the most that unknown, uncertain and closed ones may have cost: that is what was spent. */
function costs({ words: { campaign: words } }: Frame, { tallies, overview }: CampaignNow): Html {
  const { campaign, budgetMicro } = overview;
  const { currency } = campaign.settings;
  const { messages, unknownCost, chargedMicro, unknownMicro, atStakeMicro, writtenOffMicro } = tallies;
  const open = messages.uncertain - messages.written_off;
  const row = (name: string, amount: number) =>
    html`<tr><th scope="row">${name}</th><td class="n">${plainMoney(amount)}</td></tr>
`;
  return html`<section aria-labelledby="spent"><h3 id="spent">${words.costTitle}</h3>
<table class="sum"><caption class="hear">${words.costCaption(currency)}</caption><tbody>
${row(words.chargedFor(whole(messages.sent - unknownCost)), chargedMicro)}${unknownCost > 0 && row(words.plusUnknown(whole(unknownCost)), unknownMicro)}${open > 0 && row(words.plusUncertain(whole(open)), atStakeMicro)}${messages.written_off > 0 && row(words.plusClosed(whole(messages.written_off)), writtenOffMicro)}<tr class="total"><th scope="row">${words.spentIn(currency)}</th><td class="n">${plainMoney(chargedMicro + unknownMicro + atStakeMicro + writtenOffMicro)}</td></tr>
${campaign.estimatedMicro !== null && row(words.estimateAll(whole(totalOf(overview))), campaign.estimatedMicro)}${budgetMicro !== null && row(words.budgetAll, budgetMicro)}</tbody></table></section>`;
}

/** Moments that are listed one by one. */
const MOST_PLANNED = 8;

/** Whether the balance lasts for everything that is planned on the account. */
export function aheadView(frame: Frame, now: CampaignNow): Html {
  const { campaign: words } = frame.words;
  const { ahead, overview } = now;
  const { campaign } = overview;
  if (ahead.planned.length === 0) return html`<section id="live-ahead" hidden></section>`;
  const shown = ahead.planned.slice(0, MOST_PLANNED);
  const more = ahead.planned.length - shown.length;
  const { currency, zone } = campaign.settings;
  return html`<section id="live-ahead" aria-labelledby="ahead"><h2 id="ahead">${words.aheadTitle}</h2>
${verdict(frame, now)}
<table class="stack" role="table"><caption class="hear">${words.aheadCaption}</caption>
<thead role="rowgroup"><tr role="row"><th scope="col" role="columnheader">${words.planned}</th><th scope="col" role="columnheader">${words.when}</th><th scope="col" role="columnheader" class="n">${words.cost(currency)}</th><th scope="col" role="columnheader" class="n">${words.aheadLeft(currency)}</th></tr></thead>
<tbody role="rowgroup">
<tr role="row"><th scope="row" role="rowheader">${words.aheadBalance}</th><td role="cell" data-label="${words.when}">${ahead.readAt !== null && html`<span>${words.aheadBalanceAt(timeWords(frame, ahead.readAt, zone))}</span>`}</td><td role="cell" class="n" data-label="${words.cost(currency)}"></td><td role="cell" class="n" data-label="${words.aheadLeft(currency)}">${ahead.creditMicro !== null && plainMoney(ahead.creditMicro)}</td></tr>
${shown.map((each) => plannedRow(frame, each, currency))}</tbody></table>
${more > 0 && html`<p class="soft">${words.aheadMore(whole(more))}</p>`}
${ahead.unpriced > 0 && html`<p class="warn">${words.aheadUnpriced(whole(ahead.unpriced))}</p>`}</section>`;
}

function plannedRow(
  frame: Frame,
  { campaign, at, messages, costMicro, afterMicro }: PlannedCost,
  currency: string,
): Html {
  const { campaign: words } = frame.words;
  const isShort = afterMicro !== null && afterMicro < 0;
  return html`<tr role="row"><th scope="row" role="rowheader">− <a href="/campaigns/${campaign.id}">${campaign.name}</a><small>${words.waitingMessages(messages, whole(messages))}</small></th><td role="cell" data-label="${words.when}">${at === null ? words.aheadNow : timeOf(frame, at, campaign.zone)}</td><td role="cell" class="n" data-label="${words.cost(currency)}">${costMicro === null ? frame.words.common.notKnown : plainMoney(costMicro)}</td><td role="cell" class="${isShort ? 'n warn' : 'n'}" data-label="${words.aheadLeft(currency)}">${afterMicro !== null && plainMoney(afterMicro)}</td></tr>
`;
}

function verdict(frame: Frame, { ahead, overview: { campaign } }: CampaignNow): Html {
  const { campaign: words } = frame.words;
  const { short, creditMicro } = ahead;
  if (creditMicro === null) return html`<p class="soft">${words.aheadNotKnown}</p>`;
  if (short === null) return html`<p>${words.aheadLasts}</p>`;
  const amount = moneyOf(campaign, short.missingMicro);
  const title =
    short.until === null
      ? words.aheadShortNow(amount)
      : words.aheadShort(amount, timeWords(frame, short.until, campaign.settings.zone));
  return notice({ look: 'warn', title });
}
