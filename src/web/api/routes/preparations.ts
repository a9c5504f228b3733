import { createReadStream } from 'node:fs';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { Preparation as Prepared, PreviewOf } from '../../../campaign/prepare/preparation.ts';
import { actorOf } from '../../who.ts';
import type { Api, ApiEnv } from '../api-env.ts';
import { API_PREFIX } from '../document.ts';
import { done } from '../once.ts';
import { preparationDocument } from '../preparation-document.ts';
import { ApiError } from '../problem.ts';
import { Count, MATCH_HEADERS, ORDER_HEADERS } from '../schemas/common.ts';
import { Line, Number } from '../schemas/given.ts';
import { JOB_KEYS, jobKeysOf } from '../schemas/job-keys.ts';
import { ContactsLook, Preparation, Preview, Question } from '../schemas/plan.ts';
import { CONTACTS_TYPES, incomingOf } from './launch.ts';

const tags = ['Launch'];
const OPERATOR = { may: 'operator' } as const;
const params = z.object({ id: z.string() });
const headers = z.looseObject(MATCH_HEADERS);
const MOST_TESTS = 5;

/** Campaigns that are being prepared, step by step, as the pages do. */
export function preparationRoutes(api: Api, env: ApiEnv): void {
  beginRoutes(api, env);
  changeRoutes(api, env);
  contactsRoutes(api, env);
  lookRoutes(api, env);
  planRoutes(api, env);
  launchRoute(api, env);
  approvalRoutes(api, env);
  testRoute(api, env);
}

/** Answers with a preparation. Its revision is the `ETag` that a change names. */
function sendPreparation(reply: FastifyReply, preparation: Prepared): z.output<typeof Preparation> {
  void reply.header('etag', `"${preparation.revision}"`);
  return preparationDocument(preparation);
}

/** The revision that the caller saw. Throws ApiError `match_needed` and `changed`. */
function revisionOf({ headers: { 'if-match': given } }: FastifyRequest): number {
  if (given === undefined)
    throw new ApiError('match_needed', 'Say which revision was seen.', {
      hint: 'Send If-Match with the ETag of the preparation.',
    });
  const revision = /^"(\d{1,9})"$/.exec(given.trim())?.[1];
  if (revision === undefined) throw new ApiError('changed', 'This ETag is none of a preparation.');
  return globalThis.Number(revision);
}

function beginRoutes(api: Api, { web }: ApiEnv): void {
  api.get(
    '/preparations',
    {
      config: OPERATOR,
      schema: {
        tags,
        summary: 'Campaigns that are being prepared, the newest change first',
        response: { 200: z.object({ preparations: z.array(Preparation) }) },
      },
    },
    async () => ({ preparations: (await (await web.preparations()).list()).map(preparationDocument) }),
  );
  api.post(
    '/preparations',
    {
      config: OPERATOR,
      schema: {
        tags,
        summary: 'Begin to prepare a campaign',
        description:
          'Empty, with keys, or with those of an earlier campaign or of a job file of the machine.',
        body: z
          .strictObject({
            job: z.strictObject(JOB_KEYS).optional(),
            from: z
              .union([z.strictObject({ campaign: z.string() }), z.strictObject({ file: z.string() })])
              .optional(),
          })
          .nullish(),
        response: { 201: Preparation },
      },
    },
    async (request, reply) => {
      const { job = {}, from } = request.body ?? {};
      const begun = { job: jobKeysOf(job), ...(from === undefined ? {} : { from }) };
      const preparation = await (await web.preparations()).create(actorOf(request), begun);
      void reply.code(201).header('location', `${API_PREFIX}/preparations/${preparation.id}`);
      return sendPreparation(reply, preparation);
    },
  );
  api.get(
    '/job-files',
    {
      config: OPERATOR,
      schema: {
        tags,
        summary: 'The job files of the machine that a preparation can begin from',
        response: { 200: z.object({ files: z.array(z.object({ file: z.string(), name: z.string() })) }) },
      },
    },
    async () => ({ files: await (await web.preparations()).jobFiles() }),
  );
}

function changeRoutes(api: Api, { web }: ApiEnv): void {
  api.get(
    '/preparations/:id',
    {
      config: OPERATOR,
      schema: { tags, summary: 'One preparation, with its plan', params, response: { 200: Preparation } },
    },
    async (request, reply) => {
      return sendPreparation(reply, await (await web.preparations()).find(request.params.id));
    },
  );
  api.patch(
    '/preparations/:id',
    {
      config: OPERATOR,
      schema: {
        tags,
        summary: 'Change keys of a preparation',
        description: 'Keys that are left out stay; null removes one. The plan goes.',
        params,
        headers,
        body: z.strictObject({ job: z.strictObject(JOB_KEYS) }),
        response: { 200: Preparation },
      },
    },
    async (request, reply) => {
      const change = { revision: revisionOf(request), actor: actorOf(request) };
      const job = jobKeysOf(request.body.job);
      return sendPreparation(
        reply,
        await (await web.preparations()).change(request.params.id, { ...change, job }),
      );
    },
  );
  api.delete(
    '/preparations/:id',
    {
      config: OPERATOR,
      schema: {
        tags,
        summary: 'End a preparation, with its files',
        params,
        headers,
        response: { 200: z.object({ ended: z.literal(true) }) },
      },
    },
    async (request) => {
      const change = { revision: revisionOf(request), actor: actorOf(request) };
      await (await web.preparations()).discard(request.params.id, change);
      return { ended: true as const };
    },
  );
}

function contactsRoutes(api: Api, { web }: ApiEnv): void {
  api.put(
    '/preparations/:id/contacts',
    {
      config: { ...OPERATOR, takes: CONTACTS_TYPES },
      schema: {
        tags,
        summary: 'Send the contacts of a preparation as the body',
        params,
        headers,
        querystring: z.object({ name: z.string().max(200).default('contacts') }),
        response: { 200: Preparation },
      },
    },
    async (request, reply) => {
      const change = { revision: revisionOf(request), actor: actorOf(request) };
      const incoming = incomingOf(request, request.query.name);
      const preparations = await web.preparations();
      return sendPreparation(
        reply,
        await preparations.keepContacts(request.params.id, { ...change, ...incoming }),
      );
    },
  );
  api.get(
    '/preparations/:id/contacts',
    {
      config: OPERATOR,
      schema: {
        tags,
        summary: 'The first rows of the contacts, and the column of numbers',
        params,
        response: { 200: ContactsLook },
      },
    },
    async ({ params: { id } }) => {
      const { headerLine, ...look } = await (await web.preparations()).look(id);
      return { ...look, header_line: headerLine };
    },
  );
}

function lookRoutes(api: Api, { web }: ApiEnv): void {
  api.get(
    '/preparations/:id/preview',
    {
      config: OPERATOR,
      schema: {
        tags,
        summary: 'One message as it would leave',
        params,
        querystring: z.object({
          of: z.enum(['first', 'longest', 'line', 'after', 'before']).default('first'),
          line: z.coerce.number().int().min(1).optional().describe('For line, after and before.'),
        }),
        response: { 200: Preview },
      },
    },
    async ({ params: { id }, query: { of, line = 1 } }) => {
      const wanted = of === 'first' || of === 'longest' ? of : ({ [of]: line } as PreviewOf);
      const message = await (await web.preparations()).preview(id, wanted);
      if (message === null) throw new ApiError('not_here', 'There is no such row.');
      return message;
    },
  );
  api.get(
    '/preparations/:id/rejects',
    {
      config: OPERATOR,
      schema: {
        tags,
        summary: 'The rows that the plan rejected, with reasons, as a file like the contacts',
        params,
        response: {
          200: {
            description: 'A CSV or a workbook.',
            content: { 'application/octet-stream': { schema: z.string() } },
          },
        },
      },
    },
    async ({ params: { id } }, reply) => {
      const rejects = await (await web.preparations()).rejects(id);
      if (rejects === null) throw new ApiError('not_here', 'No row was rejected.');
      // The name is words of a person, and a header takes only some.
      void reply.type('application/octet-stream').header('content-disposition', 'attachment');
      return reply.send(createReadStream(rejects.file) as never);
    },
  );
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
          digest: z.string().describe('That of the plan which was seen.'),
          accept: z.array(Question).describe('All questions of the plan, answered with yes.'),
        }),
        response: { 201: Launched },
      },
    },
    async (request, reply) => {
      const { id } = request.params;
      const { digest, accept: accepted } = request.body;
      const { document } = await repeats.once(request, async () => {
        const preparations = await web.preparations();
        const actor = actorOf(request);
        const seen = request.headers['if-match'];
        const { revision } =
          seen === undefined ? await preparations.find(id) : { revision: revisionOf(request) };
        const { campaign } = await preparations.launch(id, { revision, actor, digest, accepted });
        return done({ id: campaign, preparation: id });
      });
      return reply.code(201).header('location', `${API_PREFIX}/campaigns/${document.id}`).send(document);
    },
  );
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
        body: z.strictObject({ reason: z.string().trim().min(1).max(500) }),
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
        headers: z.looseObject(ORDER_HEADERS),
        body: z.strictObject({
          to: z.array(Number(web.config.country)).min(1).max(MOST_TESTS),
          line: Line.nullable().default(null).describe('Of this row; null: of the longest message.'),
        }),
        response: { 200: z.object({ campaign: z.string(), line: z.int(), segments: Count }) },
      },
    },
    async (request) => {
      const { to, line } = request.body;
      const { document } = await repeats.once(request, async () => {
        const order = { to, line, actor: actorOf(request) };
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
