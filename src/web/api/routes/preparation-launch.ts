import { z } from 'zod';
import { openQuestions } from '../../../campaign/prepare/launch-at-once.ts';
import type { Preparation as Prepared } from '../../../campaign/prepare/preparation.ts';
import { actorOf } from '../../who.ts';
import { answersNeeded } from '../answers-needed.ts';
import type { Api, ApiEnv } from '../api-env.ts';
import { API_PREFIX } from '../document.ts';
import { done } from '../once.ts';
import { revisionOf, sendPreparation } from '../preparation-document.ts';
import { Count, MATCH_HEADERS, ORDER_HEADERS } from '../schemas/common.ts';
import { JOB_LIMITS } from '../../../domain/job.ts';
import { MOST_REASON_CHARS } from '../../../domain/reason.ts';
import { Line, Number } from '../schemas/given.ts';
import { Preparation, Question } from '../schemas/plan.ts';

const tags = ['Launch'];
const OPERATOR = { may: 'operator' } as const;
const params = z.object({ id: z.string() });
const headers = z.looseObject(MATCH_HEADERS);

/** What becomes of a preparation: its plan, its launch, approval by a second person, a test. */
export function preparationLaunchRoutes(api: Api, env: ApiEnv): void {
  planRoutes(api, env);
  launchRoute(api, env);
  approvalRoutes(api, env);
  testRoute(api, env);
}

function planRoutes(api: Api, { web }: ApiEnv): void {
  api.post(
    '/preparations/:id/plan',
    {
      config: OPERATOR,
      schema: {
        tags,
        summary: 'Plan a preparation: ask for it again until `plan` is done',
        params,
        headers,
        body: z
          .strictObject({ anew: z.boolean().default(false).describe('Also where it is planned already.') })
          .nullish(),
        response: { 202: Preparation },
      },
    },
    async (request, reply) => {
      const { anew = false } = request.body ?? {};
      const change = { revision: revisionOf(request), actor: actorOf(request), anew };
      const preparation = await (await web.preparations()).plan(request.params.id, change);
      void reply.code(202);
      return sendPreparation(reply, preparation);
    },
  );
}

const Accepted = z
  .array(Question)
  .default([])
  .describe('All questions of the plan, answered with yes; `cost` need not be among them.');

const Launched = z.object({ id: z.string().describe('The id of the campaign.'), preparation: z.string() });

function launchRoute(api: Api, { web, repeats }: ApiEnv): void {
  api.post(
    '/preparations/:id/launch',
    {
      config: OPERATOR,
      schema: {
        tags,
        summary: 'Launch what was planned',
        description:
          'The plan is made again and must be the one that `digest` names, else nothing is launched (`preparation_changed`). A second launch gives the same campaign. Where a second person must approve, only an approver launches it, on the pages.',
        params,
        headers: z.looseObject({ ...ORDER_HEADERS, ...MATCH_HEADERS }),
        body: z.strictObject({
          digest: z.string().describe('That of the plan which was seen, with its cost.'),
          accept: Accepted,
        }),
        response: { 201: Launched },
      },
    },
    async (request, reply) => {
      const { id } = request.params;
      const { digest, accept } = request.body;
      const { document } = await repeats.once(request, async () => {
        const preparations = await web.preparations();
        const actor = actorOf(request);
        const preparation = await preparations.find(id);
        const isSeen = request.headers['if-match'] !== undefined;
        const revision = isSeen ? revisionOf(request) : preparation.revision;
        requireAnswers(preparation, request.body);
        // Who names the digest has seen the cost.
        const launch = { revision, actor, digest, accepted: [...accept, 'cost' as const] };
        const { campaign } = await preparations.launch(id, launch);
        return done({ id: campaign, preparation: id });
      });
      return reply.code(201).header('location', `${API_PREFIX}/campaigns/${document.id}`).send(document);
    },
  );
}

/** Throws ApiError `answers_needed` for questions of the plan that was seen; another plan is refused as such. */
function requireAnswers(
  { id, campaign, plan }: Prepared,
  { digest, accept }: { digest: string; accept: z.output<typeof Accepted> },
): void {
  if (campaign !== null || plan?.planning !== 'done' || plan.digest !== digest) return;
  const questions = openQuestions(plan, accept);
  if (questions.length > 0) throw answersNeeded(id, questions);
}

function approvalRoutes(api: Api, { web }: ApiEnv): void {
  api.post(
    '/preparations/:id/ask',
    {
      config: OPERATOR,
      schema: {
        tags,
        summary: 'Ask a second person for approval of what was planned',
        params,
        headers,
        body: z.strictObject({}).nullish(),
        response: { 200: Preparation },
      },
    },
    async (request, reply) => {
      const change = { revision: revisionOf(request), actor: actorOf(request) };
      return sendPreparation(reply, await (await web.preparations()).ask(request.params.id, change));
    },
  );
  api.post(
    '/preparations/:id/refuse',
    {
      config: { may: 'approver' },
      schema: {
        tags,
        summary: 'Say no to what waits for approval',
        description: 'Only a person may, not a program.',
        params,
        headers,
        body: z.strictObject({ reason: z.string().trim().min(1).max(MOST_REASON_CHARS) }),
        response: { 200: Preparation },
      },
    },
    async (request, reply) => {
      const change = { revision: revisionOf(request), actor: actorOf(request) };
      const { reason } = request.body;
      return sendPreparation(
        reply,
        await (await web.preparations()).refuse(request.params.id, { ...change, reason }),
      );
    },
  );
}

function testRoute(api: Api, { web, repeats }: ApiEnv): void {
  api.post(
    '/preparations/:id/test',
    {
      config: OPERATOR,
      schema: {
        tags,
        summary: 'Send one real message of a row to phones of your own',
        description: 'It costs what a message costs, and is a campaign of its own.',
        params,
        headers: z.looseObject({ ...ORDER_HEADERS, ...MATCH_HEADERS }),
        body: z.strictObject({
          to: z.array(Number(web.config.country)).min(1).max(JOB_LIMITS.testPhones),
          line: Line.nullable().default(null).describe('Of this row; null: of the longest message.'),
        }),
        response: { 200: z.object({ campaign: z.string(), line: z.int(), segments: Count }) },
      },
    },
    async (request) => {
      const { to, line } = request.body;
      const { document } = await repeats.once(request, async () => {
        const isSeen = request.headers['if-match'] !== undefined;
        const revision = isSeen ? revisionOf(request) : null;
        const order = { to, line, revision, actor: actorOf(request) };
        const {
          campaign,
          line: shown,
          segments,
        } = await (await web.preparations()).test(request.params.id, order);
        return done({ campaign, line: shown, segments });
      });
      return document;
    },
  );
}
