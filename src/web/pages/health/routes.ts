import type { FastifyInstance } from 'fastify';
import { webhookAddress } from '../../../config/webhook-address.ts';
import { answerPage } from '../../send-page.ts';
import type { WebEnv } from '../../web-env.ts';
import { LatestHealth } from '../../latest-health.ts';
import { healthView, type HealthPage, webhookView } from './view.ts';

/** The page about what is well, and the webhook address. `/health` itself is for monitors. */
export function healthRoutes(app: FastifyInstance, env: WebEnv): void {
  const latest = new LatestHealth(env);
  app.get('/checks', { config: { may: 'viewer' } }, async (request, reply) => {
    const reader = await env.reader();
    const shown: HealthPage = {
      health: await latest.read(),
      lastReportAt: await reader.lastReportAt(),
      counts: await reader.webhookCounts(),
    };
    return answerPage(request, reply, {
      env,
      content: (frame) => ({ title: frame.words.health.title, main: healthView(frame, shown) }),
    });
  });
  app.get('/checks/webhook', { config: { may: 'admin' } }, async (request, reply) => {
    const address = await webhookAddress(env.config);
    return answerPage(request, reply, {
      env,
      content: (frame) => ({ title: frame.words.health.webhook, main: webhookView(frame, address) }),
    });
  });
}
