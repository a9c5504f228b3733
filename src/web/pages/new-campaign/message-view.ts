import type { Preparation } from '../../../campaign/prepare/preparation.ts';
import { MAX_TEMPLATE_CHARACTERS } from '../../../domain/text/template.ts';
import type { Frame } from '../../frame.ts';
import { html, type Html } from '../../views/html.ts';
import { errorSummary, type FieldError } from '../../views/notice.ts';
import { field, inputField, selectField } from './fields.ts';
import type { FieldButton, MessageValues } from './message-form.ts';
import { previewButtons, previewPart, textFacts, type Previewed } from './preview-view.ts';
import { addressOf, stepHeader } from './steps.ts';

/** What the second step shows. */
export interface MessagePage {
  preparation: Preparation;
  values: MessageValues;
  errors: readonly FieldError[];
  /** The columns that can stand in the text. */
  fields: readonly FieldButton[];
  /** The sender of who names none; null: there is none. */
  usualSender: string | null;
  previewed: Previewed;
}

/** The second step: the text, with what a person of the list gets beside it. Enter in a field presses the first button. */
export function messageView(frame: Frame, page: MessagePage): Html {
  const { preparation, errors, previewed } = page;
  const { newCampaign: words, common } = frame.words;
  return html`${stepHeader(frame, preparation, 'message')}
${errorSummary(frame, errors)}
<form class="form" data-keeps action="${addressOf(preparation.id, 'message')}" method="post">
<input type="hidden" name="_csrf" value="${frame.csrf}"><input type="hidden" name="revision" value="${preparation.revision}">
<button name="do" value="preview" hidden formnovalidate>${words.preview}</button>
<div class="two">
<div class="form">
<div class="row">${senderField(frame, page)}
${languageField(frame, page)}</div>
${textField(frame, page)}
<div class="flow" id="text-facts">${textFacts(frame, unsaid(page))}</div>
${page.fields.length > 0 && fieldsPart(frame, page)}
${gsmField(frame, page)}
</div>
<section aria-labelledby="preview-title"><div class="flow" id="preview">${previewPart(frame, preparation.id, previewed)}</div>
${previewed.hasContacts && previewButtons(frame, preparation.id)}</section>
</div>
<div class="actions"><button class="primary" name="do" value="next">${words.toWhen}</button>
<a href="${addressOf(preparation.id, 'contacts')}">${common.back}</a></div>
</form>`;
}

/** What is wrong with the text is not said twice. */
function unsaid({ previewed, errors }: MessagePage): Previewed {
  return errors.some(({ field }) => field === 'text') ? { ...previewed, problem: null } : previewed;
}

function senderField(
  { words: { newCampaign: words } }: Frame,
  { values, errors, usualSender }: MessagePage,
): Html {
  const hint = usualSender === null ? {} : { hint: words.senderHint(usualSender) };
  const more = html` maxlength="20" autocomplete="off"`;
  return inputField({
    id: 'sender',
    label: words.sender,
    ...hint,
    errors,
    value: values.sender,
    width: 'w2',
    more,
  });
}

function languageField(
  { words: { newCampaign: words, common } }: Frame,
  { values, errors }: MessagePage,
): Html {
  const options = [['en', common.english] as const, ['sw', common.swahili] as const];
  return selectField({ id: 'language', label: words.language, errors, value: values.language, options });
}

function textField(frame: Frame, { values, errors, preparation }: MessagePage): Html {
  const { newCampaign: words } = frame.words;
  const live = html` hx-post="${addressOf(preparation.id, 'preview')}" hx-trigger="input delay:400ms" hx-target="#preview" hx-swap="innerHTML"`;
  return field(
    { id: 'text', label: words.text, hint: words.textHint, errors, about: 'text-facts' },
    (tied) =>
      html`<textarea id="text" name="text" rows="6" maxlength="${MAX_TEMPLATE_CHARACTERS}" spellcheck="true"${tied}${live}>
${values.text}</textarea>`,
  );
}

function fieldsPart(frame: Frame, { fields }: MessagePage): Html {
  const { newCampaign: words } = frame.words;
  return html`<div><p class="label" id="fields">${words.putField}</p>
<div class="row" role="group" aria-labelledby="fields">${fields.map(
    (
      each,
    ) => html`<button class="field" name="put" value="${each.put}" formnovalidate>${labelOf(frame, each)}</button>
`,
  )}</div></div>`;
}

function labelOf({ words: { newCampaign: words } }: Frame, { name, look }: FieldButton): string {
  if (look === 'text') return name;
  return look === 'money' ? words.asMoney(name) : words.asDate(name);
}

function gsmField({ words: { newCampaign: words } }: Frame, { values }: MessagePage): Html {
  return html`<div class="choice"><input id="gsm" type="checkbox" name="gsm" value="true"${values.gsm && html` checked`} aria-describedby="gsm-hint"><label for="gsm">${words.gsm}</label><p class="hint" id="gsm-hint">${words.gsmHint}</p></div>`;
}
