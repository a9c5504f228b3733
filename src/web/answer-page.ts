import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Frame, frameOf } from './frame.ts';
import { sendPage } from './send-page.ts';
import type { PageContent } from './views/layout.ts';
import type { WebEnv } from './web-env.ts';

/** Collects the frame of a page and answers with it. `content` gets the frame; `status`: 200 when left out. */
export async function answerPage(
  request: FastifyRequest,
  reply: FastifyReply,
  { env, content, status = 200 }: { env: WebEnv; content: (frame: Frame) => PageContent; status?: number },
): Promise<FastifyReply> {
  const frame = await frameOf(request, reply, env);
  return sendPage(reply, frame, { ...content(frame), status });
}
