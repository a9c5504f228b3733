import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Frame, frameOf } from './frame.ts';
import { page, type PageContent } from './views/layout.ts';
import type { WebEnv } from './web-env.ts';

/** Sends a page. `status` 200 by default. */
export function sendPage(
  reply: FastifyReply,
  frame: Frame,
  { status = 200, ...content }: PageContent & { status?: number },
): FastifyReply {
  // Also what is forbidden or not there shows who is signed in, and the credit.
  if (frame.who !== null) void reply.header('cache-control', 'no-store');
  return reply.code(status).type('text/html; charset=utf-8').send(page(frame, content));
}

/** Answers a request with a page. `content` gets the frame; `status`: 200 when left out. */
export async function answerPage(
  request: FastifyRequest,
  reply: FastifyReply,
  { env, content, status = 200 }: { env: WebEnv; content: (frame: Frame) => PageContent; status?: number },
): Promise<FastifyReply> {
  const frame = await frameOf(request, reply, env);
  return sendPage(reply, frame, { ...content(frame), status });
}

/** One request and its answer, for a step of a route. */
export interface Visit {
  env: WebEnv;
  request: FastifyRequest;
  reply: FastifyReply;
}
