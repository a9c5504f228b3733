import { TumaError } from '../errors.ts';

/** A piece of text, or the inside of one `<<…>>` or `{{…}}`. `offset` counts UTF-16 units of the source. */
export interface TemplatePiece {
  kind: 'text' | 'tag';
  text: string;
  offset: number;
}

/** The origin of a template's text, for the place in an error. */
export interface TemplateSource {
  source: string;
  /** The file as the person named it. */
  file: string;
  /** The file position of a character, from 1, when the source is not the whole file. */
  placeOf?: ((offset: number) => { line: number; column: number }) | undefined;
}

const CLOSING: Readonly<Record<string, string>> = { '<<': '>>', '{{': '}}' };
const NOT_A_TEXT = /[^\P{Cc}\n\r\t\f]|\p{Surrogate}/u;

/** Cuts a template at its tags. Throws `template_invalid` for an open tag and for forbidden characters. */
export function splitTemplate(template: TemplateSource): TemplatePiece[] {
  const { source } = template;
  const pieces: TemplatePiece[] = [];
  let from = 0;
  for (const match of source.matchAll(/<<|\{\{/g)) {
    if (match.index < from) continue;
    pieces.push(textPiece(template, { from, to: match.index }));
    const tag = tagPiece(template, match.index);
    pieces.push(tag);
    from = match.index + tag.text.length + 4;
  }
  pieces.push(textPiece(template, { from, to: source.length }));
  return pieces;
}

function tagPiece(template: TemplateSource, offset: number): TemplatePiece {
  const { source } = template;
  const opening = source.slice(offset, offset + 2);
  const closing = CLOSING[opening] ?? '';
  if (source[offset + 2] === opening[0]) {
    throw templateInvalid(template, offset, {
      message: `\`${opening}${opening[0]}\` is not a field`,
      hint: `Write a field with two signs on each side: ${opening}name${closing}. Nothing is escaped.`,
    });
  }
  const end = source.indexOf(closing, offset + 2);
  const text = source.slice(offset + 2, Math.max(end, 0));
  if (end === -1 || /<<|\{\{|[\n\r]/.test(text)) {
    throw templateInvalid(template, offset, {
      message: `This \`${opening}\` is not closed by a \`${closing}\` on its line`,
      hint: `Close it; a message may not hold \`${opening}\` as text.`,
    });
  }
  return { kind: 'tag', text, offset };
}

function textPiece(template: TemplateSource, range: { from: number; to: number }): TemplatePiece {
  const text = template.source.slice(range.from, range.to);
  const stray = text.indexOf('}}');
  if (stray !== -1) {
    throw templateInvalid(template, range.from + stray, {
      message: 'This `}}` closes nothing',
      hint: 'Open it with `{{`, or remove it.',
    });
  }
  const escape = text.search(/\\\{?$/);
  if (escape !== -1 && range.to < template.source.length) {
    throw templateInvalid(template, range.from + escape, {
      message: 'A backslash before a field would send the braces as they stand',
      hint: 'Remove the backslash, or put a space after it.',
    });
  }
  const control = text.search(NOT_A_TEXT);
  if (control !== -1) {
    throw templateInvalid(template, range.from + control, {
      message: 'A control character or half a character stands here',
      hint: 'Remove it; save the file as UTF-8 text.',
    });
  }
  return { kind: 'text', text, offset: range.from };
}

/** The error at a template's place: `where` is file:line:column, from 1 in the original source. */
export function templateInvalid(
  template: TemplateSource,
  offset: number,
  facts: { message: string; hint: string },
): TumaError {
  const { line, column } = template.placeOf?.(offset) ?? placeIn(template.source, offset);
  return new TumaError('template_invalid', { ...facts, where: `${template.file}:${line}:${column}` });
}

function placeIn(source: string, offset: number): { line: number; column: number } {
  const before = source.slice(0, offset).split(/\r\n|\r|\n/);
  return { line: before.length, column: (before.at(-1) ?? '').length + 1 };
}
