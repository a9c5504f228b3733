import type { FastifyInstance } from 'fastify';
import { apiRoutes } from './api/api.ts';
import { assetRoutes } from './assets/assets.ts';
import { campaignRoutes } from './pages/campaign/routes.ts';
import { campaignsRoutes } from './pages/campaigns/routes.ts';
import { languageRoutes } from './pages/language.ts';
import { meRoutes } from './pages/me/routes.ts';
import { signInRoutes } from './pages/sign-in/routes.ts';
import { usersRoutes } from './pages/users/routes.ts';
import { homeLinkRoutes } from './session/home-link.ts';
import type { WebEnv } from './web-env.ts';

/** All pages. */
export async function webRoutes(app: FastifyInstance, env: WebEnv): Promise<void> {
  await assetRoutes(app);
  await apiRoutes(app, env);
  languageRoutes(app);
  homeLinkRoutes(app, env);
  signInRoutes(app, env);
  meRoutes(app, env);
  usersRoutes(app, env);
  campaignsRoutes(app, env);
  campaignRoutes(app, env);
}
