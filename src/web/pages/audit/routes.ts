import type { FastifyInstance } from 'fastify';
import { fieldsOf } from '../../form-fields.ts';
import { answerPage } from '../../send-page.ts';
import type { WebEnv } from '../../web-env.ts';
import { type AuditShown, auditView } from './view.ts';
import { campaignWithId } from '../../../campaign/operator/campaign-with-id.ts';

const ENTRIES_A_PAGE = 100;

/** The audit, of everything or of one campaign. */
export function auditRoutes(app: FastifyInstance, env: WebEnv): void {
  app.get('/audit', { config: { may: 'viewer' } }, async (request, reply) => {
    const { before = '', campaign: id = null } = fieldsOf(request);
    const shown = await readAudit(env, { place: placeIn(before), id });
    return answerPage(request, reply, {
      env,
      content: (frame) => ({ title: frame.words.audit.title, main: auditView(frame, shown) }),
    });
  });
}

async function readAudit(
  env: WebEnv,
  { place, id }: { place: number | null; id: string | null },
): Promise<AuditShown> {
  const reader = await env.reader();
  const campaign = id === null ? null : await campaignWithId(reader, id);
  const { entries, next } = await reader.auditPage({
    campaign: campaign?.n ?? null,
    before: place,
    limit: ENTRIES_A_PAGE,
  });
  const only = campaign === null ? '' : `&campaign=${campaign.id}`;
  return {
    entries,
    older: next === null ? null : `/audit?before=${next}${only}`,
    isFirst: place === null,
    campaign: campaign === null ? null : { id: campaign.id, name: campaign.name },
  };
}

/** The end of the page before, as its address names it; null: the first page. */
function placeIn(before: string): number | null {
  return /^\d{1,16}$/.test(before) ? Number(before) : null;
}
