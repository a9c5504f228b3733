import type { FastifyInstance, FastifyReply } from 'fastify';
import type { LaunchQuestion } from '../../../campaign/launch/preview-launch.ts';
import type { Preparation } from '../../../campaign/prepare/preparation.ts';
import { isReason } from '../../../domain/reason.ts';
import { approvalProblem } from '../../../domain/approval.ts';
import { TumaError } from '../../../domain/errors.ts';
import { formField } from '../../form-fields.ts';
import { html, type Html } from '../../views/html.ts';
import { problemParts } from '../../views/problem.ts';
import { notice, type FieldError } from '../../views/notice.ts';
import type { WebEnv } from '../../web-env.ts';
import { LOOK_AGAIN_S } from './check-routes.ts';
import { launchView, TICKED } from './launch-view.ts';
import { pricedNow, soon } from './plan-now.ts';
import { differenceOf, seenOf, type SeenPlan, seenQuery } from './seen-plan.ts';
import { addressOf, NEW_CAMPAIGN } from './steps.ts';
import { trimmed, type Typed } from './form-reading.ts';
import {
  answer,
  atStep,
  isOpen,
  preparationOf,
  revisionOf,
  typedOf,
  type StepVisit,
  visitOf,
} from './visit.ts';

/** The fifth step: the launch, the approval of a second person, and the end of a draft. */
export function launchRoutes(app: FastifyInstance, env: WebEnv): void {
  const config = { may: 'operator' } as const;
  app.get(
    `${NEW_CAMPAIGN}/:id/launch`,
    { config },
    atStep(env, async (visit, preparation) => {
      const typedName = formField(visit.request, 'name');
      return show(visit, await pricedNow(visit, preparation), { seen: seenOf(visit.request), typedName });
    }),
  );
  app.post(`${NEW_CAMPAIGN}/:id/launch`, { config }, atStep(env, launch));
  app.post(`${NEW_CAMPAIGN}/:id/ask`, { config }, async (request, reply) => {
    const visit = await visitOf(request, reply, env);
    const { id } = await preparationOf(visit);
    const change = { revision: revisionOf(typedOf(visit)), actor: visit.actor };
    return orShow(visit, () => visit.preparations.ask(id, change));
  });
  app.post(`${NEW_CAMPAIGN}/:id/refuse`, { config: { may: 'approver' } }, async (request, reply) => {
    const visit = await visitOf(request, reply, env);
    return refuse(visit, await preparationOf(visit));
  });
  app.post(`${NEW_CAMPAIGN}/:id/discard`, { config }, async (request, reply) => {
    const visit = await visitOf(request, reply, env);
    const { id } = await preparationOf(visit);
    await visit.preparations.discard(id, { revision: revisionOf(typedOf(visit)), actor: visit.actor });
    return reply.redirect('/campaigns', 303);
  });
}

interface Shown {
  errors?: readonly FieldError[];
  typedName?: string;
  /** The plan that the person launched; null: none. */
  seen?: SeenPlan | null;
  /** Why nothing was done. */
  refused?: TumaError | null;
  status?: number;
}

async function show(visit: StepVisit, preparation: Preparation, shown: Shown): Promise<FastifyReply> {
  const { errors = [], typedName = '', status = 200 } = shown;
  const { frame, preparations, env, reply, actor } = visit;
  const { plan, job } = preparation;
  if (plan?.planning === 'running') void reply.header('refresh', LOOK_AGAIN_S);
  const { optOutText } = await env.launchSettings();
  const isNeeded = await preparations.approvalNeeded();
  const approvers = isNeeded ? await preparations.approvers(preparation) : [];
  const page = {
    preparation,
    errors,
    typedName,
    approval: { isNeeded, mayApprove: approvalProblem(preparation, actor) === null, approvers },
    appended: job.kind === 'promotional' ? optOutText : '',
  };
  const main = html`${refusal(visit, preparation, shown)}${launchView(frame, page)}`;
  return answer(visit, 'launch', { main, status });
}

/** Why nothing was done; also where a launch has found another plan than the one that the person saw. */
function refusal(
  { frame }: StepVisit,
  { plan }: Preparation,
  { seen = null, refused = null }: Shown,
): Html | null {
  const { countChanged } = frame.words.newCampaign.problems;
  const isOther = plan?.planning === 'done' && seen !== null && plan.digest !== seen.digest;
  const changed = isOther ? { title: countChanged, text: differenceOf(frame, seen, plan.document) } : null;
  const why = refused === null ? changed : problemParts(frame, refused);
  return why && html`<div role="alert">${notice({ look: 'bad', ...why })}</div>`;
}

async function launch(visit: StepVisit, preparation: Preparation): Promise<FastifyReply> {
  const typed = typedOf(visit);
  const typedName = trimmed(typed, 'name');
  const errors = problemsOf(visit, preparation, { typed, typedName });
  if (errors.length > 0) return show(visit, preparation, { errors, typedName, status: 422 });
  const accepted: LaunchQuestion[] = ['cost', ...TICKED.filter((each) => typed[each] === 'true')];
  const digest = typed['digest'] ?? '';
  const { preparations, actor, reply } = visit;
  const { id } = preparation;
  try {
    await preparations.beginLaunch(id, { revision: revisionOf(typed), actor, digest, accepted });
  } catch (error) {
    return notDone(visit, error, typedName);
  }
  await soon(preparations.planned(id));
  const { campaign } = await preparations.find(id);
  if (campaign !== null) return reply.redirect(`/campaigns/${campaign}`, 303);
  return reply.redirect(`${addressOf(id, 'launch')}?${seenQuery(preparation, { digest, typedName })}`, 303);
}

async function refuse(visit: StepVisit, preparation: Preparation): Promise<FastifyReply> {
  const typed = typedOf(visit);
  const reason = trimmed(typed, 'reason');
  const { problems } = visit.frame.words.newCampaign;
  if (!isReason(reason))
    return show(visit, preparation, {
      errors: [{ field: 'reason', message: problems.reasonMissing }],
      status: 422,
    });
  const { actor, preparations } = visit;
  const given = { revision: revisionOf(typed), actor, reason };
  return orShow(visit, () => preparations.refuse(preparation.id, given));
}

/** Leads back to the step, which shows what was done, or why it was not. */
async function orShow(visit: StepVisit, act: () => Promise<Preparation>): Promise<FastifyReply> {
  try {
    const { id } = await act();
    return visit.reply.redirect(addressOf(id, 'launch'), 303);
  } catch (error) {
    return notDone(visit, error, '');
  }
}

/** Says why nothing was done, beside what would be launched now. */
async function notDone(visit: StepVisit, error: unknown, typedName: string): Promise<FastifyReply> {
  if (!(error instanceof TumaError)) throw error;
  const preparation = await preparationOf(visit);
  if (!isOpen(visit, preparation)) return visit.reply;
  const status = error.code === 'approval_needed' ? 403 : 409;
  return show(visit, preparation, {
    refused: error,
    typedName,
    status,
  });
}

function problemsOf(
  { frame }: StepVisit,
  { job, plan }: Preparation,
  { typed, typedName }: { typed: Typed; typedName: string },
): FieldError[] {
  const { problems } = frame.words.newCampaign;
  const questions = plan?.planning === 'done' ? plan.questions : [];
  const open = TICKED.filter((each) => questions.includes(each) && typed[each] !== 'true');
  const errors = open.map((field) => ({ field, message: problems.notAccepted }));
  if (typedName === (job.name ?? '')) return errors;
  return [...errors, { field: 'name', message: problems.nameNotSame(job.name ?? '') }];
}
