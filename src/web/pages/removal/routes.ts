import type { FastifyInstance } from 'fastify';
import type { WebEnv } from '../../web-env.ts';
import { erasureRoutes } from './erase-routes.ts';
import { purgeRoutes } from './purge-routes.ts';

/** The removal of personal data: of old campaigns, and of one person. */
export function removalRoutes(app: FastifyInstance, env: WebEnv): void {
  purgeRoutes(app, env);
  erasureRoutes(app, env);
}
