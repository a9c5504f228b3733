import { createReadStream } from 'node:fs';
import { extname } from 'node:path';
import type { FastifyInstance, FastifyReply } from 'fastify';
import type { Preparation } from '../../../campaign/prepare/preparation.ts';
import { TumaError } from '../../../domain/errors.ts';
import { sendFile } from '../../send-file.ts';
import { formField } from '../../form-fields.ts';
import type { FieldError } from '../../views/notice.ts';
import type { WebEnv } from '../../web-env.ts';
import { checkView } from './check-view.ts';
import { planNow, pricedNow } from './plan-now.ts';
import { addressOf, NEW_CAMPAIGN } from './steps.ts';
import { trimmed } from './form-reading.ts';
import { answer, atStep, preparationOf, revisionOf, typedOf, type StepVisit, visitOf } from './visit.ts';
import { problemLine } from '../../views/problem.ts';
import { NoSuchPage } from '../../no-such-page.ts';

/** How often a page looks whether its plan is there, in seconds. */
export const LOOK_AGAIN_S = '2';

/** The fourth step: the plan, a test, and the rows that are left out. */
export function checkRoutes(app: FastifyInstance, env: WebEnv): void {
  const config = { may: 'operator' } as const;
  app.get(
    `${NEW_CAMPAIGN}/:id/check`,
    { config },
    atStep(env, async (visit, preparation) => {
      const tested = formField(visit.request, 'tested');
      const shown = await pricedNow(visit, preparation);
      return show(visit, shown, { tested: /^[\w-]+$/.test(tested) ? tested : null });
    }),
  );
  app.post(
    `${NEW_CAMPAIGN}/:id/plan`,
    { config },
    atStep(env, async (visit, preparation) => {
      await planNow(visit, preparation, { anew: true });
      return visit.reply.redirect(addressOf(preparation.id, 'check'), 303);
    }),
  );
  app.post(`${NEW_CAMPAIGN}/:id/test`, { config }, atStep(env, test));
  app.get(`${NEW_CAMPAIGN}/:id/rejects`, { config }, async (request, reply) => {
    const { id } = await preparationOf(await visitOf(request, reply, env));
    return sendRejects(reply, await (await env.preparations()).rejects(id));
  });
}

interface Shown {
  errors?: readonly FieldError[];
  to?: string;
  tested?: string | null;
  status?: number;
}

async function show(visit: StepVisit, preparation: Preparation, shown: Shown): Promise<FastifyReply> {
  const { errors = [], to = '', tested = null, status = 200 } = shown;
  // Nothing is typed on this page while its plan is made.
  if (preparation.plan?.planning === 'running') void visit.reply.header('refresh', LOOK_AGAIN_S);
  const networks = await visit.env.networkNames();
  const main = checkView(visit.frame, { preparation, errors, to, tested, networks });
  return answer(visit, 'check', { main, status });
}

async function test(visit: StepVisit, preparation: Preparation): Promise<FastifyReply> {
  const typed = typedOf(visit);
  const to = trimmed(typed, 'to');
  const { preparations, actor, frame } = visit;
  const { problems } = frame.words.newCampaign;
  if (to === '')
    return show(visit, preparation, {
      errors: [{ field: 'to', message: problems.numberWrong }],
      status: 422,
    });
  try {
    const revision = typed['revision'] ? revisionOf(typed) : null;
    const order = { to: [to], line: null, revision, actor };
    const { campaign } = await preparations.test(preparation.id, order);
    return visit.reply.redirect(
      `${addressOf(preparation.id, 'check')}?tested=${encodeURIComponent(campaign)}`,
      303,
    );
  } catch (error) {
    if (!(error instanceof TumaError)) throw error;
    const errors = [{ field: 'to', message: problemLine(frame, error) }];
    return show(visit, preparation, { errors, to, status: 422 });
  }
}

function sendRejects(reply: FastifyReply, rejects: { file: string; name: string } | null): FastifyReply {
  if (rejects === null) throw new NoSuchPage();
  // Only the ending is the person's: a header takes no name of a stranger.
  return sendFile(reply, {
    name: `rejects${extname(rejects.file)}`,
    content: createReadStream(rejects.file),
  });
}
