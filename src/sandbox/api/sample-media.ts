/* Small files that customers send by chat. Sound and video have only a valid beginning; they do not play. */

/** One file of the inbound record (API document 2.6) and the download (4.4). */
export interface SampleMedia {
  mediaType: 'image' | 'document' | 'audio' | 'video';
  mimeType: string;
  bytes: Buffer;
}

/** By file name. `page.html` is a hostile file that a customer may also send. */
export const SAMPLE_MEDIA = {
  'photo.jpg': { mediaType: 'image', mimeType: 'image/jpeg', bytes: onePixel() },
  'clip.mp4': {
    mediaType: 'video',
    mimeType: 'video/mp4',
    bytes: Buffer.from('\0\0\0\u0018ftypisom\0\0\u0002\0isommp41\0\0\0\u0008mdat', 'latin1'),
  },
  'voice.ogg': {
    mediaType: 'audio',
    mimeType: 'audio/ogg; codecs=opus',
    bytes: Buffer.from(`OggS\0\u0002${'\0'.repeat(22)}\u0001\u0013OpusHead`, 'latin1'),
  },
  'invoice.pdf': document(
    'application/pdf',
    '%PDF-1.4\n1 0 obj<</Type/Catalog>>endobj\ntrailer<</Root 1 0 R>>\n%%EOF\n',
  ),
  'contacts.csv': document('text/csv', 'Name,Phone\nAsha,0712345678\nOtieno,0733000000\n'),
  'note.txt': document('text/plain', 'Habari, naomba bei ya jumla.\n'),
  'page.html': document('text/html', '<!doctype html><script>alert(1)</script>'),
} satisfies Record<string, SampleMedia>;

/** The name of a sample file. */
export type MediaName = keyof typeof SAMPLE_MEDIA;

/** All sample files by name. */
export const MEDIA_NAMES = Object.keys(SAMPLE_MEDIA) as MediaName[];

/** Whether there is a sample file of that name. */
export function isMediaName(name: unknown): name is MediaName {
  return typeof name === 'string' && Object.hasOwn(SAMPLE_MEDIA, name);
}

function document(mimeType: string, text: string): SampleMedia {
  return { mediaType: 'document', mimeType, bytes: Buffer.from(text) };
}

/** A grey JPEG. */
function onePixel(): Buffer {
  const tables = '/'.repeat(86);
  const base64 = `/9j/4AAQSkZJRgABAQEASABIAAD/2wBDAP${tables}wgALCAABAAEBAREA/8QAFBABAAAAAAAAAAAAAAAAAAAAAP/aAAgBAQABPxA=`;
  return Buffer.from(base64, 'base64');
}
