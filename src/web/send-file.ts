import type { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';

/** A file that a browser keeps and never shows. */
export interface FileAnswer {
  /** Of letters, digits, points and dashes: ours, because a header takes no name of a stranger. */
  name: string;
  /** The media type; by the ending of the name when left out. */
  type?: string;
  content: string | Readable;
}

const TYPES: Readonly<Record<string, string>> = {
  csv: 'text/csv; charset=utf-8',
  ndjson: 'application/x-ndjson; charset=utf-8',
  html: 'text/html; charset=utf-8',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
};

/** The media type of a file of ours, by its ending. */
export function fileTypeOf(name: string): string {
  return TYPES[name.slice(name.lastIndexOf('.') + 1)] ?? 'application/octet-stream';
}

/** Answers with a file. */
export function sendFile(
  reply: FastifyReply,
  { name, type = fileTypeOf(name), content }: FileAnswer,
): FastifyReply {
  return reply
    .type(type)
    .header('content-disposition', `attachment; filename="${name}"`)
    .header('cache-control', 'no-store')
    .send(content);
}
