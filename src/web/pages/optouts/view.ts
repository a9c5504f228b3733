import { MOST_REASON_CHARS } from '../../../domain/reason.ts';
import type { OptOutRow } from '../../../ledger/contracts/replies.ts';
import type { NumberStanding } from '../../../reports/number-standing.ts';
import type { Frame } from '../../frame.ts';
import { html, type Content, type Html } from '../../views/html.ts';
import { csrfField } from '../../views/layout.ts';
import { errorSummary, type FieldError, notice } from '../../views/notice.ts';
import { coveredNumber, shownNumber, shownText } from '../../views/number.ts';
import { table } from '../../views/table.ts';
import { timeOf } from '../../views/time.ts';
import { isAllowed } from '../../who.ts';

/** A page of all opt-outs. */
export interface OptOutPage {
  rows: readonly (OptOutRow & { address: string })[];
  older: string | null;
  isFirst: boolean;
  /** What was wrong in a form of the page. */
  errors: readonly FieldError[];
  /** What was typed. */
  typed: string;
}

/** All opt-outs, the form to look one up, and that for a list. */
export function optOutsView(frame: Frame, page: OptOutPage): Html {
  const { optouts: words, common } = frame.words;
  const mayChange = isAllowed(frame.who, 'operator');
  return html`<header class="head"><div><h1>${words.title}</h1><p class="soft">${words.intro}</p></div>
${mayChange && html`<a class="button" href="/optouts.csv" download>${words.export}</a>`}</header>
${errorSummary(frame, page.errors)}
<div class="two">
${lookUp(frame, page)}
${mayChange && importForm(frame, page)}
</div>
<section aria-labelledby="all"><h2 id="all">${words.list}</h2>
${page.rows.length === 0 ? html`<p>${words.none}</p>` : list(frame, page)}
<p class="actions">${page.older !== null && html`<a href="${page.older}">${common.older}</a>`}${!page.isFirst && html`<a href="/optouts">${common.newest}</a>`}</p>
</section>`;
}

function lookUp(frame: Frame, { errors, typed }: OptOutPage): Html {
  const { optouts: words } = frame.words;
  const error = errorOf(errors, 'number');
  return html`<section aria-labelledby="look"><h2 id="look">${words.lookUp}</h2>
<form class="form" method="post" action="/optouts">${csrfField(frame)}<div class="${error === null ? '' : 'wrong'}">
<label for="number">${words.number}</label><p class="hint" id="number-hint">${words.numberHint}</p>
${error !== null && html`<p class="error" id="number-error">${error}</p>`}
<div class="row"><input class="w2" id="number" name="number" type="tel" value="${typed}" autocomplete="off" aria-describedby="number-hint${error !== null && ' number-error'}"${error !== null && html` aria-invalid="true"`}><button class="primary">${words.look}</button></div>
</div></form></section>`;
}

function importForm(frame: Frame, { errors }: OptOutPage): Html {
  const { optouts: words } = frame.words;
  const error = errorOf(errors, 'file');
  return html`<section aria-labelledby="import"><h2 id="import">${words.import}</h2>
<form class="form" method="post" action="/optouts/import?_csrf=${frame.csrf}" enctype="multipart/form-data"><div class="${error === null ? '' : 'wrong'}">
<label for="file">${words.file}</label><p class="hint" id="file-hint">${words.importHint}</p>
${error !== null && html`<p class="error" id="file-error">${error}</p>`}
<input id="file" name="file" type="file" accept=".csv,.xlsx" aria-describedby="file-hint">
</div><div class="actions"><button>${words.importNow}</button></div></form></section>`;
}

function errorOf(errors: readonly FieldError[], name: string): Content {
  return errors.find(({ field }) => field === name)?.message ?? null;
}

function list(frame: Frame, { rows }: OptOutPage): Html {
  const { optouts: words } = frame.words;
  return table({
    caption: words.list,
    columns: [words.number, words.why, words.sender, words.since, words.evidence].map((name) => ({ name })),
    rows: rows.map((row) => [
      html`<a href="${row.address}">${coveredNumber(frame, row.mobile)}</a>`,
      ...standingCells(frame, row),
    ]),
  });
}

function standingCells(frame: Frame, { kind, sender, source, at, evidence }: OptOutRow) {
  const { optouts: words } = frame.words;
  return [
    html`${words.kinds[kind]}<small>${words.sources[source]}</small>`,
    sender === '' ? words.everySender : sender,
    timeOf(frame, at, frame.zone),
    evidence === null ? null : shownText(frame, evidence),
  ];
}

/** One number: what holds, how it came to that, and the form that changes it. */
export interface OneNumber {
  standing: NumberStanding;
  /** The addresses of this page and of the number on Find. */
  address: string;
  found: string;
  errors: readonly FieldError[];
  typed: string;
}

/** The page of one number. */
export function oneNumberView(frame: Frame, one: OneNumber): Html {
  const { optouts: words } = frame.words;
  const {
    standing: { mobile, optOuts, history },
    found,
    errors,
  } = one;
  const isFree = optOuts.length === 0;
  return html`<header class="head"><div><p class="crumb"><a href="/optouts">${words.title}</a></p>
<h1>${shownNumber(frame, mobile)}</h1>
<p class="soft"><a href="${found}">${words.messages}</a></p></div></header>
${errorSummary(frame, errors)}
${isFree ? notice({ look: 'info', title: words.free, text: words.freeHelp }) : blocked(frame, optOuts)}
${isAllowed(frame.who, 'operator') && changeForm(frame, one, isFree)}
${history.length > 0 && historyPart(frame, one)}`;
}

function blocked(frame: Frame, optOuts: readonly OptOutRow[]): Html {
  const { optouts: words } = frame.words;
  return html`<section aria-labelledby="blocked"><h2 id="blocked">${words.blocked}</h2>
${table({
  caption: words.blocked,
  columns: [words.since, words.why, words.sender, words.evidence].map((name) => ({ name })),
  rows: optOuts.map((row) => {
    const [why, sender, since, evidence] = standingCells(frame, row);
    return [since, why, sender, evidence];
  }),
})}</section>`;
}

function changeForm(frame: Frame, { address, errors, typed }: OneNumber, isFree: boolean): Html {
  const { optouts: words } = frame.words;
  const error = errorOf(errors, 'reason');
  const [title, help, button, verb] = isFree
    ? [words.add, words.addHelp, words.addNow, 'add']
    : [words.remove, words.removeHelp, words.removeNow, 'remove'];
  return html`<section aria-labelledby="change"><h2 id="change">${title}</h2><p class="text">${help}</p>
<form class="form text" method="post" action="${address}/${verb}">${csrfField(frame)}<div class="${error === null ? '' : 'wrong'}">
<label for="reason">${words.reason}</label><p class="hint" id="reason-hint">${words.reasonHint}</p>
${error !== null && html`<p class="error" id="reason-error">${error}</p>`}
<input class="w3" id="reason" name="reason" value="${typed}" maxlength="${MOST_REASON_CHARS}" autocomplete="off" aria-describedby="reason-hint${error !== null && ' reason-error'}"${error !== null && html` aria-invalid="true"`}>
</div><div class="actions"><button class="primary">${button}</button></div></form></section>`;
}

function historyPart(frame: Frame, { standing: { history } }: OneNumber): Html {
  const { optouts: words } = frame.words;
  return html`<section aria-labelledby="history"><h2 id="history">${words.history}</h2>
${table({
  caption: words.history,
  columns: [words.when, words.what, words.sender, words.source, words.by, words.evidence].map((name) => ({
    name,
  })),
  rows: history.map(({ at, change, sender, source, by, evidence }) => [
    timeOf(frame, at, frame.zone),
    words.changes[change],
    sender === '' ? words.everySender : sender,
    words.sources[source],
    shownText(frame, by),
    evidence === null ? null : shownText(frame, evidence),
  ]),
})}</section>`;
}
