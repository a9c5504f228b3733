/** What a file is, by its own bytes. */
export interface FileType {
  /** With the dot. */
  extension: string;
  mimeType: string;
}

/** So much of the beginning and of the end is enough to tell. */
export const SNIFFED_BYTES = 65_536;

const BINARY: FileType = { extension: '.bin', mimeType: 'application/octet-stream' };

type Bytes = { head: Buffer; tail: Buffer };

/**
 * Everything that a file is ever called; what is none of these is `.bin`, so that nothing is opened by a program that its
 * sender chose. The first that fits wins.
 */
const TYPES: readonly (FileType & { fits: (bytes: Bytes) => boolean })[] = [
  { extension: '.jpg', mimeType: 'image/jpeg', fits: begins('\u00ff\u00d8\u00ff') },
  { extension: '.png', mimeType: 'image/png', fits: begins('\u0089PNG\r\n\u001a\n') },
  { extension: '.gif', mimeType: 'image/gif', fits: ({ head }) => /^GIF8[79]a/.test(latin(head, 6)) },
  { extension: '.webp', mimeType: 'image/webp', fits: ({ head }) => /^RIFF[^]{4}WEBP/.test(latin(head, 12)) },
  { extension: '.wav', mimeType: 'audio/wav', fits: ({ head }) => /^RIFF[^]{4}WAVE/.test(latin(head, 12)) },
  { extension: '.pdf', mimeType: 'application/pdf', fits: begins('%PDF-') },
  {
    extension: '.m4a',
    mimeType: 'audio/mp4',
    fits: ({ head }) => /^[^]{4}ftypM4[AB] /.test(latin(head, 12)),
  },
  {
    extension: '.mp4',
    mimeType: 'video/mp4',
    fits: ({ head }) => /^[^]{4}ftyp(?:iso\w|mp4\w|avc1|M4V |MSNV|dash|3g\w\w|qt {2})/.test(latin(head, 12)),
  },
  { extension: '.ogg', mimeType: 'audio/ogg', fits: begins('OggS\0') },
  { extension: '.mp3', mimeType: 'audio/mpeg', fits: isMp3 },
  {
    extension: '.docx',
    mimeType: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
    fits: zipHolds('word/document.xml'),
  },
  {
    extension: '.xlsx',
    mimeType: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
    fits: zipHolds('xl/workbook.xml'),
  },
  { extension: '.csv', mimeType: 'text/csv', fits: ({ head }) => isTable(textOf(head)) },
  { extension: '.txt', mimeType: 'text/plain', fits: ({ head }) => textOf(head) !== null },
];

/** Tells what a file is from its first and last bytes. */
export function fileTypeOf(bytes: Bytes): FileType {
  return TYPES.find(({ fits }) => fits(bytes)) ?? BINARY;
}

/** Whether it is a web page: an answer for people, never the file that was asked for. */
export function isWebPage(head: Buffer): boolean {
  const start = head
    .subarray(0, 1_024)
    .toString('utf8')
    .replace(/^\ufeff/, '')
    .trimStart();
  return /^(?:<!--[^]*?-->\s*)*<(?:!doctype html|html|head|body|title|script|meta|iframe)\b/i.test(start);
}

function begins(signature: string): (bytes: Bytes) => boolean {
  return ({ head }) => latin(head, signature.length) === signature;
}

function latin(head: Buffer, length: number): string {
  return head.toString('latin1', 0, length);
}

/** An ID3 tag, or a frame of layer III. */
function isMp3({ head }: Bytes): boolean {
  const [first = 0, second = 0] = head;
  return latin(head, 3) === 'ID3' || (first === 0xff && (second & 0xe6) === 0xe2);
}

/** The names in a zip stand in its directory, at the end. */
function zipHolds(name: string): (bytes: Bytes) => boolean {
  return ({ head, tail }) => latin(head, 4) === 'PK\u0003\u0004' && tail.includes(name, 0, 'latin1');
}

/** Controls, but for tab, line feed, form feed and carriage return. */
const CONTROLS = /[[\p{Cc}]--[\t\n\f\r]]/v;

/** UTF-8 without controls, and nothing that a browser would take for a page or a picture; null: no such text. */
function textOf(head: Buffer): string | null {
  try {
    // A character may be cut at the end of what is looked at.
    const text = new TextDecoder('utf-8', { fatal: true }).decode(head, { stream: true });
    return CONTROLS.test(text) || text.trimStart().startsWith('<') ? null : text;
  } catch {
    return null;
  }
}

/** The first two lines have the same number of the same delimiter. */
function isTable(text: string | null): boolean {
  const [first = '', second = ''] = text?.split(/\r?\n/, 2) ?? [];
  return [',', ';', '\t'].some((delimiter) => {
    const columns = first.split(delimiter).length;
    return columns > 1 && second.split(delimiter).length === columns;
  });
}
