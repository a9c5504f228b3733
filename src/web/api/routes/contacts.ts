import { z } from 'zod';
import { actorOf } from '../../who.ts';
import type { Api, ApiEnv } from '../api-env.ts';
import { fileQuery, incomingOf, LIST_TYPES, withFileBodies } from '../file-body.ts';
import { revisionOf, sendPreparation } from '../preparation-document.ts';
import { Count, MATCH_HEADERS } from '../schemas/common.ts';
import { Preparation } from '../schemas/plan.ts';

const tags = ['Launch'];
/** Lists of contacts as the body of a request, which is streamed to disk. */
export function contactsRoutes(api: Api, env: ApiEnv): void {
  withFileBodies(api, (scope) => {
    uploadRoute(scope, env);
    preparationRoute(scope, env);
  });
}

function uploadRoute(api: Api, { web }: ApiEnv): void {
  api.post(
    '/contacts',
    {
      config: { may: 'operator', takes: LIST_TYPES },
      schema: {
        tags,
        summary: 'Send a list of contacts: a CSV or an Excel workbook as the body',
        description: 'It is streamed to disk and kept for seven days. Its columns are looked at by the plan.',
        querystring: fileQuery('contacts'),
        response: {
          201: z.object({
            id: z.string(),
            name: z.string(),
            bytes: Count,
            format: z.enum(['csv', 'xlsx']),
            sha256: z.string(),
          }),
        },
      },
    },
    async (request, reply) => {
      const incoming = incomingOf(request, request.query.name);
      const { id, contacts } = await (await web.preparations()).uploadContacts(incoming);
      const { name, bytes, format, sha256 } = contacts;
      return reply.code(201).send({ id, name, bytes, format, sha256 });
    },
  );
}

function preparationRoute(api: Api, { web }: ApiEnv): void {
  api.put(
    '/preparations/:id/contacts',
    {
      config: { may: 'operator', takes: LIST_TYPES },
      schema: {
        tags,
        summary: 'Send the contacts of a preparation as the body',
        params: z.object({ id: z.string() }),
        headers: z.looseObject(MATCH_HEADERS),
        querystring: fileQuery('contacts'),
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
}
