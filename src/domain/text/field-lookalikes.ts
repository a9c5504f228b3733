import { FieldIndex, type FieldNames } from './template-fields.ts';
import { splitTemplate } from './template-tags.ts';

/** The marks of a mail merge, of a spreadsheet and of other senders around a name: also within others, or behind a mere percent sign. */
const MARKED =
  /(?=(\{[^{}\n]{1,64}\}|\[[^[\]\n]{1,64}\]|<[^<>\n]{1,64}>|«[^«»\n]{1,64}»|([%#|])(?:(?!\2)[^\n]){1,64}\2))/g;

/** Names of fields between marks that are none of ours, as they stand in a template: everybody would be sent them so. */
export function fieldLookalikes(source: string, names: FieldNames): string[] {
  const index = new FieldIndex(names);
  const texts = splitTemplate({ source, file: '' }).filter(({ kind }) => kind === 'text');
  const marked = texts.flatMap(({ text }) => [...text.matchAll(MARKED)].map(([, whole = '']) => whole));
  const meant = marked.filter((whole) => index.find(whole.slice(1, -1)).found);
  return [...new Set(meant)];
}
