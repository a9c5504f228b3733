/** One file of the inbound record (API document 2.6) and the download (4.4). */
export interface SampleMedia {
  mediaType: 'image' | 'document';
  mimeType: string;
  bytes: Buffer;
}

/** The small files that customers send by chat, by file name. */
export const SAMPLE_MEDIA = {
  'photo.jpg': { mediaType: 'image', mimeType: 'image/jpeg', bytes: onePixel() },
  'invoice.pdf': {
    mediaType: 'document',
    mimeType: 'application/pdf',
    bytes: Buffer.from('%PDF-1.4\n1 0 obj<</Type/Catalog>>endobj\ntrailer<</Root 1 0 R>>\n%%EOF\n'),
  },
} satisfies Record<string, SampleMedia>;

/** The name of a sample file. */
export type MediaName = keyof typeof SAMPLE_MEDIA;

/** All sample files by name. */
export const MEDIA_NAMES = Object.keys(SAMPLE_MEDIA) as MediaName[];

/** A grey JPEG. */
function onePixel(): Buffer {
  const tables = '/'.repeat(86);
  const base64 = `/9j/4AAQSkZJRgABAQEASABIAAD/2wBDAP${tables}wgALCAABAAEBAREA/8QAFBABAAAAAAAAAAAAAAAAAAAAAP/aAAgBAQABPxA=`;
  return Buffer.from(base64, 'base64');
}
