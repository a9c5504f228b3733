import { erasureCount, isWaiting } from '../../../campaign/maintenance/erase.ts';
import { whole } from '../../../domain/money.ts';
import type { ErasureWaits, PersonTraces } from '../../../ledger/contracts/erase.ts';
import type { Frame } from '../../frame.ts';
import { html, type Html } from '../../views/html.ts';
import { csrfField, type PageContent } from '../../views/layout.ts';
import { errorSummary, type FieldError, notice } from '../../views/notice.ts';
import { shownNumber } from '../../views/number.ts';
import { staysList, wordField } from './purge-view.ts';

/** What the page shows before one person's data goes. */
export interface ErasePage {
  mobile: string;
  /** The number as addresses hold it. */
  sealed: string;
  traces: PersonTraces;
  /** True: the numbers are not those that were shown before. */
  hasChanged: boolean;
  errors: readonly FieldError[];
}

/** What goes, what stays, what must be settled first, and the word to type. */
export function eraseView(frame: Frame, page: ErasePage): PageContent {
  const { removal: words } = frame.words;
  const { mobile, sealed, traces, hasChanged, errors } = page;
  const title = words.eraseTitle;
  const main = html`<header><p class="crumb"><a href="/find/${sealed}">${words.eraseToNumber}</a></p>
<h1>${title}</h1><p class="soft">${shownNumber(frame, mobile)}</p></header>
${hasChanged && notice({ look: 'warn', title: words.changed })}
${errorSummary(frame, errors)}
${isWaiting(traces.waits) && waitsNotice(frame, sealed, traces.waits)}
${whatGoes(frame, traces)}
${staysList(frame, words.eraseStays)}
${!isWaiting(traces.waits) && order(frame, page)}`;
  return { title, main };
}

function waitsNotice(frame: Frame, sealed: string, waits: ErasureWaits): Html {
  const { removal: words } = frame.words;
  const lines = (Object.keys(words.waits) as (keyof ErasureWaits)[])
    .filter((each) => waits[each] > 0)
    .map((each) => html`${words.waits[each](whole(waits[each]))}<br>`);
  const action = html`<a class="button" href="/find/${sealed}">${words.eraseToNumber}</a>`;
  return notice({ look: 'warn', title: words.eraseWaits, text: lines, action });
}

function whatGoes(frame: Frame, traces: PersonTraces): Html {
  const { removal: words } = frame.words;
  const { messages, replies, awaited } = traces;
  const all = erasureCount(traces);
  const row = (name: string, count: number) =>
    html`<th scope="row">${name}</th><td class="n">${whole(count)}</td>`;
  return html`<section class="text flow" aria-labelledby="what"><h2 id="what">${words.willHappen}</h2>
<table class="sum"><caption class="hear">${words.willHappen}</caption><tbody>
<tr>${row(words.eraseMessages, messages)}</tr>
<tr>${row(words.eraseReplies, replies)}</tr>
<tr class="total">${row(words.eraseAll, all)}</tr></tbody></table>
${all === 0 && html`<p>${words.eraseNothing}</p>`}
<p>${words.eraseExports}</p>
${awaited > 0 && html`<p>${words.eraseAwaited(whole(awaited), awaited === 1)}</p>`}</section>`;
}

function order(frame: Frame, { sealed, traces, errors }: ErasePage): Html {
  const { removal: words } = frame.words;
  return html`<form class="form text" method="post" action="/erase/${sealed}">${csrfField(frame)}<input type="hidden" name="shown" value="${erasureCount(traces)}">
<p>${words.noWay}</p>
${wordField(frame, errors)}
<div class="actions"><button class="danger">${words.eraseButton}</button> <a href="/find/${sealed}">${words.keep}</a></div></form>`;
}
