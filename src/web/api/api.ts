import type { FastifyInstance } from 'fastify';
import { serializerCompiler, validatorCompiler, type ZodTypeProvider } from 'fastify-type-provider-zod';
import type { WebEnv } from '../web-env.ts';
import { API_PREFIX, describeApi, documentRoutes } from './document.ts';
import { takeEmptyBodies } from './json-body.ts';
import { RepeatedRequests } from './once.ts';
import { answerProblems } from './problem.ts';
import { alertEndpointRoutes } from './routes/alert-endpoints.ts';
import { accountRoutes } from './routes/account.ts';
import { campaignRoutes } from './routes/campaigns.ts';
import { contactsRoutes } from './routes/contacts.ts';
import { conversationRoutes } from './routes/conversations.ts';
import { courseRoutes } from './routes/course.ts';
import { decisionRoutes } from './routes/decisions.ts';
import { eventRoutes } from './routes/events.ts';
import { exportRoutes } from './routes/export.ts';
import { findRoutes } from './routes/find.ts';
import { inboxRoutes } from './routes/inbox.ts';
import { launchRoutes } from './routes/launch.ts';
import { messageRoutes } from './routes/messages.ts';
import { moneyRoutes } from './routes/money.ts';
import { optOutRoutes } from './routes/opt-outs.ts';
import { orderRoutes } from './routes/orders.ts';
import { preparationLaunchRoutes } from './routes/preparation-launch.ts';
import { removalRoutes } from './routes/removal.ts';
import { webhookRoutes } from './routes/webhooks.ts';
import { taskRoutes } from './routes/tasks.ts';
import { preparationRoutes } from './routes/preparations.ts';

/** The API for programs: the use cases of the pages, as JSON. */
export async function apiRoutes(app: FastifyInstance, web: WebEnv): Promise<void> {
  let document = (): object => ({});
  await app.register(
    async (plain) => {
      plain.setValidatorCompiler(validatorCompiler);
      plain.setSerializerCompiler(serializerCompiler);
      answerProblems(plain, web);
      takeEmptyBodies(plain);
      await describeApi(plain);
      const api = plain.withTypeProvider<ZodTypeProvider>();
      const env = { web, repeats: new RepeatedRequests(web) };
      documentRoutes(api);
      campaignRoutes(api, env);
      contactsRoutes(api, env);
      launchRoutes(api, env);
      preparationRoutes(api, env);
      preparationLaunchRoutes(api, env);
      courseRoutes(api, env);
      eventRoutes(api, env);
      orderRoutes(api, env);
      messageRoutes(api, env);
      exportRoutes(api, env);
      optOutRoutes(api, env);
      inboxRoutes(api, env);
      conversationRoutes(api, env);
      findRoutes(api, env);
      moneyRoutes(api, env);
      decisionRoutes(api, env);
      webhookRoutes(api, env);
      accountRoutes(api, env);
      taskRoutes(api, env);
      alertEndpointRoutes(api, env);
      removalRoutes(api, env);
      document = () => plain.swagger();
    },
    { prefix: API_PREFIX },
  );
  // Programs look for it here first.
  app.get('/openapi.json', { config: { may: 'viewer' } }, () => document());
}
