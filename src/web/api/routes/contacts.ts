import type { FastifyRequest } from 'fastify';
import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import type { Readable } from 'node:stream';
import { z } from 'zod';
import { actorOf } from '../../who.ts';
import type { Api, ApiEnv } from '../api-env.ts';
import { revisionOf, sendPreparation } from '../preparation-document.ts';
import { ApiError } from '../problem.ts';
import { Count, MATCH_HEADERS } from '../schemas/common.ts';
import { Preparation } from '../schemas/plan.ts';

const tags = ['Launch'];
/** The types that a list of contacts has. */
const CONTACTS_TYPES = [
  'text/csv',
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  'application/octet-stream',
];
/** A body of these types is no list, but something that somebody meant to be read. */
const OTHER_TYPES = /^(?:application\/json|multipart\/|text\/html)/;

const FileQuery = z.object({
  name: z.string().max(200).default('contacts').describe('The name of the file, for people to see.'),
});

/** Lists of contacts as the body of a request, which is streamed to disk. */
export function contactsRoutes(api: Api, env: ApiEnv): void {
  // Every type is the same stream, because many programs send a file under no type or a wrong one.
  void api.register(async (plain) => {
    plain.removeAllContentTypeParsers();
    plain.addContentTypeParser('*', (_request, payload, done) => done(null, payload));
    const scope = plain.withTypeProvider<ZodTypeProvider>();
    uploadRoute(scope, env);
    preparationRoute(scope, env);
  });
}

function uploadRoute(api: Api, { web }: ApiEnv): void {
  api.post(
    '/contacts',
    {
      config: { may: 'operator', takes: CONTACTS_TYPES },
      schema: {
        tags,
        summary: 'Send a list of contacts: a CSV or an Excel workbook as the body',
        description: 'It is streamed to disk and kept for seven days. Its columns are looked at by the plan.',
        querystring: FileQuery,
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
      config: { may: 'operator', takes: CONTACTS_TYPES },
      schema: {
        tags,
        summary: 'Send the contacts of a preparation as the body',
        params: z.object({ id: z.string() }),
        headers: z.looseObject(MATCH_HEADERS),
        querystring: FileQuery,
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

/** The body as a stream of contacts. Throws ApiError `wrong_type`. */
function incomingOf({ headers, body }: FastifyRequest, name: string) {
  const type = headers['content-type'] ?? '';
  if (OTHER_TYPES.test(type) || typeof (body as Readable | undefined)?.pipe !== 'function')
    throw new ApiError('wrong_type', 'The body must be a CSV or a workbook.', {
      hint: `Send the file itself as the body, as one of ${CONTACTS_TYPES.join(', ')}.`,
    });
  const announced = headers['content-length'];
  return { name, stream: body as Readable, length: announced === undefined ? null : Number(announced) };
}
