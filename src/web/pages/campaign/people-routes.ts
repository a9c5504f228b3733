import { campaignWithId } from '../../../campaign/operator/campaign-with-id.ts';
import type { FastifyInstance } from 'fastify';
import { fieldsOf } from '../../form-fields.ts';
import { answerPage } from '../../send-page.ts';
import type { WebEnv } from '../../web-env.ts';
import { peopleView } from './people-view.ts';

const PAGE_ROWS = 50;

/** The people of a campaign, a page at a time by their place. Each leads to the page of the message, and to its cancel. */
export function peopleRoutes(app: FastifyInstance, env: WebEnv): void {
  app.get('/campaigns/:id/people', { config: { may: 'viewer' } }, async (request, reply) => {
    const reader = await env.reader();
    const { n } = await campaignWithId(reader, (request.params as { id: string }).id);
    const { campaign, state } = await reader.overview(n);
    const { after = '0' } = fieldsOf(request);
    const afterSeq = /^\d{1,9}$/.test(after) ? Number(after) : 0;
    const rows = await reader.messages({ campaign: n, afterSeq, limit: PAGE_ROWS, states: null });
    const next = rows.length < PAGE_ROWS ? null : (rows.at(-1)?.seq ?? null);
    const content = { campaign, state, rows, next, isFirst: afterSeq === 0 };
    return answerPage(request, reply, { env, content: (frame) => peopleView(frame, content) });
  });
}
