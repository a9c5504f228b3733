import type { Frame } from '../frame.ts';
import { html, type Content, type Html } from './html.ts';
import type { FieldError } from './notice.ts';

/** A field of one line. */
export interface TextField {
  /** Its name and id. */
  name: string;
  label: string;
  hint?: string;
  value: string;
  /** All errors of the form; those of this field stand beside it. */
  errors: readonly FieldError[];
  /** A class of its width; the whole form by default. */
  width?: 'w1' | 'w2' | 'w3';
  required?: boolean;
  inputMode?: 'text' | 'decimal' | 'tel';
}

/** A label, its hint, what is wrong with it, and the field, tied together for who does not see them. */
export function textField({ words }: Pick<Frame, 'words'>, field: TextField): Html {
  const { name, label, hint, value, errors, width = 'w3', required = false, inputMode = 'text' } = field;
  const error = errors.find((each) => each.field === name)?.message ?? null;
  return html`<div${error !== null && html` class="wrong"`}><label for="${name}">${label}</label>
${hint !== undefined && html`<p class="hint" id="${name}-hint">${hint}</p>`}
${error !== null && html`<p class="error" id="${name}-error"><span class="hear">${words.common.problems(1)}: </span>${error}</p>`}
<input class="${width}" id="${name}" name="${name}" value="${value}" inputmode="${inputMode}" autocomplete="off" autocapitalize="none" spellcheck="false"${describedBy(field, error)}${required && html` required`}></div>`;
}

/** Ties a field to its hint and to what is wrong with it. */
function describedBy({ name, hint }: TextField, error: Content): Html {
  const ids = [...(hint === undefined ? [] : [`${name}-hint`]), ...(error === null ? [] : [`${name}-error`])];
  return html`${ids.length > 0 && html` aria-describedby="${ids.join(' ')}"`}${error !== null && html` aria-invalid="true"`}`;
}
