import type { PlanDocument } from '../../../campaign/planning/plan-document.ts';
import { whole } from '../../../domain/money.ts';
import { maskText } from '../../../domain/text/mask.ts';
import type { Frame } from '../../frame.ts';
import { html, type Html } from '../../views/html.ts';
import { countryName } from './moments.ts';
import { addressOf } from './steps.ts';

type Reason = PlanDocument['reasons'][number];

/** The rows that get nothing by their reason, with their sum, and the file of them. */
export function rejectedRows(frame: Frame, id: string, { reasons, rows }: PlanDocument): Html {
  const { newCampaign: words, common } = frame.words;
  const all = rows.duplicate + rows.invalid + rows.suppressed;
  return html`<table class="stack" role="table">
<caption class="hear">${words.rejectsCaption}</caption>
<thead role="rowgroup"><tr role="row"><th scope="col" role="columnheader">${words.whyNot}</th><th scope="col" role="columnheader" class="n">${words.rows}</th><th scope="col" role="columnheader" class="full">${words.lines}</th></tr></thead>
<tbody role="rowgroup">
${reasons.map((reason) => rowOf(frame, reason))}<tr role="row" class="total"><th scope="row" role="rowheader">${common.all}</th><td role="cell" class="n" data-label="${words.rows}">${whole(all)}</td><td role="cell" class="full"></td></tr>
</tbody>
</table>
<p><a href="${addressOf(id, 'rejects')}" download>${words.downloadRejects(whole(all))}</a> ${words.downloadAfter}</p>`;
}

function rowOf(frame: Frame, reason: Reason): Html {
  const { newCampaign: words } = frame.words;
  return html`<tr role="row"><th scope="row" role="rowheader">${reasonWords(frame, reason.reason)}</th><td role="cell" class="n" data-label="${words.rows}">${whole(reason.count)}</td><td role="cell" class="full" data-label="${words.lines}">${linesOf(frame, reason)}</td></tr>
`;
}

/** A reason why a row gets nothing, in the words of the pages. */
export function reasonWords({ language, words: { newCampaign: words } }: Frame, reason: string): string {
  const known = words.reasons[reason];
  if (known !== undefined) return known;
  const [, missing] = /^missing (.+)$/u.exec(reason) ?? [];
  if (missing !== undefined) return words.missingField(maskText(missing));
  const [, country] = /^abroad: ([A-Z]{2})$/.exec(reason) ?? [];
  return country === undefined ? maskText(reason) : words.abroad(countryName(language, country));
}

/** The first lines of a reason, and how many more there are. */
function linesOf({ words: { newCampaign: words } }: Frame, { lines, count }: Reason): string {
  const shown = lines.map(whole).join(', ');
  return count > lines.length ? words.moreLines(shown, whole(count - lines.length)) : shown;
}
