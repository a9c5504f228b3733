import type { Archive } from './archive.ts';
import type { CellText } from './shown.ts';
import { isOn, type Sheet, TextReading, TEXT_KEPT_CHARACTERS, type WorkbookFacts } from './sheets.ts';
import { attribute, tagSteps } from './tags.ts';
import { fullNumber } from './shown.ts';

/** A row of a sheet that has cells. */
export interface SheetRow {
  /** As a person counts, from 1. */
  number: number;
  /** True: a filter or a person hides it. */
  isHidden: boolean;
  /** By column, from 0; a blank cell may be missing. */
  cells: (CellText | undefined)[];
  /** Cells with a date in the order of the computer. */
  localeDates: number;
}

/** The last row of a sheet in a spreadsheet. */
export const LAST_ROW = 1_048_576;
/** XFD. */
const LAST_COLUMN = 16_384;
/** Excel writes what XML cannot hold, such as a control character, by its number. */
const EXCEL_ESCAPE = /_x([0-9A-F]{4})_/gi;

/**
 * The rows of a sheet in their order, some at once. Throws an Error with a sentence for rows and columns that no
 * spreadsheet has.
 */
export async function* sheetRows(
  archive: Archive,
  sheet: Sheet,
  facts: WorkbookFacts,
): AsyncGenerator<{ rows: SheetRow[]; isFiltered: boolean }> {
  const reading = new RowReading(facts);
  for await (const _ of tagSteps(archive.pieces(sheet.part), reading)) {
    yield { rows: reading.rows, isFiltered: reading.isFiltered };
    reading.rows = [];
  }
}

class RowReading {
  /** The rows that are whole. */
  rows: SheetRow[] = [];
  /** True: a filter hides rows. */
  isFiltered = false;
  readonly #facts: WorkbookFacts;
  readonly #inline = new TextReading();
  #row: SheetRow = { number: 0, isHidden: false, cells: [], localeDates: 0 };
  #column = -1;
  #type = '';
  #style = 0;
  #value = '';
  #inValue = false;

  constructor(facts: WorkbookFacts) {
    this.#facts = facts;
  }

  open(name: string, tag: string): void {
    if (name === 'row') this.#begin(tag);
    else if (name === 'c') this.#beginCell(tag);
    else if (name === 'v') this.#inValue = true;
    else if (name === 'filterColumn') this.isFiltered = true;
    this.#inline.open(name);
  }

  text(text: string): void {
    if (this.#inValue && this.#value.length < TEXT_KEPT_CHARACTERS)
      this.#value += text.slice(0, TEXT_KEPT_CHARACTERS);
    this.#inline.text(text);
  }

  close(name: string): void {
    this.#inline.close(name);
    if (name === 'v') this.#inValue = false;
    else if (name === 'c') this.#endCell();
    else if (name === 'row' && this.#row.cells.length > 0) this.rows.push(this.#row);
  }

  #begin(tag: string): void {
    const number = Number(attribute(tag, 'r') ?? this.#row.number + 1);
    if (!(number > this.#row.number))
      throw new Error(`its row ${number} stands behind row ${this.#row.number}`);
    if (number > LAST_ROW) throw new Error(`it has a row ${number}; a sheet ends at row ${LAST_ROW}`);
    this.#row = { number, isHidden: isOn(attribute(tag, 'hidden')), cells: [], localeDates: 0 };
    this.#column = -1;
  }

  #beginCell(tag: string): void {
    const place = attribute(tag, 'r');
    this.#column = place === null ? this.#column + 1 : columnOf(place);
    if (!(this.#column >= 0 && this.#column < LAST_COLUMN))
      throw new Error(`its row ${this.#row.number} has a cell beyond the last column of a sheet`);
    this.#type = attribute(tag, 't') ?? 'n';
    this.#style = Number(attribute(tag, 's') ?? 0);
    this.#value = '';
    this.#inline.begin();
  }

  #endCell(): void {
    const text = this.#textOf();
    if (text.value !== '' || text.shown !== '') this.#row.cells[this.#column] = text;
  }

  #textOf(): CellText {
    const value = this.#value;
    if (this.#type === 'inlineStr') return same(this.#inline.taken);
    if (value === '') return same('');
    if (this.#type === 's') return same(this.#facts.texts.at(Number(value)));
    if (this.#type === 'b') return same(isOn(value) ? 'TRUE' : 'FALSE');
    if (this.#type === 'd') return same(value.replace('T', ' ').replace(/ 00:00:00(?:\.0+)?Z?$/, ''));
    const number = Number(value);
    if (this.#type !== 'n' || !Number.isFinite(number)) return same(value);
    return this.#numberText(number);
  }

  #numberText(number: number): CellText {
    const format = this.#facts.formats[this.#style];
    if (format === undefined) return same(fullNumber(number));
    if (format.isLocaleDate) this.#row.localeDates += 1;
    return format.textOf(number);
  }
}

/** A text as it is, in one line. */
function same(text: string): CellText {
  const line = text.includes('_x')
    ? text.replaceAll(EXCEL_ESCAPE, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
    : text;
  const one = line.replaceAll(/[\r\n]+/g, ' ').replaceAll('\0', '');
  return { value: one, shown: one };
}

/** 27 of "AB12", from 0. */
function columnOf(place: string): number {
  let column = 0;
  for (const letter of place) {
    const value = letter.charCodeAt(0) - 64;
    if (!(value >= 1 && value <= 26) || column > LAST_COLUMN) break;
    column = column * 26 + value;
  }
  return column - 1;
}
