import { csrfField } from './layout.ts';
import type { Frame } from '../frame.ts';
import { html, type Content, type Html } from './html.ts';
import { icon } from './icons.ts';

/** What is so, and what to do about it. */
export interface NoticeContent {
  look: 'info' | 'warn' | 'bad';
  title: string;
  text?: Content;
  /** At most one button or link. */
  action?: Content;
}

/** A notice on a page. */
export function notice({ look, title, text, action }: NoticeContent): Html {
  const shape = look === 'info' ? 'info' : look === 'warn' ? 'warning' : 'error';
  return html`<div class="${look === 'info' ? 'notice' : `notice ${look}`}">${icon(shape)}<div><h2>${title}</h2>
${text !== undefined && text !== null && html`<p>${text}</p>`}
${action !== undefined && action !== null && html`<p class="actions">${action}</p>`}</div></div>`;
}

/** A wrong field: its id and what is wrong, in the words that stand beside the field. It holds no link. */
export interface FieldError {
  field: string;
  message: Content;
}

/** The list of wrong fields above a form, each a link to its field; nothing when none is wrong. */
export function errorSummary({ words }: Pick<Frame, 'words'>, errors: readonly FieldError[]): Html | null {
  if (errors.length === 0) return null;
  return html`<div class="notice bad" role="alert" tabindex="-1" autofocus>${icon('error')}<div><h2>${words.common.problems(errors.length)}</h2>
<ul>${errors.map(({ field, message }) => html`<li><a href="#${field}">${message}</a></li>`)}</ul></div></div>`;
}

/** A form of one button. */
export function buttonForm(
  frame: Frame,
  {
    action,
    words,
    look = '',
    fields = {},
  }: { action: string; words: Content; look?: string; fields?: Readonly<Record<string, string>> },
): Html {
  return html`<form method="post" action="${action}">${csrfField(frame)}${Object.entries(fields).map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`,
  )}<button class="${look}">${words}</button></form>`;
}
