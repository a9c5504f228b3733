import { html, type Content, type Html } from '../../views/html.ts';
import type { FieldError } from '../../views/notice.ts';

/** A field with its label, what helps to fill it in, and what is wrong with it. */
interface FieldParts {
  id: string;
  label: Content;
  hint?: Content;
  errors: readonly FieldError[];
  /** The ids of more texts about it. */
  about?: string;
}

/** A field: label, hint, error, then the control with these attributes. */
export function field(
  { id, label, hint, errors, about = '' }: FieldParts,
  control: (tied: Html) => Html,
): Html {
  const wrong = errors.find((error) => error.field === id);
  const described = [hint !== undefined && `${id}-hint`, wrong && `${id}-error`, about]
    .filter(Boolean)
    .join(' ');
  const tied = html`${described !== '' && html` aria-describedby="${described}"`}${wrong && html` aria-invalid="true"`}`;
  return html`<div${wrong && html` class="wrong"`}><label for="${id}">${label}</label>
${hint !== undefined && html`<p class="hint" id="${id}-hint">${hint}</p>`}
${wrong && html`<p class="error" id="${id}-error">${wrong.message}</p>`}
${control(tied)}</div>`;
}

/** A field of one line. `more`: further attributes. */
export function inputField(
  parts: FieldParts & { value: string; width: 'w1' | 'w2' | 'w3'; type?: string; more?: Html },
): Html {
  const { id, value, width, type = 'text', more } = parts;
  return field(
    parts,
    (tied) =>
      html`<input class="${width}" id="${id}" name="${id}" type="${type}" value="${value}"${tied}${more}>`,
  );
}

/** A field with a menu of values and their words. */
export function selectField(
  parts: FieldParts & {
    value: string;
    options: readonly (readonly [value: string, words: string])[];
    width?: string;
  },
): Html {
  const { id, value, options, width = 'w2' } = parts;
  return field(
    parts,
    (tied) =>
      html`<select class="${width}" id="${id}" name="${id}"${tied}>${optionsOf(options, value)}</select>`,
  );
}

/** The options of a menu. */
export function optionsOf(
  options: readonly (readonly [value: string, words: string])[],
  chosen: string,
): Html[] {
  return options.map(
    ([value, words]) =>
      html`<option value="${value}"${value === chosen && html` selected`}>${words}</option>`,
  );
}
