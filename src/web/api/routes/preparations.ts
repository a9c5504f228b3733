import { createReadStream } from 'node:fs';
import { extname } from 'node:path';
import { z } from 'zod';
import type { PreviewOf } from '../../../campaign/prepare/preparation.ts';
import { sendFile } from '../../send-file.ts';
import { actorOf } from '../../who.ts';
import type { Api, ApiEnv } from '../api-env.ts';
import { API_PREFIX } from '../document.ts';
import { keyOf, orKeyUsed, preparationKey } from '../once.ts';
import { preparationDocument, revisionOf, sendPreparation } from '../preparation-document.ts';
import { shownReason } from '../../../domain/row-reason.ts';
import { ApiError } from '../problem.ts';
import { MATCH_HEADERS, ORDER_HEADERS } from '../schemas/common.ts';
import { JOB_KEYS, jobKeysOf } from '../schemas/job-keys.ts';
import { ContactsLook, Preparation, Preview, RowsJudged } from '../schemas/plan.ts';

const tags = ['Launch'];
const OPERATOR = { may: 'operator' } as const;
const params = z.object({ id: z.string() });
const headers = z.looseObject(MATCH_HEADERS);

/** Campaigns that are being prepared: begun, changed, and looked at. */
export function preparationRoutes(api: Api, env: ApiEnv): void {
  listRoutes(api, env);
  beginRoute(api, env);
  changeRoutes(api, env);
  contactsRoute(api, env);
  rowsRoute(api, env);
  lookRoutes(api, env);
}

function listRoutes(api: Api, { web }: ApiEnv): void {
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

function beginRoute(api: Api, { web }: ApiEnv): void {
  api.post(
    '/preparations',
    {
      config: OPERATOR,
      schema: {
        tags,
        summary: 'Begin to prepare a campaign',
        description:
          'Empty, with keys, or with those of an earlier campaign or of a job file of the machine.',
        headers: z.looseObject(ORDER_HEADERS),
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
      const key = keyOf(request);
      const begun = {
        job: jobKeysOf(job),
        ...(from === undefined ? {} : { from }),
        request: key === null ? null : preparationKey(request, key),
      };
      const preparation = await (await web.preparations())
        .create(actorOf(request), begun)
        .catch((error: unknown) => Promise.reject(orKeyUsed(error)));
      void reply.code(201).header('location', `${API_PREFIX}/preparations/${preparation.id}`);
      return sendPreparation(reply, preparation);
    },
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

function contactsRoute(api: Api, { web }: ApiEnv): void {
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

function rowsRoute(api: Api, { web }: ApiEnv): void {
  api.get(
    '/preparations/:id/rows',
    {
      config: OPERATOR,
      schema: {
        tags,
        summary: 'How many rows of the contacts can get a message, and why the others cannot',
        description: 'Before there is a plan, which knows better and says the same of its rows.',
        params,
        response: { 200: z.object({ rows: RowsJudged.nullable() }) },
      },
    },
    async ({ params: { id } }) => {
      const rows = await (await web.preparations()).judge(id);
      if (rows === null) return { rows };
      const reasons = rows.reasons.map(({ reason, ...each }) => ({ ...shownReason(reason), ...each }));
      return { rows: { ...rows, reasons } };
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
      const { problem } = message;
      return { ...message, problem: problem === null ? null : shownReason(problem) };
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
      const { file } = rejects;
      const type = 'application/octet-stream';
      return sendFile(reply, {
        name: `rejects${extname(file)}`,
        type,
        content: createReadStream(file),
      }) as never;
    },
  );
}
