import type { FastifyInstance } from 'fastify';
import { answerPage } from '../../send-page.ts';
import type { WebEnv } from '../../web-env.ts';
import { liveRoutes } from './live-routes.ts';
import { lookAt } from './read-campaign.ts';
import { campaignView } from './view.ts';

/** Scripts of the page: its charts. */
const SCRIPTS = ['chart.js', 'plots.js'];

/** The page of one campaign, its stream, its orders and its downloads. */
export function campaignRoutes(app: FastifyInstance, env: WebEnv): void {
  app.get('/campaigns/:id', { config: { may: 'viewer' } }, async (request, reply) => {
    const { id } = request.params as { id: string };
    const now = await lookAt(env, id);
    return answerPage(request, reply, {
      env,
      content: (frame) => ({
        title: now.overview.campaign.name,
        main: campaignView(frame, now),
        scripts: SCRIPTS,
      }),
    });
  });
  liveRoutes(app, env);
}
