import fastify from 'fastify';
import { endWithParent, tell } from './parent.ts';

/*
 * The limit of taking webhooks: Fastify as it comes, a handler that lets it parse the JSON and answers. It leaves out
 * the secret address, the bounds, every other shape that a report may have, and the durable write: what it has answered
 * is known to nobody.
 */

const app = fastify();
app.post('/webhooks/bench', (request, reply) => {
  const { messageid } = request.body as { messageid?: unknown };
  return reply.type('text/plain').send(typeof messageid === 'string' ? 'OK' : 'no messageid');
});
await app.listen({ host: '127.0.0.1', port: 0 });
const address = app.server.address();
tell({ port: typeof address === 'object' ? address?.port : null });
endWithParent();
