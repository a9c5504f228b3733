import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { type LaunchedAtOnce, launchAtOnce } from '../../../campaign/prepare/launch-at-once.ts';
import type { DonePlan } from '../../../campaign/prepare/preparation.ts';
import { actorOf } from '../../who.ts';
import { answersNeeded } from '../answers-needed.ts';
import type { Api, ApiEnv } from '../api-env.ts';
import { API_PREFIX } from '../document.ts';
import { keyOf, orKeyUsed, preparationKey } from '../once.ts';
import { shownPlan } from '../plan-document.ts';
import { ApiError } from '../problem.ts';
import { ORDER_HEADERS } from '../schemas/common.ts';
import { Amount } from '../schemas/given.ts';
import { JOB_KEYS, jobKeysOf } from '../schemas/job-keys.ts';
import { Plan, Question, UnseenQuestion } from '../schemas/plan.ts';

const tags = ['Launch'];
/** An answer comes within this time, also while a large list is planned. */
const USUAL_WAIT_S = 20;
const LONGEST_WAIT_S = 60;

const Answer = z
  .object({
    id: z.string().nullable().describe('The id of the campaign; null: none yet.'),
    changed: z
      .boolean()
      .describe('False: nothing was launched, or these files are a campaign that has sent everything.'),
    plan: Plan.nullable().describe(
      'What is launched; null: it is still planned, or was launched before a restart of Tuma.',
    ),
    questions: z
      .array(Question)
      .describe('Of a dry run: what a launch must accept; its `digest` answers `cost`.'),
    digest: z.string().nullable().describe('Of a dry run: what a launch of the preparation names.'),
    preparation: z.string().describe('The id of the preparation.'),
  })
  .meta({ id: 'Launch' });

function launchBody({ web }: ApiEnv) {
  return (
    z
      .strictObject({
        ...JOB_KEYS,
        contacts: z.string().min(1).describe('The id that POST /contacts gave.'),
        max_cost: Amount(web.config.currency)
          .optional()
          .describe('It is refused where it may cost more, and never costs more.'),
        partial: z.boolean().default(false).describe('Launch also where the balance may not suffice.'),
        accept: z
          .array(UnseenQuestion)
          .default([])
          .describe('Questions of the plan that are answered with yes, before it is seen.'),
        dry_run: z.boolean().default(false).describe('Only plan. The preparation can be launched later.'),
      })
      // The schema of job files misses these, so that all that is wrong is told at once.
      .meta({ required: ['name', 'kind', 'message', 'contacts'] })
  );
}

const MOST_REMEMBERED = 100;

/** The plans of the latest launches, for a call that goes on where the one before it ended. */
class LatestPlans {
  readonly #plans = new Map<string, DonePlan>();

  remembered(result: LaunchedAtOnce): LaunchedAtOnce {
    if (result.outcome !== 'launched' && result.outcome !== 'running') return result;
    const { id } = result.preparation;
    const plan = result.plan ?? this.#plans.get(id) ?? null;
    if (plan === null) return result;
    this.#plans.delete(id);
    this.#plans.set(id, plan);
    const [oldest] = this.#plans.keys();
    if (this.#plans.size > MOST_REMEMBERED && oldest !== undefined) this.#plans.delete(oldest);
    return { ...result, plan };
  }
}

/** A launch by one call. */
export function launchRoutes(api: Api, env: ApiEnv): void {
  const plans = new LatestPlans();
  api.post(
    '/campaigns',
    {
      config: { may: 'operator' },
      schema: {
        tags,
        summary: 'Launch a campaign by one call',
        description:
          'Takes the keys of a job file (docs/jobs.md), plans, and launches what keeps to the limits. 202: a large list is still planned; send the same request with the same key again, and it goes on where it was. The same contacts and text never make a second campaign. `Prefer: wait=5` shortens the wait for the answer (seconds, at most 60).',
        headers: z.looseObject({
          ...ORDER_HEADERS,
          prefer: z.string().optional().describe('`wait=` and the seconds that the caller waits.'),
        }),
        body: launchBody(env),
        response: { 200: Answer, 201: Answer, 202: Answer },
      },
    },
    async (request, reply) => {
      const key = keyOf(request);
      const launch = () => launchOf(env, request, key);
      const result = key === null ? await launch() : await env.repeats.alone(key, launch);
      return answer(reply, plans.remembered(result));
    },
  );
}

async function launchOf(
  { web }: ApiEnv,
  request: FastifyRequest,
  key: ReturnType<typeof keyOf>,
): Promise<LaunchedAtOnce> {
  const body = request.body as z.output<ReturnType<typeof launchBody>>;
  const env = { preparations: await web.preparations(), clock: web.clock };
  try {
    return await launchAtOnce(env, {
      actor: actorOf(request),
      job: jobKeysOf(body),
      contacts: body.contacts,
      maxCostMicro: body.max_cost ?? null,
      partial: body.partial,
      accepted: body.accept,
      dryRun: body.dry_run,
      request: key === null ? null : preparationKey(request, key),
      withinMs: waitOf(request) * 1_000,
    });
  } catch (error) {
    throw key === null ? error : orKeyUsed(error);
  }
}

function waitOf({ headers }: FastifyRequest): number {
  const wished = /\bwait=(\d{1,4})\b/.exec(String(headers['prefer'] ?? ''))?.[1];
  return wished === undefined ? USUAL_WAIT_S : Math.min(LONGEST_WAIT_S, Number(wished));
}

function answer(reply: FastifyReply, result: LaunchedAtOnce): FastifyReply {
  if (result.outcome === 'wrong')
    throw new ApiError('request_invalid', 'Keys of the campaign are wrong or missing.', {
      errors: result.problems,
    });
  const { outcome, preparation } = result;
  if (outcome === 'questions') throw answersNeeded(preparation.id, result.questions);
  const { id } = preparation;
  const nothing = { id: null, changed: false, plan: null, questions: [], digest: null, preparation: id };
  if (outcome === 'running')
    return reply.code(202).header('location', `${API_PREFIX}/preparations/${id}`).send(nothing);
  if (outcome === 'planned') {
    const { document, questions, digest } = result.plan;
    return reply.code(200).send({ ...nothing, plan: shownPlan(document), questions, digest });
  }
  const isLaunched = outcome === 'launched';
  const document = isLaunched ? (result.plan?.document ?? null) : null;
  const plan = document === null ? null : shownPlan(document);
  return reply
    .code(isLaunched ? 201 : 200)
    .header('location', `${API_PREFIX}/campaigns/${result.campaign}`)
    .send({ ...nothing, id: result.campaign, changed: isLaunched, plan });
}
