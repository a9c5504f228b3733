import Handlebars from 'handlebars';
import type { RowReason } from '../row-reason.ts';
import { type CellDoubt, doubtOf } from './doubtful-cell.ts';
import { gsmSafe } from './gsm-safe.ts';
import { checkTree } from './template-check.ts';
import { FieldIndex } from './template-fields.ts';
import { CLOSE_BRACE, OPEN_BRACE, readProgram, type Slot, type TemplateProgram } from './template-program.ts';
import { shownOf, valueOf } from './paired-cell.ts';
import type { WordSettings } from './template-words.ts';
import { templateInvalid, type TemplateSource } from './template-tags.ts';

/** A longer template is a mistake, because it has more than 60 segments. */
export const MAX_TEMPLATE_CHARACTERS = 10_000;
/** 255 segments of 67 characters: no SMS can be longer. */
export const MAX_TEXT_CHARACTERS = 17_085;

/** A template, and the format of its rows. */
export interface TemplateOptions extends TemplateSource {
  /** The CSV's header: rows are aligned to it. */
  header: readonly string[];
  /** The job file's `columns`: our name → header name. */
  columns: Readonly<Record<string, string>>;
  /** Replace characters that force UCS-2 by GSM-7 ones (`--gsm`). */
  gsmSafe?: boolean;
  /** How `date` and `money` read and write cells; left out: in English, without a currency. */
  words?: WordSettings;
}

/** Zero-width and direction marks, which come with copied text: people see such a cell as blank. */
const NOTHING_SEEN = /^[\s\p{Cf}]*$/u;

const NO_DOUBTS: DoubtfulCell[] = [];

const PLAIN_WORDS: WordSettings = { language: 'en', currency: '', dateFormat: null };

/** A finished text, or the problem of the row. */
type Rendered = { ok: true; text: string } | { ok: false; reason: RowReason; detail: string };

/** A compiled template. */
export interface Template {
  /** Renders one row: its cells, aligned to the header. */
  render(cells: readonly string[]): Rendered;
  /** The columns that it uses: `helped` by `date` or `money`, else as they are shown. */
  readonly uses: readonly { column: number; helped: boolean }[];
  /** The cells that stand in the text and that nobody should read. */
  doubts(cells: readonly string[]): DoubtfulCell[];
}

/** A cell of a row that is probably not what its field should say. */
export interface DoubtfulCell {
  doubt: CellDoubt;
  /** The field as the template names it. */
  field: string;
  cell: string;
}

/**
 * Compiles a template: Handlebars with fields, `#if`, `else` and `#unless` only. `<<field>>` is `{{field}}`,
 * and `<<field | default>>` has a default. Throws `template_invalid` with the place for anything else, and
 * for a field that the CSV lacks. A rendered text is composed (NFC) and never holds `<<` or `{{`.
 */
export function compileTemplate(options: TemplateOptions): Template {
  checkSource(options);
  const program = readProgram(options, new FieldIndex(options), options.words ?? PLAIN_WORDS);
  const renderer = new Renderer(program, options);
  const uses = program.slots.map(({ column, write }) => ({ column, helped: write !== null }));
  return {
    render: (cells) => renderer.render(cells),
    doubts: (cells) => renderer.doubts(cells),
    uses,
  };
}

function checkSource(options: TemplateOptions): void {
  // A syntax tree instead of a text would run as code (CVE-2026-33937), and types do not hold at run time.
  if (typeof options.source !== 'string') throw new TypeError('A template is a string.');
  if (options.source.trim() === '') {
    throw templateInvalid(options, 0, {
      message: 'The template is empty',
      hint: 'Write the message into it.',
    });
  }
  if (options.source.length > MAX_TEMPLATE_CHARACTERS) {
    throw templateInvalid(options, MAX_TEMPLATE_CHARACTERS, {
      message: `The template has ${options.source.length} characters; ${MAX_TEMPLATE_CHARACTERS} are allowed`,
      hint: 'Is this the right file?',
    });
  }
}

/** Below it no letter and accent stand apart; most texts end here. */
const MAY_BE_APART = /[\u0300-\uffff]/;

class Renderer {
  readonly #slots: readonly Slot[];
  /** The columns of the slots, with the first name of each. */
  readonly #fields: ReadonlyMap<number, string>;
  readonly #gsmSafe: boolean;
  readonly #run: (context: object) => string;
  /** Without a prototype, and shared by all rows, because rendering is synchronous and keeps nothing. */
  readonly #context: Record<string, string>;

  constructor(program: TemplateProgram, options: TemplateOptions) {
    this.#slots = program.slots;
    this.#fields = new Map(program.slots.toReversed().map(({ column, label }) => [column, label]));
    this.#gsmSafe = options.gsmSafe ?? false;
    this.#run = compile(program);
    this.#context = Object.create(null) as Record<string, string>;
    this.#context[OPEN_BRACE] = '{';
    this.#context[CLOSE_BRACE] = '}';
  }

  render(cells: readonly string[]): Rendered {
    const lacking = this.#fill(cells);
    const rendered = this.#run(this.#context);
    // A blank field spoils a row only in the used branch.
    const missing = lacking?.find(({ slot }) => rendered.includes(missingMark(slot)));
    if (missing !== undefined) return missing.problem;
    // A letter and its accent count as one where they are one character.
    const plain = this.#gsmSafe ? gsmSafe(rendered) : rendered;
    const text = MAY_BE_APART.test(plain) ? plain.normalize('NFC') : plain;
    if (text.includes('{{') || text.includes('<<')) return this.#placeholder(cells);
    if (text.length > MAX_TEXT_CHARACTERS) {
      return invalid('text too long', `${text.length} characters; an SMS has at most ${MAX_TEXT_CHARACTERS}`);
    }
    if (text.trim() === '') return invalid('empty text', 'nothing is left to send in this row');
    return { ok: true, text };
  }

  doubts(cells: readonly string[]): DoubtfulCell[] {
    let found: DoubtfulCell[] | null = null;
    for (const [column, field] of this.#fields) {
      const cell = shownOf(cells[column] ?? '');
      const doubt = doubtOf(cell);
      if (doubt !== null) found = [...(found ?? []), { doubt, field, cell }];
    }
    return found ?? NO_DOUBTS;
  }

  /** Puts the row's values into the context; returns the slots without a value. */
  #fill(cells: readonly string[]): Lacking[] | null {
    let lacking: Lacking[] | null = null;
    for (const slot of this.#slots) {
      const cell = cells[slot.column] ?? '';
      const written = wordsOf(slot, (slot.write === null ? shownOf(cell) : valueOf(cell)).trim());
      if (written.ok) this.#context[slot.id] = written.text;
      else {
        this.#context[slot.id] = missingMark(slot);
        lacking = [...(lacking ?? []), { slot, problem: written }];
      }
    }
    return lacking;
  }

  #placeholder(cells: readonly string[]): Rendered {
    const guilty = this.#slots.find((slot) => /<<|\{\{/.test(cells[slot.column] ?? ''));
    const where = guilty === undefined ? 'text' : guilty.label;
    return invalid(
      { code: 'placeholder', field: guilty?.label ?? null },
      `the ${guilty === undefined ? 'rendered text' : `cell of "${where}"`} holds << or {{, which the provider may replace`,
    );
  }
}

/** A slot of a row without a value, and why. */
interface Lacking {
  slot: Slot;
  problem: Extract<Rendered, { ok: false }>;
}

function wordsOf({ label, blank, write }: Slot, value: string): Rendered {
  if (NOTHING_SEEN.test(value)) {
    if (blank !== null) return { ok: true, text: blank };
    const detail = `the cell of "${label}" is blank, or an error such as #N/A, and the template has no default`;
    return invalid({ code: 'missing', field: label }, detail);
  }
  if (write === null) return { ok: true, text: value };
  const written = write(value);
  return written.ok ? written : invalid(written.reason, `the cell of "${label}": ${written.detail}`);
}

/** Marks a blank cell until its use is known: characters for private use, which no text has. */
function missingMark(slot: Slot): string {
  return `\u{e000}${slot.id}\u{e001}`;
}

function invalid(reason: RowReason, detail: string): Lacking['problem'] {
  return { ok: false, reason, detail };
}

/** Compiles a program with an instance of Handlebars that knows only `if` and `unless`. */
function compile(program: TemplateProgram): (context: object) => string {
  const handlebars = Handlebars.create();
  for (const helper of Object.keys(handlebars.helpers)) {
    if (helper !== 'if' && helper !== 'unless') handlebars.unregisterHelper(helper);
  }
  const names = new Set([OPEN_BRACE, CLOSE_BRACE, ...program.slots.map((slot) => slot.id)]);
  checkTree(handlebars.parse(program.handlebars), names);
  const run = handlebars.compile<object>(program.handlebars, {
    noEscape: true,
    strict: true,
    knownHelpersOnly: true,
    data: false,
  });
  // A partial takes the helpers unchanged; otherwise Handlebars wraps them anew for every row.
  const options = { partial: true, helpers: handlebars.helpers as Record<string, () => void> };
  return (context) => run(context, options);
}
