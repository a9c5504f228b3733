/** A part of a page. Only the template tag makes one, so every text in it was escaped. */
export class Html {
  readonly text: string;

  /** Only for texts that are HTML already and hold no word of a stranger. */
  constructor(text: string) {
    this.text = text;
  }
}

/** A value between `${` and `}`: parts stand as they are, all else is escaped; null, undefined and false print nothing. */
export type Content = Html | string | number | null | undefined | false | readonly Content[];

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Makes a part of a page. A value may stand in the text or in a quoted attribute, and nowhere else. */
export function html(strings: TemplateStringsArray, ...values: Content[]): Html {
  let text = strings[0] ?? '';
  for (const [index, value] of values.entries()) text += contentText(value) + (strings[index + 1] ?? '');
  return new Html(text);
}

function contentText(value: Content): string {
  if (value === null || value === undefined || value === false) return '';
  if (value instanceof Html) return value.text;
  if (typeof value === 'number') return String(value);
  if (typeof value === 'string') return value.replace(/[&<>"']/g, (character) => ESCAPES[character] ?? '');
  return value.map(contentText).join('');
}
