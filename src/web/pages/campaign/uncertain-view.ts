import type { Campaign } from '../../../domain/campaign.ts';
import { whole } from '../../../domain/money.ts';
import { printable, shortened } from '../../../domain/text/printable.ts';
import { maskText } from '../../../domain/text/mask.ts';
import { legalOrder } from '../../../campaign/operator/legal-orders.ts';
import type { UncertainRow } from '../../../ledger/contracts/reader.ts';
import type { CreditEvidence } from '../../../reports/credit-evidence.ts';
import type { Frame } from '../../frame.ts';
import { html, type Html } from '../../views/html.ts';
import { notice } from '../../views/notice.ts';
import { coveredNumber, shownNumber } from '../../views/number.ts';
import { timeOf, timeWords } from '../../views/time.ts';
import { isAllowed } from '../../who.ts';
import { moneyOf } from '../../views/amounts.ts';
import type { CampaignOrders } from '../../campaign-orders.ts';
import { type CampaignNow, UNCERTAIN_SHOWN } from './campaign-now.ts';

const MOST_ANSWER = 300;

/** The uncertain messages: what the balance says, the first of them, and the decision. */
export function uncertainView(frame: Frame, now: CampaignNow): Html {
  const { campaign: words } = frame.words;
  const open = openOf(now);
  if (open === 0) return html`<section id="live-uncertain" hidden></section>`;
  const rows = now.uncertain.rows.filter(({ writtenOff }) => !writtenOff);
  const { id } = now.overview.campaign;
  return html`<section id="live-uncertain" aria-labelledby="uncertain"><h2 id="uncertain">${words.uncertainTitle(whole(open))}</h2>
<p class="text">${words.uncertainWhy}</p>
${evidenceNotice(frame, now)}
${uncertainTable(frame, now, { rows: rows.slice(0, UNCERTAIN_SHOWN), raw: false })}
<p><a href="/campaigns/${id}/uncertain">${words.allUncertain(whole(open))}</a></p>
${isAllowed(frame.who, 'operator') && decisions(frame, now)}</section>`;
}

/** Uncertain messages that wait for a decision. */
function openOf({ tallies: { messages } }: CampaignNow): number {
  return messages.uncertain - messages.written_off;
}

/** What the fall of the credit says about them. */
export function evidenceNotice(
  frame: Frame,
  { evidence, overview }: Pick<CampaignNow, 'evidence' | 'overview'>,
): Html | null {
  if (evidence === null || evidence.waiting === 0) return null;
  const { title, text } = evidenceWords(frame, evidence, overview.campaign);
  return notice({ look: 'info', title, text });
}

function evidenceWords(
  { words: { campaign: words } }: Frame,
  { waiting, unexplainedMicro, explains, atStakeMicro }: CreditEvidence,
  campaign: Campaign,
): { title: string; text: string } {
  const stake = moneyOf(campaign, atStakeMicro);
  if (unexplainedMicro === null) return { title: words.balanceHides, text: words.balanceHidesHelp(stake) };
  const fell = moneyOf(campaign, unexplainedMicro);
  if (explains === null) return { title: words.balanceFell(fell), text: words.balanceFellHelp(stake) };
  return {
    title: words.balanceSays(whole(explains), whole(waiting)),
    text: words.balanceSaysHelp(fell, stake),
  };
}

/** A table of uncertain messages. `raw`: with whole answers, and numbers in full for whom it is work. */
export function uncertainTable(
  frame: Frame,
  { overview }: Pick<CampaignNow, 'overview'>,
  { rows, raw }: { rows: readonly UncertainRow[]; raw: boolean },
): Html {
  const { campaign: words } = frame.words;
  const { zone } = overview.campaign.settings;
  return html`<table class="stack" role="table"><caption class="hear">${words.uncertainList}</caption>
<thead role="rowgroup"><tr role="row"><th scope="col" role="columnheader">${words.line}</th><th scope="col" role="columnheader">${words.number}</th><th scope="col" role="columnheader">${words.since}</th><th scope="col" role="columnheader" class="full">${words.happened}</th><th scope="col" role="columnheader" class="full">${words.cameBack}</th></tr></thead>
<tbody role="rowgroup">
${rows.map(
  (
    row,
  ) => html`<tr role="row"><th scope="row" role="rowheader">${raw && !row.writtenOff && isAllowed(frame.who, 'operator') ? html`<a href="/campaigns/${overview.campaign.id}/uncertain/${row.seq}">${frame.words.orders.lineOf(whole(row.line))}</a>` : whole(row.line)}</th><td role="cell" data-label="${words.number}">${raw ? shownNumber(frame, row.mobile) : coveredNumber(frame, row.mobile)}</td><td role="cell" data-label="${words.since}">${timeOf(frame, row.settledAt, zone)}${row.writtenOff && html`<small>${words.closed}</small>`}</td><td role="cell" class="full" data-label="${words.happened}">${row.reason}</td><td role="cell" class="full" data-label="${words.cameBack}">${answerOf(frame, row)}</td></tr>
`,
)}</tbody></table>`;
}

/** An answer as the service wrote it, with covered numbers. */
function answerOf({ words: { campaign: words } }: Frame, { seen }: UncertainRow): Html {
  if (seen === null || (seen.httpStatus === null && seen.raw === null)) return html`${words.nothingBack}`;
  const raw = shortened(
    printable(maskText(seen.raw ?? ''))
      .replace(/\s+/g, ' ')
      .trim(),
    MOST_ANSWER,
  );
  const status = seen.httpStatus === null ? null : html`<code>HTTP ${seen.httpStatus}</code> `;
  return html`${status}${seen.code !== null && html`<code>${printable(seen.code)}</code> `}${raw}`;
}

/** The three decisions about all of them, each with what it does. */
export function decisions(frame: Frame, now: CampaignOrders): Html | null {
  const order = legalOrder(now.orders, 'resolve');
  if (order === null) return null;
  return decisionVerbs(frame, now, { query: '', again: order.again, from: order.from });
}

/** The same about one message. */
export function decisionsOfOne(frame: Frame, now: CampaignOrders, row: UncertainRow): Html {
  const from = row.settledAt + now.resolveAfterMs;
  const isCanceled = now.overview.state === 'canceled';
  const again = isCanceled || from > now.now ? 0 : 1;
  return decisionVerbs(frame, now, {
    query: `&seq=${row.seq}`,
    again,
    from: isCanceled || again > 0 ? null : from,
  });
}

/** `again`: those that may be sent again; `from`: when the others may, in milliseconds. */
interface Decidable {
  query: string;
  again: number;
  from: number | null;
}

function decisionVerbs(frame: Frame, now: CampaignOrders, { query, again, from }: Decidable): Html {
  const { campaign: words } = frame.words;
  const { id, settings } = now.overview.campaign;
  const when = from === null ? null : timeWords(frame, from, settings.zone);
  const at = (decision: string) => `/campaigns/${id}/resolve?decision=${decision}${query}`;
  const sentAgain =
    again > 0
      ? html`<a class="button" href="${at('not_sent')}">${words.notSent}</a><small>${words.notSentDoes(whole(again))}${when !== null && ` ${words.notSentFrom(when)}`}</small>`
      : when !== null && html`<b>${words.notSent}</b><small>${words.notSentNone(when)}</small>`;
  return html`<h3>${words.decideTitle}</h3>
<div class="verbs">
<div><a class="button" href="${at('sent')}">${words.wereSent}</a><small>${words.wereSentDoes}</small></div>
${sentAgain !== false && html`<div>${sentAgain}</div>`}
<div><a class="button" href="${at('write_off')}">${words.close}</a><small>${words.closeDoes}</small></div>
</div>`;
}
