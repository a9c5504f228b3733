import type { FastifyInstance } from 'fastify';
import { LANGUAGE_COOKIE } from '../words/words.ts';

const YEAR_S = 365 * 86_400;

/** The choice of a language, which a cookie keeps. */
export function languageRoutes(app: FastifyInstance): void {
  app.post('/language', { config: { may: 'open' } }, (request, reply) => {
    const { language, from } = request.body as { language?: string; from?: string };
    if (language === 'en' || language === 'sw')
      void reply.setCookie(LANGUAGE_COOKIE, language, { path: '/', maxAge: YEAR_S, sameSite: 'strict' });
    // Only a path of ours: `//host` would be another one.
    const isOwn = typeof from === 'string' && /^\/(?!\/)[\w/.~-]*$/.test(from);
    return reply.redirect(isOwn ? from : '/campaigns', 303);
  });
}
