import type { FastifyInstance } from 'fastify';
import { TumaError } from '../../../domain/errors.ts';
import { frameOf } from '../../frame.ts';
import { page } from '../../views/layout.ts';
import type { WebEnv } from '../../web-env.ts';
import { campaignView } from './view.ts';

/** The page of one campaign. */
export function campaignRoutes(app: FastifyInstance, env: WebEnv): void {
  app.get('/campaigns/:id', { config: { may: 'viewer' } }, async (request, reply) => {
    const { id } = request.params as { id: string };
    const frame = await frameOf(request, reply, env);
    const reader = await env.reader();
    const [campaign] = (await reader.find(id)).filter((each) => each.id === id);
    if (campaign === undefined) throw new TumaError('not_found', { message: '' });
    const unreportedBefore = env.clock.now() - env.config.reportWaitMs;
    const [overview, tallies] = [
      await reader.overview(campaign.n),
      await reader.tallies(campaign.n, unreportedBefore),
    ];
    const main = campaignView(frame, overview, tallies);
    return reply.type('text/html; charset=utf-8').send(page(frame, { title: campaign.name, main }));
  });
}
