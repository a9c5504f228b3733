import type { FastifyInstance } from 'fastify';
import type { WebEnv } from '../../web-env.ts';
import { checkRoutes } from './check-routes.ts';
import { contactsRoutes } from './contacts-routes.ts';
import { launchRoutes } from './launch-routes.ts';
import { messageRoutes } from './message-routes.ts';
import { whenRoutes } from './when-routes.ts';

/** The five steps to a new campaign, each with an address of its own. */
export function newCampaignRoutes(app: FastifyInstance, env: WebEnv): void {
  contactsRoutes(app, env);
  messageRoutes(app, env);
  whenRoutes(app, env);
  checkRoutes(app, env);
  launchRoutes(app, env);
}
