import type { FastifyInstance } from 'fastify';
import { assetRoutes } from './assets/assets.ts';
import { campaignRoutes } from './pages/campaign/routes.ts';
import { campaignsRoutes } from './pages/campaigns/routes.ts';
import { newCampaignRoutes } from './pages/new-campaign/routes.ts';
import { languageRoutes } from './pages/language.ts';
import type { WebEnv } from './web-env.ts';

/** All pages. */
export async function webRoutes(app: FastifyInstance, env: WebEnv): Promise<void> {
  await assetRoutes(app);
  languageRoutes(app);
  campaignsRoutes(app, env);
  newCampaignRoutes(app, env);
  campaignRoutes(app, env);
}
