import type { FastifyInstance } from 'fastify';
import { isTaskOf } from '../../../campaign/tasks/tasks.ts';
import { answerPage } from '../../send-page.ts';
import type { WebEnv } from '../../web-env.ts';
import { taskActorOf } from '../../who.ts';
import { downloadRoutes } from './downloads.ts';
import { liveRoutes } from './live-routes.ts';
import { campaignOrderRoutes } from './orders/routes.ts';
import { peopleRoutes } from './people-routes.ts';
import { lookAt } from './campaign-now.ts';
import { uncertainRoutes } from './uncertain-routes.ts';
import { campaignView } from './view.ts';

/** Scripts of the page: its stream, and its charts. */
const SCRIPTS = ['stay-live.js', 'chart.js', 'plots.js'];

/** The page of one campaign, its stream, its orders and its downloads. */
export function campaignRoutes(app: FastifyInstance, env: WebEnv): void {
  app.get('/campaigns/:id', { config: { may: 'viewer' } }, async (request, reply) => {
    const { id } = request.params as { id: string };
    const now = await lookAt(env, id);
    const tasks = await (await env.tasks()).list();
    const files = tasks.filter((task) => task.campaign === id && isTaskOf(task, taskActorOf(request)));
    return answerPage(request, reply, {
      env,
      content: (frame) => ({
        title: now.overview.campaign.name,
        main: campaignView(frame, now, files),
        scripts: SCRIPTS,
      }),
    });
  });
  liveRoutes(app, env);
  campaignOrderRoutes(app, env);
  uncertainRoutes(app, env);
  peopleRoutes(app, env);
  downloadRoutes(app, env);
}
