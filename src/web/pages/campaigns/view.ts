import { totalOf } from '../../../domain/message.ts';
import { formatMoney, grouped, whole } from '../../../domain/money.ts';
import type { CampaignOverview } from '../../../ledger/reader.ts';
import type { Frame } from '../../frame.ts';
import { html, type Html } from '../../views/html.ts';
import { stateOf } from '../../views/state.ts';
import { timeOf } from '../../views/time.ts';

/** The list of campaigns. */
export function campaignsView(frame: Frame, overviews: readonly CampaignOverview[]): Html {
  const { campaigns: words } = frame.words;
  const heading = html`<header class="head"><div><h1>${words.title}</h1></div></header>`;
  if (overviews.length === 0)
    return html`${heading}
<section class="text"><h2>${words.none}</h2><p>${words.noneHelp}</p></section>`;
  return html`${heading}
<table class="stack" role="table">
<caption class="hear">${words.caption}</caption>
<thead role="rowgroup"><tr role="row"><th scope="col" role="columnheader">${words.campaign}</th><th scope="col" role="columnheader" class="bare">${words.state}</th><th scope="col" role="columnheader" class="bare">${words.when}</th><th scope="col" role="columnheader" class="progress full bare">${words.sent}</th><th scope="col" role="columnheader" class="n">${words.spent(frame.currency)}</th></tr></thead>
<tbody role="rowgroup">
${overviews.map((overview) => rowOf(frame, overview))}</tbody>
</table>`;
}

function rowOf(frame: Frame, overview: CampaignOverview): Html {
  const { campaign, state, messages, spentMicro } = overview;
  const { campaigns: words } = frame.words;
  const all = totalOf(overview);
  const at = overview.startedAt ?? campaign.startAt ?? campaign.createdAt;
  return html`<tr role="row"><th scope="row" role="rowheader"><a href="/campaigns/${campaign.id}">${campaign.name}</a></th><td role="cell" class="bare" data-label="${words.state}">${stateOf(state, frame.words)}</td><td role="cell" class="bare" data-label="${words.when}">${timeOf(frame, at, campaign.settings.zone)}</td><td role="cell" class="progress full bare" data-label="${words.sent}">${words.sentOf(whole(messages.sent), whole(all))}<progress value="${messages.sent}" max="${Math.max(1, all)}" aria-label="${words.sent}"></progress></td><td role="cell" class="n" data-label="${words.spent(frame.currency)}">${grouped(formatMoney(spentMicro))}</td></tr>
`;
}
