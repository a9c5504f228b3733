import type { FastifyInstance } from 'fastify';

/**
 * A body of no bytes is no body, also where the request calls it JSON: many programs send the same header with each
 * call, and an order such as a pause has nothing to say.
 */
export function takeEmptyBodies(api: FastifyInstance): void {
  const parse = api.getDefaultJsonParser('error', 'error');
  api.addContentTypeParser<string>('application/json', { parseAs: 'string' }, (request, body, done) => {
    if (body === '') return done(null);
    // It answers by `done`, at once.
    void parse(request, body, done);
  });
}
