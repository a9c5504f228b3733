import { type FieldIndex } from './template-fields.ts';
import { type WordSettings, type WordTag, wordTag } from './template-words.ts';
import { splitTemplate, templateInvalid, type TemplatePiece, type TemplateSource } from './template-tags.ts';

/** A value of the program under an internal name (`f0`), so that no outside name reaches Handlebars. */
export interface Slot {
  id: string;
  /** Index of the cell in a row. */
  column: number;
  /** The field as the template first names it. */
  label: string;
  /** The replacement of a blank cell: a default, or '' in a condition; null: the row lacks a field. */
  blank: string | null;
  /** Writes the cell as a date or an amount; null: as it stands. */
  write: WordTag['write'];
}

/** A template translated into the small part of Handlebars that is allowed, with the values it needs. */
export interface TemplateProgram {
  handlebars: string;
  slots: Slot[];
}

/** The value for an opening brace, which would otherwise join the braces of a tag. */
export const OPEN_BRACE = 'open';
/** The value for a closing brace. */
export const CLOSE_BRACE = 'close';

type BlockName = 'if' | 'unless';
interface OpenBlock {
  name: BlockName;
  offset: number;
  hasElse: boolean;
}

/** Reads a template into a program. Throws `template_invalid` except for fields, `#if`, `else`, `#unless`. */
export function readProgram(
  template: TemplateSource,
  fields: FieldIndex,
  words: WordSettings,
): TemplateProgram {
  const writer = new ProgramWriter(template, fields, words);
  for (const piece of splitTemplate(template)) {
    if (piece.kind === 'tag') writer.tag(piece);
    else writer.text(piece.text);
  }
  return writer.finish();
}

interface NewSlot extends Omit<Slot, 'id'> {
  kind: 'f' | 'c';
  /** The helper of the tag; empty: none. */
  key: string;
}

class ProgramWriter {
  readonly #template: TemplateSource;
  readonly #fields: FieldIndex;
  readonly #words: WordSettings;
  readonly #slots = new Map<string, Slot>();
  readonly #blocks: OpenBlock[] = [];
  #handlebars = '';

  constructor(template: TemplateSource, fields: FieldIndex, words: WordSettings) {
    this.#template = template;
    this.#fields = fields;
    this.#words = words;
  }

  /** Writes text as it is, line ends as "\n". */
  text(text: string): void {
    let written = text.replaceAll(/\r\n?/g, '\n');
    if (written.endsWith('{')) written = `${written.slice(0, -1)}{{${OPEN_BRACE}}}`;
    if (written.startsWith('}')) written = `{{${CLOSE_BRACE}}}${written.slice(1)}`;
    this.#handlebars += written;
  }

  tag({ text, offset }: TemplatePiece): void {
    const words = text.trim();
    const opened = /^#\s*(if|unless)\s+(.+)$/u.exec(words);
    const closed = /^\/\s*(if|unless)$/u.exec(words);
    if (words === 'else') this.#else(offset);
    else if (opened !== null) this.#open(opened, offset);
    else if (closed !== null) this.#close(closed[1] as BlockName, offset);
    else this.#field(words, offset);
  }

  finish(): TemplateProgram {
    const open = this.#blocks.at(-1);
    if (open !== undefined) {
      throw this.#invalid(open.offset, {
        message: `This \`#${open.name}\` is never closed`,
        hint: `Write {{/${open.name}}} where it ends.`,
      });
    }
    // Editors end the last line, which would add a character to every message.
    const handlebars = this.#handlebars.replace(/(?<!\n)\n+$/u, '');
    return { handlebars, slots: [...this.#slots.values()] };
  }

  #open([, name, field = '']: RegExpExecArray, offset: number): void {
    this.#handlebars += `{{#${name} ${this.#condition(field, offset)}}}`;
    this.#blocks.push({ name: name as BlockName, offset, hasElse: false });
  }

  #else(offset: number): void {
    const block = this.#blocks.at(-1);
    if (block === undefined || block.hasElse) {
      throw this.#invalid(offset, {
        message: block === undefined ? 'This `else` is outside of a block' : 'A block has one `else`',
        hint: 'Write {{#if field}} … {{else}} … {{/if}}. A column called else is written {{[else]}}.',
      });
    }
    block.hasElse = true;
    this.#handlebars += '{{else}}';
  }

  #close(name: BlockName, offset: number): void {
    const block = this.#blocks.pop();
    if (block?.name !== name) {
      throw this.#invalid(offset, {
        message: `This \`/${name}\` closes ${block === undefined ? 'nothing' : `a \`#${block.name}\``}`,
        hint: block === undefined ? 'Remove it.' : `Write {{/${block.name}}} here.`,
      });
    }
    this.#handlebars += `{{/${name}}}`;
  }

  #field(words: string, offset: number): void {
    const tag = this.#wordTag(words, offset);
    const field = tag?.field ?? words;
    const { name, fallback, column } = this.#fieldAndDefault(field, offset);
    const { write = null, key = '' } = tag ?? {};
    const slot = this.#slot({ kind: 'f', column, label: name, blank: fallback, write, key });
    this.#handlebars += `{{${slot}}}`;
  }

  /** `date` and `money` before a field; a column of that whole name goes first. */
  #wordTag(words: string, offset: number): WordTag | null {
    if (this.#fields.find(words).found) return null;
    const [helped = '', ...rest] = words.split('|');
    const tag = wordTag(helped.trim(), this.#words);
    if (tag === null) return null;
    if (tag.write !== null) return { ...tag, field: [tag.field, ...rest].join(' | ') };
    throw this.#invalid(offset, {
      message: 'This is no form of a date',
      hint: 'Write it with d, M, MMMM, EEEE and yyyy, such as <<date due "EEEE d MMMM yyyy">>.',
    });
  }

  #fieldAndDefault(words: string, offset: number): { name: string; fallback: string | null; column: number } {
    const bar = words.indexOf('|');
    if (bar === -1 || this.#fields.find(words).found) {
      return { name: words, fallback: null, column: this.#column(words, offset) };
    }
    const name = words.slice(0, bar).trim();
    return { name, fallback: words.slice(bar + 1).trim(), column: this.#column(name, offset) };
  }

  #condition(field: string, offset: number): string {
    return this.#slot({
      kind: 'c',
      column: this.#column(field, offset),
      label: field,
      blank: '',
      write: null,
      key: '',
    });
  }

  /** A name between brackets, as in Handlebars, is only a name. */
  #column(name: string, offset: number): number {
    const asWritten = this.#fields.find(name);
    const bracketed = /^\[(.+)\]$/u.exec(name);
    const field = asWritten.found || bracketed === null ? asWritten : this.#fields.find(bracketed[1] ?? '');
    if (field.found) return field.column;
    throw this.#invalid(offset, notAllowed(name) ?? field);
  }

  #slot({ kind, column, label, blank, write, key: tag }: NewSlot): string {
    const key = `${kind}${column}|${blank ?? ''}|${blank === null}|${tag}`;
    const known = this.#slots.get(key);
    if (known !== undefined) return known.id;
    const id = `${kind}${this.#slots.size}`;
    this.#slots.set(key, { id, column, label, blank, write });
    return id;
  }

  #invalid(offset: number, facts: { message: string; hint: string }) {
    return templateInvalid(this.#template, offset, { message: facts.message, hint: facts.hint });
  }
}

const NOT_ALLOWED: readonly (readonly [RegExp, string])[] = [
  [/^#?>/u, 'Partials'],
  [/^!/u, 'Comments'],
  [/^&/u, 'Unescaped fields'],
  [/^#?\*/u, 'Decorators'],
  [/^~|~$/u, 'Marks that cut white space'],
  [/^[#^/]/u, 'Blocks other than #if and #unless'],
  [/^else\s/u, 'Chains of `else if`'],
  [/\(/u, 'Expressions in parentheses'],
  [/=/u, 'Arguments'],
  [/^@|^this\b|\.\.|[./]/u, 'Paths'],
];

/** The Handlebars feature that an unknown name probably means; null: it is just a name. */
function notAllowed(name: string): { message: string; hint: string } | null {
  const found = NOT_ALLOWED.find(([pattern]) => pattern.test(name));
  if (found === undefined) return null;
  return {
    message: `${found[1]} are not allowed in a template`,
    hint: 'A template may use fields, {{#if field}}, {{else}}, {{#unless field}}, <<field | default>>, <<date field>> and <<money field>>.',
  };
}
