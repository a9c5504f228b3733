import { crc32, deflateSync } from 'node:zlib';

/* Files that customers send to a chat account: small, of every common type, and made here. */

/** One file as the inbound record tells of it (API document 2.6) and as the download serves it (4.4). */
export interface SampleMedia {
  mediaType: 'image' | 'document' | 'audio' | 'video';
  mimeType: string;
  bytes: Buffer;
}

/** By their file names. `page.html` is there because a customer may send such a thing as well. */
export const SAMPLE_MEDIA = {
  'photo.jpg': image('image/jpeg', Buffer.from(jpegBase64(), 'base64')),
  'picture.png': image('image/png', png()),
  'animation.gif': image(
    'image/gif',
    Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64'),
  ),
  'sticker.webp': image(
    'image/webp',
    Buffer.from('UklGRiIAAABXRUJQVlA4IBYAAAAwAQCdASoBAAEADsD+JaQAA3AAAAAA', 'base64'),
  ),
  'clip.mp4': { mediaType: 'video', mimeType: 'video/mp4', bytes: boxes('isom') },
  'memo.m4a': audio('audio/mp4', boxes('M4A ')),
  'music.mp3': audio(
    'audio/mpeg',
    Buffer.concat([Buffer.from('ID3\u0004\0\0\0\0\0\0', 'latin1'), mp3Frame()]),
  ),
  'voice.ogg': audio(
    'audio/ogg; codecs=opus',
    Buffer.from(`OggS\0\u0002${'\0'.repeat(22)}\u0001\u0013OpusHead`, 'latin1'),
  ),
  'tone.wav': audio('audio/wav', wav()),
  'invoice.pdf': document(
    'application/pdf',
    Buffer.from('%PDF-1.4\n1 0 obj<</Type/Catalog>>endobj\ntrailer<</Root 1 0 R>>\n%%EOF\n'),
  ),
  'contacts.csv': document('text/csv', Buffer.from('Name,Phone\nAsha,0712345678\nOtieno,0733000000\n')),
  'note.txt': document('text/plain', Buffer.from('Habari, naomba bei ya jumla.\n')),
  'letter.docx': document(
    office('wordprocessingml.document'),
    zip(['[Content_Types].xml', '_rels/.rels', 'word/document.xml']),
  ),
  'prices.xlsx': document(
    office('spreadsheetml.sheet'),
    zip(['[Content_Types].xml', '_rels/.rels', 'xl/workbook.xml']),
  ),
  'page.html': document('text/html', Buffer.from('<!doctype html><script>alert(1)</script>')),
} satisfies Record<string, SampleMedia>;

/** The name of a sample file. */
export type MediaName = keyof typeof SAMPLE_MEDIA;

/** All sample files by name. */
export const MEDIA_NAMES = Object.keys(SAMPLE_MEDIA) as MediaName[];

/** Whether there is a sample file of that name. */
export function isMediaName(name: unknown): name is MediaName {
  return typeof name === 'string' && Object.hasOwn(SAMPLE_MEDIA, name);
}

function image(mimeType: string, bytes: Buffer): SampleMedia {
  return { mediaType: 'image', mimeType, bytes };
}

function audio(mimeType: string, bytes: Buffer): SampleMedia {
  return { mediaType: 'audio', mimeType, bytes };
}

function document(mimeType: string, bytes: Buffer): SampleMedia {
  return { mediaType: 'document', mimeType, bytes };
}

function office(kind: string): string {
  return `application/vnd.openxmlformats-officedocument.${kind}`;
}

/** One grey pixel. */
function jpegBase64(): string {
  return [
    '/9j/4AAQSkZJRgABAQEASABIAAD/2wBDAP',
    '/'.repeat(86),
    'wgALCAABAAEBAREA/8QAFBABAAAAAAAAAAAAAAAAAAAAAP/aAAgBAQABPxA=',
  ].join('');
}

/** One black pixel. */
function png(): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(1, 0);
  header.writeUInt32BE(1, 4);
  header[8] = 8;
  const signature = Buffer.from('\u0089PNG\r\n\u001a\n', 'latin1');
  const pixels = deflateSync(Buffer.alloc(2));
  return Buffer.concat([
    signature,
    chunk('IHDR', header),
    chunk('IDAT', pixels),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

function chunk(type: string, data: Buffer): Buffer {
  const typed = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  return Buffer.concat([uint32(data.length, 'BE'), typed, uint32(crc32(typed), 'BE')]);
}

/** The boxes that MP4 and M4A begin with; nothing plays. */
function boxes(brand: string): Buffer {
  return Buffer.concat([
    uint32(24, 'BE'),
    Buffer.from(`ftyp${brand}\0\0\u0002\0${brand}mp41`, 'latin1'),
    uint32(8, 'BE'),
    Buffer.from('mdat', 'latin1'),
  ]);
}

function mp3Frame(): Buffer {
  return Buffer.concat([Buffer.from([0xff, 0xfb, 0x90, 0x00]), Buffer.alloc(413)]);
}

/** A hundredth of a second of silence. */
function wav(): Buffer {
  const silence = Buffer.alloc(80, 0x80);
  const format = Buffer.from(
    '\u0010\0\0\0\u0001\0\u0001\0\u0040\u001f\0\0\u0040\u001f\0\0\u0001\0\u0008\0',
    'latin1',
  );
  return Buffer.concat([
    Buffer.from('RIFF'),
    uint32(36 + silence.length, 'LE'),
    Buffer.from('WAVEfmt '),
    format,
    Buffer.from('data'),
    uint32(silence.length, 'LE'),
    silence,
  ]);
}

/** A zip of stored files, each holding an empty XML element. */
function zip(names: string[]): Buffer {
  const content = Buffer.from('<x/>');
  const locals: Buffer[] = [];
  const central: Buffer[] = [];
  let offset = 0;
  for (const name of names) {
    const facts = Buffer.concat([
      Buffer.from('\u0014\0\0\0\0\0\0\0\u0021\0', 'latin1'),
      uint32(crc32(content), 'LE'),
      uint32(content.length, 'LE'),
      uint32(content.length, 'LE'),
      uint32(name.length, 'LE'),
    ]);
    const local = Buffer.concat([Buffer.from('PK\u0003\u0004', 'latin1'), facts, Buffer.from(name), content]);
    central.push(
      Buffer.from('PK\u0001\u0002\u0014\0', 'latin1'),
      facts,
      Buffer.alloc(10),
      uint32(offset, 'LE'),
      Buffer.from(name),
    );
    locals.push(local);
    offset += local.length;
  }
  const directory = Buffer.concat(central);
  const count = String.fromCharCode(names.length);
  return Buffer.concat([
    ...locals,
    directory,
    Buffer.from(`PK\u0005\u0006\0\0\0\0${count}\0${count}\0`, 'latin1'),
    uint32(directory.length, 'LE'),
    uint32(offset, 'LE'),
    Buffer.alloc(2),
  ]);
}

function uint32(value: number, order: 'BE' | 'LE'): Buffer {
  const bytes = Buffer.alloc(4);
  if (order === 'BE') bytes.writeUInt32BE(value);
  else bytes.writeUInt32LE(value);
  return bytes;
}
