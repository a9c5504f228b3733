import type { FastifyInstance, FastifyRequest } from 'fastify';
import { INERT_HEADERS } from '../system/listen.ts';
import { isOwnHost, isSame, type OwnAddress } from './session/own-address.ts';

/** Makes the text for Prometheus. */
export type RenderMetrics = () => Promise<{ contentType: string; body: string }>;

/** `/health`, which everybody may ask, and `/metrics`, which needs its token when there is one, and always behind a proxy. */
export function metricsRoutes(
  app: FastifyInstance,
  { own, token, render }: { own: OwnAddress; token: string | null; render: RenderMetrics },
): void {
  // Many monitors ask by HEAD.
  app.get('/health', { exposeHeadRoute: true, config: { may: 'open' } }, (_request, reply) =>
    reply.headers(INERT_HEADERS).send({ status: 'ok' }),
  );
  app.get('/metrics', { config: { may: 'open' } }, async (request, reply) => {
    void reply.headers(INERT_HEADERS);
    // A proxy brings strangers here, too.
    const needsToken = token !== null || own.publicUrl !== null;
    if (needsToken && (token === null || !isSame(bearerOf(request), token)))
      return reply.code(401).header('www-authenticate', 'Bearer').send({ error: 'a token is needed' });
    // A page that was tricked into asking does not know the token.
    if (token === null && !isOwnHost(request.headers.host ?? '', own))
      return reply.code(403).send({ error: 'this Host is not known here' });
    const { contentType, body } = await render();
    return reply.header('cache-control', 'no-store').type(contentType).send(body);
  });
}

function bearerOf({ headers }: FastifyRequest): string {
  return /^Bearer (.+)$/i.exec(headers.authorization ?? '')?.[1] ?? '';
}
