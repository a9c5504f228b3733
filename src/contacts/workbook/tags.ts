/* The tags and texts of a part of a workbook, without holding more than one tag and one piece of text. */

/** What happens at each tag and text, in their order. Names come without a prefix: `x:row` is `row`. */
export interface TagReader {
  /** `tag` is the text between the marks, for `attribute`. A tag that closes itself is followed by `close`. */
  open(name: string, tag: string): void;
  close(name: string): void;
  /** Text with its entities read; one text may come in several pieces. */
  text(text: string): void;
}

/** No tag of a workbook is nearly as long. */
const TAG_MAX_CHARACTERS = 256 * 1024;
const ENTITY = /&(?:#x([0-9a-f]{1,6})|#(\d{1,7})|(amp|lt|gt|quot|apos));/gi;
const ENTITY_MAX_CHARACTERS = 12;
const NAMED: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };
const LAST_CODE_POINT = 0x10_ff_ff;
const CDATA = '<![CDATA[';

/** Reads a part to its end. Throws an Error with a sentence for what no spreadsheet writes. */
export async function readTags(pieces: AsyncIterable<Buffer>, reader: TagReader): Promise<void> {
  for await (const _ of tagSteps(pieces, reader));
}

/** The same, piece by piece: each step is one piece that was read. */
export async function* tagSteps(pieces: AsyncIterable<Buffer>, reader: TagReader): AsyncGenerator<void> {
  const decoder = new TextDecoder();
  let waiting = '';
  for await (const piece of pieces) {
    waiting = takeTags(waiting + decoder.decode(piece, { stream: true }), reader);
    if (waiting.length > TAG_MAX_CHARACTERS) throw new Error('it has a tag without an end');
    yield;
  }
  if (waiting.includes('<')) throw new Error('one of its parts is cut off');
}

/** The value of an attribute; null: the tag has none. A prefix before the name does not count. */
export function attribute(tag: string, name: string): string | null {
  const match = patternOf(name).exec(tag);
  return match === null ? null : unescaped(match[1] ?? match[2] ?? '');
}

const PATTERNS = new Map<string, RegExp>();

function patternOf(name: string): RegExp {
  const known = PATTERNS.get(name) ?? new RegExp(`[\\s:]${name}\\s*=\\s*(?:"([^"]*)"|'([^']*)')`);
  PATTERNS.set(name, known);
  return known;
}

/** Reads what is whole, and returns the rest. */
function takeTags(text: string, reader: TagReader): string {
  let at = 0;
  while (at < text.length) {
    const mark = text.indexOf('<', at);
    if (mark === -1) {
      const end = safeEnd(text, at);
      if (end > at) reader.text(unescaped(text.slice(at, end)));
      return text.slice(end);
    }
    if (mark > at) reader.text(unescaped(text.slice(at, mark)));
    const end = takeTag(text, mark, reader);
    if (end === -1) return text.slice(mark);
    at = end;
  }
  return '';
}

/** The place behind the tag at `from`; -1: it is not whole. */
function takeTag(text: string, from: number, reader: TagReader): number {
  if (text.startsWith('<!', from)) return takeDeclaration(text, from, reader);
  if (text.startsWith('<?', from)) return behind(text, '?>', from);
  const end = tagEnd(text, from);
  if (end === -1) return -1;
  const closes = text[from + 1] === '/';
  const tag = text.slice(from + (closes ? 2 : 1), end);
  const name = /^(?:[^\s/:]*:)?([^\s/]*)/.exec(tag)?.[1] ?? '';
  if (!closes) reader.open(name, tag);
  if (closes || tag.endsWith('/')) reader.close(name);
  return end + 1;
}

function takeDeclaration(text: string, from: number, reader: TagReader): number {
  if (text.length - from < CDATA.length) return -1;
  if (text.startsWith('<!--', from)) return behind(text, '-->', from);
  if (!text.startsWith(CDATA, from)) throw new Error('it has a document type, which no spreadsheet writes');
  const end = text.indexOf(']]>', from);
  if (end === -1) return -1;
  reader.text(text.slice(from + CDATA.length, end));
  return end + 3;
}

function behind(text: string, mark: string, from: number): number {
  const end = text.indexOf(mark, from);
  return end === -1 ? -1 : end + mark.length;
}

/** The `>` of a tag: a value such as `[>100]0` may hold one, too. */
function tagEnd(text: string, from: number): number {
  let quote = '';
  for (let at = from + 1; at < text.length; at++) {
    const character = text[at] as string;
    if (quote !== '') quote = character === quote ? '' : quote;
    else if (character === '"' || character === "'") quote = character;
    else if (character === '>') return at;
  }
  return -1;
}

/** The end of what can be read now: an entity may be cut in two. */
function safeEnd(text: string, from: number): number {
  const entity = text.lastIndexOf('&');
  const cut = entity >= from && text.length - entity < ENTITY_MAX_CHARACTERS && !text.includes(';', entity);
  return cut ? entity : text.length;
}

function unescaped(text: string): string {
  if (!text.includes('&')) return text;
  return text.replaceAll(ENTITY, (whole, ...[hex, decimal, named]: (string | undefined)[]) => {
    if (named !== undefined) return NAMED[named.toLowerCase()] ?? whole;
    const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16);
    return code <= LAST_CODE_POINT ? String.fromCodePoint(code) : whole;
  });
}
