import type { PlanBalance } from '../../../campaign/planning/plan-balance.ts';
import { formatMoney, grouped, type MoneyMicro, whole } from '../../../domain/money.ts';
import type { Frame } from '../../frame.ts';
import { html, type Html } from '../../views/html.ts';
import { timeWords } from '../../views/time.ts';

/** The balance now, less what is planned before and less this plan: what is left then, or missing. */
export function balancePart(frame: Frame, balance: PlanBalance, currency: string): Html {
  const { newCampaign: words } = frame.words;
  const { creditMicro, beforeMicro, upperMicro, leftMicro, unpriced } = balance;
  const heading = html`<section aria-labelledby="money"><h2 id="money">${words.balance}</h2>`;
  if (creditMicro === null || upperMicro === null || leftMicro === null)
    return html`${heading}<p>${creditMicro === null ? words.balanceNot : words.priceNot}</p></section>`;
  return html`${heading}
<table class="sum"><caption class="hear">${words.balanceCaption(currency)}</caption>
${line(words.balanceNow, creditMicro)}
${beforeMicro > 0 && line(words.minusPlanned, beforeMicro)}
${line(words.minusThis, upperMicro)}
${lastLine(frame, currency, leftMicro)}</table>
${balance.before.length > 0 && plannedList(frame, balance)}
${unpriced > 0 && html`<p class="warn">${words.plannedUnpriced(whole(unpriced))}</p>`}
${leftMicro < 0 && html`<p>${words.balancePauses}</p>`}</section>`;
}

function plannedList(frame: Frame, { before, more, beforeMicro }: PlanBalance): Html {
  const { newCampaign: words, common } = frame.words;
  return html`<details><summary>${words.plannedBefore}</summary>
<table class="sum"><caption class="hear">${words.plannedBefore}</caption>
${before.map(({ campaign, at, costMicro }) => {
  const when = at === null ? words.plannedNow : timeWords(frame, at, campaign.zone);
  return line(html`<a href="/campaigns/${campaign.id}">${campaign.name}</a>, ${when}`, costMicro ?? 0);
})}${more.count > 0 && line(words.plannedOthers, more.costMicro)}
${line(common.all, beforeMicro, 'total')}</table></details>`;
}

function lastLine({ words: { newCampaign: words } }: Frame, currency: string, after: MoneyMicro): Html {
  if (after >= 0) return line(words.balanceAfter, after, 'total');
  return line(`${words.balanceMissing}, ${currency}`, -after, 'total warn');
}

function line(words: string | Html, amount: MoneyMicro, look = ''): Html {
  return html`<tr class="${look}"><th scope="row">${words}</th><td class="n">${grouped(formatMoney(amount))}</td></tr>
`;
}
