import type { Archive } from './archive.ts';
import { type NumberFormat, numberFormat } from './shown.ts';
import { attribute, readTags } from './tags.ts';

/* What a workbook says about its sheets: their names, the number formats, and the texts that they share. */

/** A sheet as a person sees it in the row of tabs. */
export interface Sheet {
  name: string;
  /** The part with its rows. */
  part: string;
  isVisible: boolean;
}

/** The workbook without its rows. */
export interface WorkbookFacts {
  sheets: Sheet[];
  /** By the number of a cell's style; a style that is not there shows numbers in full. */
  formats: NumberFormat[];
  texts: SharedTexts;
}

/** More sheets than a person opens; each is a line of the list. */
const SHEETS_MAX = 10_000;
const FORMATS_MAX = 65_536;
const LIST = 'xl/workbook.xml';

/** Reads everything but the rows. Throws an Error with a sentence. */
export async function workbookFacts(archive: Archive): Promise<WorkbookFacts> {
  const list = await mainPart(archive);
  const targets = await relations(archive, list);
  const { sheets, date1904 } = await sheetList(archive, list, targets);
  const partOf = (type: string) => [...targets.values()].find((each) => each.type.endsWith(`/${type}`))?.part;
  const [styles = '', shared = ''] = [partOf('styles'), partOf('sharedStrings')];
  return {
    sheets,
    formats: await formatsOf(archive, styles, date1904),
    texts: await SharedTexts.read(archive, shared),
  };
}

interface Target {
  type: string;
  part: string;
}

async function mainPart(archive: Archive): Promise<string> {
  const targets = await relations(archive, '');
  const main = [...targets.values()].find(({ type }) => type.endsWith('/officeDocument'))?.part ?? LIST;
  if (!archive.has(main)) throw new Error('it has no list of sheets');
  if (main.endsWith('.bin')) throw new Error('it is a binary one (.xlsb)');
  return main;
}

/** What a part refers to, by the ids that it uses. */
async function relations(archive: Archive, part: string): Promise<Map<string, Target>> {
  const slash = part.lastIndexOf('/') + 1;
  const [folder, name] = [part.slice(0, slash), part.slice(slash)];
  const targets = new Map<string, Target>();
  await readTags(archive.pieces(`${folder}_rels/${name}.rels`), {
    open(tagName, tag) {
      if (tagName !== 'Relationship' || targets.size > SHEETS_MAX) return;
      const target = new URL(attribute(tag, 'Target') ?? '', `zip:///${folder}`).pathname.slice(1);
      targets.set(attribute(tag, 'Id') ?? '', {
        type: attribute(tag, 'Type') ?? '',
        part: decodeURI(target),
      });
    },
    close: () => undefined,
    text: () => undefined,
  });
  return targets;
}

async function sheetList(
  archive: Archive,
  list: string,
  targets: ReadonlyMap<string, Target>,
): Promise<{ sheets: Sheet[]; date1904: boolean }> {
  const sheets: Sheet[] = [];
  let date1904 = false;
  await readTags(archive.pieces(list), {
    open(name, tag) {
      if (name === 'workbookPr') date1904 = isOn(attribute(tag, 'date1904'));
      if (name === 'sheet' && sheets.length < SHEETS_MAX) sheets.push(sheetOf(tag, targets));
    },
    close: () => undefined,
    text: () => undefined,
  });
  return { sheets, date1904 };
}

function sheetOf(tag: string, targets: ReadonlyMap<string, Target>): Sheet {
  const id = /\s\w*:id\s*=\s*["']([^"']*)["']/.exec(tag)?.[1] ?? '';
  const isVisible = !/hidden$/i.test(attribute(tag, 'state') ?? '');
  return { name: attribute(tag, 'name') ?? '', part: targets.get(id)?.part ?? '', isVisible };
}

async function formatsOf(archive: Archive, styles: string, date1904: boolean): Promise<NumberFormat[]> {
  const codes = new Map<number, string>();
  const ids: number[] = [];
  let inCells = false;
  await readTags(archive.pieces(styles), {
    open(name, tag) {
      if (name === 'cellXfs') inCells = true;
      if (codes.size + ids.length > FORMATS_MAX) throw new Error('it has too many number formats');
      const id = Number(attribute(tag, 'numFmtId') ?? 0);
      if (name === 'numFmt') codes.set(id, attribute(tag, 'formatCode') ?? '');
      if (name === 'xf' && inCells) ids.push(id);
    },
    close(name) {
      if (name === 'cellXfs') inCells = false;
    },
    text: () => undefined,
  });
  const known = new Map<number, NumberFormat>();
  return ids.map((id) => {
    const found = known.get(id) ?? numberFormat({ id, code: codes.get(id) ?? null }, date1904);
    known.set(id, found);
    return found;
  });
}

/** Whether an attribute of XML means yes. */
export function isOn(value: string | null): boolean {
  return value === '1' || value === 'true';
}

/** The texts that cells share stand in blocks of this size, because a block that grows would be there twice. */
const BLOCK_BYTES = 1024 * 1024;
const BLOCKS_MAX = 192;
const FIRST_TEXTS = 4 * 1024;
/** The kept part of one text: a longer cell makes its row invalid. */
export const TEXT_KEPT_CHARACTERS = 8 * 1024;

/** The texts that cells share, as bytes, because millions of strings would take ten times as much. */
export class SharedTexts {
  readonly #blocks: Buffer[] = [];
  #used = BLOCK_BYTES;
  #starts = new Uint32Array(FIRST_TEXTS);
  #lengths = new Uint16Array(FIRST_TEXTS);
  #count = 0;

  /** Reads the part with the texts; without a part there are none. */
  static async read(archive: Archive, part: string): Promise<SharedTexts> {
    const texts = new SharedTexts();
    const reading = new TextReading();
    await readTags(archive.pieces(part), {
      open: (name) => {
        if (name === 'si') reading.begin();
        reading.open(name);
      },
      close: (name) => {
        reading.close(name);
        if (name === 'si') texts.#add(reading.taken);
      },
      text: (text) => reading.text(text),
    });
    return texts;
  }

  /** The text of this number; empty where there is none. */
  at(index: number): string {
    if (!(index >= 0 && index < this.#count)) return '';
    const start = this.#starts[index] ?? 0;
    const from = start % BLOCK_BYTES;
    const block = this.#blocks[(start - from) / BLOCK_BYTES];
    return block?.toString('utf8', from, from + (this.#lengths[index] ?? 0)) ?? '';
  }

  #add(text: string): void {
    const length = Buffer.byteLength(text);
    if (this.#used + length > BLOCK_BYTES) this.#beginBlock();
    if (this.#count === this.#starts.length) this.#makeRoom();
    this.#blocks.at(-1)?.write(text, this.#used);
    this.#starts[this.#count] = (this.#blocks.length - 1) * BLOCK_BYTES + this.#used;
    this.#lengths[this.#count] = length;
    this.#count += 1;
    this.#used += length;
  }

  #beginBlock(): void {
    if (this.#blocks.length === BLOCKS_MAX)
      throw new Error(`the texts of its cells have more than ${BLOCKS_MAX} MB`);
    this.#blocks.push(Buffer.allocUnsafeSlow(BLOCK_BYTES));
    this.#used = 0;
  }

  #makeRoom(): void {
    const [starts, lengths] = [new Uint32Array(this.#count * 2), new Uint16Array(this.#count * 2)];
    starts.set(this.#starts);
    lengths.set(this.#lengths);
    [this.#starts, this.#lengths] = [starts, lengths];
  }
}

/** The text of a cell, of one run or several. The reading of Japanese words above it is no part of it. */
export class TextReading {
  /** The text so far; cut where it is far too long. */
  taken = '';
  #inText = false;
  #inReading = false;

  begin(): void {
    this.taken = '';
  }

  open(name: string): void {
    if (name === 't') this.#inText = true;
    else if (name === 'rPh') this.#inReading = true;
  }

  close(name: string): void {
    if (name === 't') this.#inText = false;
    else if (name === 'rPh') this.#inReading = false;
  }

  text(text: string): void {
    if (!this.#inText || this.#inReading || this.taken.length >= TEXT_KEPT_CHARACTERS) return;
    this.taken = (this.taken + text).slice(0, TEXT_KEPT_CHARACTERS);
  }
}
