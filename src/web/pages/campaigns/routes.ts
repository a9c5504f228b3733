import type { FastifyInstance } from 'fastify';
import { frameOf } from '../../frame.ts';
import { page } from '../../views/layout.ts';
import type { WebEnv } from '../../web-env.ts';
import { campaignsView } from './view.ts';

/** The list of campaigns, which is also the first page. */
export function campaignsRoutes(app: FastifyInstance, env: WebEnv): void {
  app.get('/', { config: { may: 'viewer' } }, (_request, reply) => reply.redirect('/campaigns', 303));
  app.get('/campaigns', { config: { may: 'viewer' } }, async (request, reply) => {
    const frame = await frameOf(request, reply, env);
    const overviews = await (await env.reader()).campaigns();
    const { title } = frame.words.campaigns;
    return reply
      .type('text/html; charset=utf-8')
      .send(page(frame, { title, main: campaignsView(frame, overviews) }));
  });
}
