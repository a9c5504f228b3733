import type {
  ContactsLook,
  KeptContacts,
  Preparation,
  RowsJudged,
} from '../../../campaign/prepare/preparation.ts';
import { whole } from '../../../domain/money.ts';
import { maskText } from '../../../domain/text/mask.ts';
import type { Frame } from '../../frame.ts';
import { html, type Content, type Html } from '../../views/html.ts';
import { icon } from '../../views/icons.ts';
import { errorSummary, notice, type FieldError } from '../../views/notice.ts';
import { timeWords } from '../../views/time.ts';
import type { ContactsValues } from './contacts-form.ts';
import { inputField, optionsOf, selectField } from './fields.ts';
import { rejectedRows, rejectsLink } from './rejected-rows.ts';
import { problemParts, type ShownError } from '../../views/problem.ts';
import { addressOf, NEW_CAMPAIGN, stepHeader } from './steps.ts';

/** What the first step shows. */
export interface ContactsPage {
  /** Null: nothing is kept yet. */
  preparation: Preparation | null;
  values: ContactsValues;
  errors: readonly FieldError[];
  /** The first rows; null: there are no contacts, or they cannot be read. */
  look: ContactsLook | null;
  /** Which rows can get it; null: it is not known before the plan. */
  judged: RowsJudged | null;
  /** Why the contacts cannot be read; null: they can. */
  unreadable: Content;
  /** What it can begin from: a value of the field `from`, and its words. */
  sources: readonly (readonly [value: string, words: string])[];
}

/** The first step: the name, the kind, the file, and what its columns are. */
export function contactsView(frame: Frame, page: ContactsPage): Html {
  const { preparation, errors, look, unreadable } = page;
  const { newCampaign: words } = frame.words;
  const action = preparation === null ? NEW_CAMPAIGN : addressOf(preparation.id, 'contacts');
  // The fields of a file form come one by one, and the token has to be known before the file.
  return html`${stepHeader(frame, preparation, 'contacts')}
${errorSummary(frame, errors)}
<form class="form" data-keeps action="${action}?_csrf=${encodeURIComponent(frame.csrf)}" method="post" enctype="multipart/form-data">
<input type="hidden" name="revision" value="${preparation?.revision ?? ''}">
<div class="two">
<div class="form">${nameField(frame, page)}
${kindField(frame, page)}</div>
<div class="form">${fileField(frame, page)}
${sheetFields(frame, page)}
${page.sources.length > 0 && sourceField(frame, page)}</div>
</div>
${unreadable}
${look !== null && columnsPart(frame, { ...page, look })}
${preparation !== null && rejectedPart(frame, preparation, page.judged)}
<div class="actions"><button class="primary" name="do" value="next">${words.toMessage}</button>
<a href="/campaigns">${words.later}</a></div>
</form>
${preparation !== null && discardPart(frame, preparation)}`;
}

function nameField({ words: { newCampaign: words } }: Frame, { values, errors }: ContactsPage): Html {
  const more = html` autocomplete="off" maxlength="64" required`;
  const parts = { id: 'name', label: words.name, hint: words.nameHint, errors };
  return inputField({ ...parts, value: values.name, width: 'w3', more });
}

function kindField({ words: { newCampaign: words } }: Frame, { values, errors }: ContactsPage): Html {
  const wrong = errors.find(({ field }) => field === 'promotional');
  return html`<fieldset${wrong && html` class="wrong"`}>
<legend>${words.kind}</legend>
${wrong && html`<p class="error">${wrong.message}</p>`}
${(['promotional', 'transactional'] as const).map((kind) => {
  const { name, note, hint } = words.kinds[kind];
  return html`<div class="choice"><input id="${kind}" type="radio" name="kind" value="${kind}"${values.kind === kind && html` checked`} aria-describedby="${kind}-hint" required><label for="${kind}"><b>${name}</b> ${note}</label><p class="hint" id="${kind}-hint">${hint}</p></div>
`;
})}</fieldset>`;
}

function fileField(frame: Frame, { preparation, errors }: ContactsPage): Html {
  const { newCampaign: words } = frame.words;
  const wrong = errors.find(({ field }) => field === 'contacts');
  const kept = preparation?.contacts ?? null;
  return html`<div${wrong && html` class="wrong"`}>
<label for="contacts">${words.contacts}</label>
<p class="hint" id="contacts-hint">${words.contactsHint}</p>
${wrong && html`<p class="error" id="contacts-error">${wrong.message}</p>`}
<input id="contacts" name="contacts" type="file" accept=".csv,.txt,.xlsx" aria-describedby="contacts-hint${wrong && ' contacts-error'}">
${kept !== null && keptFile(frame, kept)}
<p class="actions"><button name="do" value="upload" formnovalidate>${words.upload}</button></p>
</div>`;
}

function keptFile(frame: Frame, { name, bytes, at }: KeptContacts): Html {
  const { newCampaign: words } = frame.words;
  const received = timeWords(frame, at, frame.zone);
  return html`<p class="hint">${icon('done')} <b>${name}</b>, ${words.contactsKept(sizeOf(bytes), received)}</p>`;
}

function sizeOf(bytes: number): string {
  if (bytes < 1_000) return `${bytes} B`;
  return bytes < 1_000_000 ? `${Math.round(bytes / 1_000)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`;
}

function sheetFields(
  { words: { newCampaign: words } }: Frame,
  { look, values, errors, preparation }: ContactsPage,
) {
  if (preparation?.contacts == null) return null;
  const sheets = look?.sheets ?? null;
  const options = (sheets ?? []).map((name) => [name, name] as const);
  return html`<div class="row">
${sheets !== null && selectField({ id: 'sheet', label: words.sheet, errors, value: values.sheet, options })}
${inputField({
  id: 'header',
  label: words.headerLine,
  errors,
  value: values.header,
  width: 'w1',
  type: 'number',
  more: html` inputmode="numeric" min="1" max="1000"`,
})}
<button name="do" value="read" formnovalidate>${words.readAgain}</button>
</div>`;
}

function sourceField({ words: { newCampaign: words } }: Frame, { sources, errors }: ContactsPage): Html {
  const options = [['', words.fromNothing] as const, ...sources];
  return html`<details>
<summary>${words.from}</summary>
<div class="row">${selectField({ id: 'from', label: words.fromLabel, errors, value: '', options })}
<button name="do" value="from" formnovalidate>${words.useThem}</button></div>
</details>`;
}

function columnsPart(frame: Frame, page: ContactsPage & { look: ContactsLook }): Html {
  const { look, values, preparation, errors } = page;
  const { newCampaign: words } = frame.words;
  const file = preparation?.contacts?.name ?? '';
  const wrong = errors.find(({ field }) => field === 'column-0');
  return html`<section aria-labelledby="columns"${wrong && html` class="wrong"`}>
<h2 id="columns">${words.columns}</h2>
${wrong && html`<p class="error">${wrong.message}</p>`}
<p>${numbersFound(frame, look)}</p>
<div class="wide" tabindex="0" role="region" aria-label="${words.firstRows}">
<table>
<caption class="hear">${words.firstRowsOf(file)}</caption>
<thead><tr><th scope="col" class="n">${words.line}</th>${look.header.map((name, column) =>
    headingOf(frame, { name, column, use: values.uses[column] ?? 'text' }),
  )}</tr></thead>
<tbody>
${look.rows.map(
  ({ line, cells }) => html`<tr><td class="n">${whole(line)}</td>${look.header.map(
    (_, column) => html`<td>${maskText(cells[column] ?? '')}</td>`,
  )}</tr>
`,
)}</tbody>
</table>
</div>
</section>`;
}

function headingOf(
  { words: { newCampaign: words } }: Frame,
  { name, column, use }: { name: string; column: number; use: string },
): Html {
  const id = `column-${column}`;
  const options = (['text', 'mobile', 'key'] as const).map((each) => [each, words.uses[each]] as const);
  // A column without a name can hold nothing that a text names.
  const shown = name.trim() === '' ? words.noHeading(whole(column + 1)) : maskText(name);
  return html`<th scope="col"><label for="${id}">${shown}</label> <select id="${id}" name="${id}">${optionsOf(options, use)}</select></th>`;
}

function numbersFound({ words: { newCampaign: words } }: Frame, { mobile, header }: ContactsLook): Content {
  if (mobile === null) return words.numbersUnknown;
  const name = header[mobile.column] ?? '';
  return html`${words.numbersAre}<b>${maskText(name)}</b>${words.numbersIn(name, whole(mobile.numbers), whole(mobile.of))}`;
}

/** Which rows can get it: by the plan, which also has the file of the others, else by the list alone. */
function rejectedPart(frame: Frame, { id, plan }: Preparation, judged: RowsJudged | null): Html | null {
  const { newCampaign: words } = frame.words;
  if (plan?.planning !== 'done')
    return judged && usablePart(frame, judged, html`<p>${words.rejectsLater}</p>`);
  const { reasons, rows, rejects } = plan.document;
  const count = reasons.reduce((sum, reason) => sum + reason.count, 0);
  const file = rejects === null ? null : rejectsLink(frame, id, count);
  return usablePart(frame, { read: rows.read, usable: rows.read - count, reasons }, file);
}

function usablePart(
  frame: Frame,
  { read, usable, reasons }: { read: number; usable: number; reasons: Parameters<typeof rejectedRows>[1] },
  below: Html | null,
): Html {
  const { newCampaign: words } = frame.words;
  if (usable === read) return html`<section><h2>${words.allUsable(whole(read))}</h2></section>`;
  const heading = words.rejects(whole(usable), whole(read), whole(read - usable));
  return html`<section aria-labelledby="rejects"><h2 id="rejects">${heading}</h2>
${rejectedRows(frame, reasons)}
${below}
</section>`;
}

function discardPart(frame: Frame, { id, revision }: Preparation): Html {
  const { newCampaign: words } = frame.words;
  return html`<form method="post" action="${addressOf(id, 'discard')}"><input type="hidden" name="_csrf" value="${frame.csrf}"><input type="hidden" name="revision" value="${revision}"><p class="actions"><button class="danger">${words.discard}</button></p></form>`;
}

/** Why the contacts cannot be read. */
export function unreadableNotice(frame: Frame, error: ShownError & { where: string | null }): Html {
  const { newCampaign: words } = frame.words;
  const { title, text } = problemParts(frame, error);
  const place = html`${error.where !== null && html` ${words.planWhere}<code>${error.where}</code>`}`;
  return notice({ look: 'bad', title, text: html`${text}${place}` });
}
