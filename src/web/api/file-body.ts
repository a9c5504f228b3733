import type { FastifyRequest } from 'fastify';
import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import type { Readable } from 'node:stream';
import { z } from 'zod';
import type { Api } from './api-env.ts';
import { ApiError } from './problem.ts';

/* A list of people as the body of a request. */

/** The types that a list has. */
export const LIST_TYPES = [
  'text/csv',
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  'application/octet-stream',
];
/** A body of these types is no list, but something that somebody meant to be read. */
const OTHER_TYPES = /^(?:application\/json|multipart\/|text\/html)/;

/** The query of a route that takes a list. `usual`: its name where none is given. */
export function fileQuery(usual: string) {
  return z.object({
    name: z.string().max(200).default(usual).describe('The name of the file, for people to see.'),
  });
}

/** Adds routes whose body is a stream of any type, because many programs send a file under no type or a wrong one. */
export function withFileBodies(api: Api, routes: (scope: Api) => void): void {
  void api.register(async (plain) => {
    plain.removeAllContentTypeParsers();
    plain.addContentTypeParser('*', (_request, payload, done) => done(null, payload));
    routes(plain.withTypeProvider<ZodTypeProvider>());
  });
}

/** The body as a stream, with the bytes that were announced. Throws ApiError `wrong_type`. */
export function incomingOf({ headers, body }: FastifyRequest, name: string) {
  const type = headers['content-type'] ?? '';
  if (OTHER_TYPES.test(type) || typeof (body as Readable | undefined)?.pipe !== 'function')
    throw new ApiError('wrong_type', 'The body must be a CSV or a workbook.', {
      hint: `Send the file itself as the body, as one of ${LIST_TYPES.join(', ')}.`,
    });
  const announced = headers['content-length'];
  return { name, stream: body as Readable, length: announced === undefined ? null : Number(announced) };
}
