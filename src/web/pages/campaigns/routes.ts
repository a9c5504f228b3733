import type { FastifyInstance, FastifyRequest } from 'fastify';
import { fieldsOf } from '../../form-fields.ts';
import { answerPage } from '../../send-page.ts';
import type { WebEnv } from '../../web-env.ts';
import { type CampaignsWish, LISTED_STATES, readCampaigns } from './read-campaigns.ts';
import { campaignsView } from './view.ts';

/** The list of campaigns, which is also the first page. */
export function campaignsRoutes(app: FastifyInstance, env: WebEnv): void {
  app.get('/', { config: { may: 'viewer' } }, (_request, reply) => reply.redirect('/campaigns', 303));
  app.get('/campaigns', { config: { may: 'viewer' } }, async (request, reply) => {
    const now = await readCampaigns(env, wishOf(request));
    return answerPage(request, reply, {
      env,
      content: (frame) => ({ title: frame.words.campaigns.title, main: campaignsView(frame, now) }),
    });
  });
}

/** What does not fit is left out: an address of a stranger asks for the whole list. */
function wishOf(request: FastifyRequest): CampaignsWish {
  const { name = '', state = '', older = '' } = fieldsOf(request);
  return {
    name: name.trim(),
    state: LISTED_STATES.find((each) => each === state) ?? null,
    cursor: /^\d{1,9}$/.test(older) ? Number(older) : null,
  };
}
