import type { FastifyInstance } from 'fastify';
import type { WebEnv } from '../../../web-env.ts';
import { resolvePage, retryPage } from './again.ts';
import { budgetPage, ratePage } from './limits.ts';
import { orderRoutes } from './order-page.ts';
import { cancelPage, pausePage, resumePage, skipPage } from './stop-and-go.ts';

const PAGES = [pausePage, resumePage, budgetPage, ratePage, retryPage, resolvePage, skipPage, cancelPage];

/** A page for each order about a campaign. */
export function campaignOrderRoutes(app: FastifyInstance, env: WebEnv): void {
  for (const page of PAGES) orderRoutes(app, env, page);
}
