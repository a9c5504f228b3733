import { crc32, constants, deflateRawSync } from 'node:zlib';

/** A part of an archive: its content, or the deflated pieces of a large one, which stand one after the other. */
export type ZipPart = string | { pieces: Buffer[]; unpacked: number };

/** A zip archive as a spreadsheet writes it. */
export function zipOf(parts: Record<string, ZipPart>): Buffer {
  const bodies: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const [name, part] of Object.entries(parts)) {
    const packed =
      typeof part === 'string'
        ? deflateRawSync(Buffer.from(part))
        : Buffer.concat([...part.pieces, LAST_PIECE]);
    const crc = typeof part === 'string' ? crc32(part) : 0;
    const unpacked = typeof part === 'string' ? Buffer.byteLength(part) : part.unpacked;
    const facts = Buffer.alloc(26);
    facts.writeUInt16LE(20, 0);
    facts.writeUInt16LE(8, 4);
    facts.writeUInt32LE(crc, 10);
    facts.writeUInt32LE(packed.length, 14);
    facts.writeUInt32LE(unpacked, 18);
    facts.writeUInt16LE(Buffer.byteLength(name), 22);
    bodies.push(Buffer.from('PK\u0003\u0004'), facts, Buffer.from(name), packed);
    const rest = Buffer.alloc(14);
    rest.writeUInt32LE(offset, 10);
    directory.push(Buffer.from('PK\u0001\u0002\u0014\u0000'), facts, rest, Buffer.from(name));
    offset += 4 + facts.length + Buffer.byteLength(name) + packed.length;
  }
  const entries = Buffer.concat(directory);
  const end = Buffer.alloc(18);
  end.writeUInt16LE(Object.keys(parts).length, 4);
  end.writeUInt16LE(Object.keys(parts).length, 6);
  end.writeUInt32LE(entries.length, 8);
  end.writeUInt32LE(offset, 12);
  return Buffer.concat([...bodies, entries, Buffer.from('PK\u0005\u0006'), end]);
}

const LAST_PIECE = deflateRawSync(Buffer.alloc(0));

/** The same text many times as a part, packed once: a small archive that is large when it is unpacked. */
export function repeated(
  before: string,
  text: string,
  { times, after }: { times: number; after: string },
): ZipPart {
  const piece = deflated(text);
  return {
    pieces: [deflated(before), ...Array.from({ length: times }, () => piece), deflated(after)],
    unpacked: Buffer.byteLength(before + after) + times * Buffer.byteLength(text),
  };
}

function deflated(text: string): Buffer {
  return deflateRawSync(Buffer.from(text), { finishFlush: constants.Z_FULL_FLUSH });
}

const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
const RELATIONS = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';

/** A workbook with one sheet, from the text of its parts. `before` and `after` are the sheet around its rows. */
export function workbookOf({
  sheet,
  styles = '',
  sharedStrings,
  workbookPr = '<workbookPr/>',
}: {
  sheet: ZipPart;
  styles?: string;
  sharedStrings?: ZipPart;
  workbookPr?: string;
}): Buffer {
  const relation = (id: string, type: string, target: string) =>
    `<Relationship Id="${id}" Type="${RELATIONS}/${type}" Target="${target}"/>`;
  return zipOf({
    '_rels/.rels': `<Relationships>${relation('rId1', 'officeDocument', 'xl/workbook.xml')}</Relationships>`,
    'xl/workbook.xml': `<workbook xmlns="${MAIN}" xmlns:r="${RELATIONS}">${workbookPr}<sheets><sheet name="List" sheetId="1" r:id="rId1"/></sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': `<Relationships>${relation('rId1', 'worksheet', 'worksheets/sheet1.xml')}${relation('rId2', 'styles', 'styles.xml')}${relation('rId3', 'sharedStrings', '/xl/sharedStrings.xml')}</Relationships>`,
    'xl/styles.xml': `<styleSheet xmlns="${MAIN}">${styles}</styleSheet>`,
    ...(sharedStrings === undefined ? {} : { 'xl/sharedStrings.xml': sharedStrings }),
    'xl/worksheets/sheet1.xml': sheet,
  });
}

/** The sheet of these rows of XML cells. */
export function sheetOf(rows: string): string {
  return `${SHEET_BEGIN}${rows}${SHEET_END}`;
}

/** What stands around the rows of a sheet. */
export const SHEET_BEGIN = `<?xml version="1.0"?><worksheet xmlns="${MAIN}"><sheetData>`;
/** See SHEET_BEGIN. */
export const SHEET_END = '</sheetData></worksheet>';

/** An inline text. */
export function textCell(text: string): string {
  return `<c t="inlineStr"><is><t>${text}</t></is></c>`;
}

/** A number with the number of its style. */
export function numberCell(number: number, style: number): string {
  return `<c s="${style}"><v>${number}</v></c>`;
}

/** Styles of these number formats: a usual id, or a code. */
export function stylesOf(formats: readonly (string | number)[]): string {
  const codes = formats.flatMap((format, at) =>
    typeof format === 'number'
      ? []
      : [`<numFmt numFmtId="${200 + at}" formatCode="${format.replaceAll('"', '&quot;')}"/>`],
  );
  const cells = formats.map(
    (format, at) => `<xf numFmtId="${typeof format === 'number' ? format : 200 + at}"/>`,
  );
  return `<numFmts>${codes.join('')}</numFmts><cellStyleXfs><xf numFmtId="9"/></cellStyleXfs><cellXfs>${cells.join('')}</cellXfs>`;
}
