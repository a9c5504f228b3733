import { whole } from '../../../domain/money.ts';
import { letters, printableLine } from '../../../domain/text/printable.ts';
import { legalOrder } from '../../../campaign/operator/legal-orders.ts';
import type { FailureGroup } from '../../../reports/failures.ts';
import type { Frame } from '../../frame.ts';
import { inEnglish } from '../../views/english.ts';
import { html, type Html } from '../../views/html.ts';
import { isAllowed } from '../../who.ts';
import { fileLink } from './file-link.ts';
import type { CampaignNow } from './campaign-now.ts';

/** Failures by reason, whether a retry helps, and what can be done. They come to all that failed. */
export function failuresView(frame: Frame, now: CampaignNow): Html {
  const { campaign: words } = frame.words;
  const { failures } = now;
  const all = failures.reduce((sum, { messages }) => sum + messages, 0);
  if (all === 0) return html`<section id="live-failed" hidden></section>`;
  return html`<section id="live-failed" aria-labelledby="failed"><h2 id="failed">${words.failedTitle(whole(all))}</h2>
<table class="stack" role="table"><caption class="hear">${words.failures}</caption>
<thead role="rowgroup"><tr role="row"><th scope="col" role="columnheader">${words.whyHeading}</th><th scope="col" role="columnheader" class="full">${words.networkSaid}</th><th scope="col" role="columnheader" class="n">${words.people}</th><th scope="col" role="columnheader">${words.helps}</th><td role="cell"></td></tr></thead>
<tbody role="rowgroup">
${failures.map((group) => rowOf(frame, now, group))}<tr role="row" class="total"><th scope="row" role="rowheader">${words.allSteps}</th><td role="cell" class="full" data-label="${words.networkSaid}"></td><td role="cell" class="n" data-label="${words.people}">${whole(all)}</td><td role="cell" data-label="${words.helps}"></td><td role="cell" class="full bare"></td></tr>
</tbody></table></section>`;
}

function rowOf(frame: Frame, now: CampaignNow, group: FailureGroup): Html {
  const { campaign: words } = frame.words;
  const { kind, reason, words: said, messages, retryHelps } = group;
  const helps = retryHelps ? words.helpsYes : kind === 'undelivered' ? words.helpsLater : words.helpsNo;
  const saysMore = said !== null && letters(said) !== letters(reason);
  return html`<tr role="row"><th scope="row" role="rowheader">${reason === '' ? words.noReason : inEnglish(frame, printableLine(reason))}<small>${words[kind]}</small></th><td role="cell" class="full" data-label="${words.networkSaid}">${saysMore && html`<q>${inEnglish(frame, printableLine(said))}</q>`}</td><td role="cell" class="n" data-label="${words.people}">${whole(messages)}</td><td role="cell" data-label="${words.helps}">${helps}</td><td role="cell" class="full bare">${actionOf(frame, now, group)}</td></tr>
`;
}

/** A retry where it helps, else the list of these people for who may have it. */
function actionOf(
  frame: Frame,
  now: CampaignNow,
  { kind, reason, messages, retryHelps }: FailureGroup,
): Html | null {
  const { campaign: words } = frame.words;
  if (!isAllowed(frame.who, 'operator')) return null;
  const { id } = now.overview.campaign;
  if (retryHelps && legalOrder(now.orders, 'retry') !== null)
    return html`<a class="button" href="/campaigns/${id}/retry?reason=${encodeURIComponent(reason)}">${words.retryGroup(whole(messages))}</a>`;
  const list = { file: 'contacts.csv', state: kind, reason, words: words.listOf(whole(messages)) } as const;
  return fileLink(now.overview, list);
}
