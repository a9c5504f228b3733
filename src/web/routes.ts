import type { FastifyInstance } from 'fastify';
import { apiRoutes } from './api/api.ts';
import { assetRoutes } from './assets/assets.ts';
import { auditRoutes } from './pages/audit/routes.ts';
import { campaignRoutes } from './pages/campaign/routes.ts';
import { campaignsRoutes } from './pages/campaigns/routes.ts';
import { decisionRoutes } from './pages/decisions/routes.ts';
import { findRoutes } from './pages/find/routes.ts';
import { healthRoutes } from './pages/health/routes.ts';
import { inboxRoutes } from './pages/inbox/routes.ts';
import { newCampaignRoutes } from './pages/new-campaign/routes.ts';
import { languageRoutes } from './pages/language.ts';
import { messageRoutes } from './pages/message/routes.ts';
import { moneyRoutes } from './pages/money/routes.ts';
import { optOutRoutes } from './pages/optouts/routes.ts';
import { meRoutes } from './pages/me/routes.ts';
import { reminderRoutes } from './pages/reminders/routes.ts';
import { signInRoutes } from './pages/sign-in/routes.ts';
import { removalRoutes } from './pages/removal/routes.ts';
import { taskRoutes } from './pages/tasks/routes.ts';
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
  newCampaignRoutes(app, env);
  campaignRoutes(app, env);
  auditRoutes(app, env);
  decisionRoutes(app, env);
  findRoutes(app, env);
  healthRoutes(app, env);
  inboxRoutes(app, env);
  messageRoutes(app, env);
  moneyRoutes(app, env);
  optOutRoutes(app, env);
  reminderRoutes(app, env);
  removalRoutes(app, env);
  taskRoutes(app, env);
}
