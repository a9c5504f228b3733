import type { FastifyReply } from 'fastify';
import type { Frame } from './frame.ts';
import { page, type PageContent } from './views/layout.ts';

/** Sends a page. `status` 200 by default. */
export function sendPage(
  reply: FastifyReply,
  frame: Frame,
  { status = 200, ...content }: PageContent & { status?: number },
): FastifyReply {
  return reply.code(status).type('text/html; charset=utf-8').send(page(frame, content));
}
