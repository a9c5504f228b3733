import type { FastifyInstance } from 'fastify';
import { formField, ownPath } from '../form-fields.ts';
import { LANGUAGE_COOKIE } from '../words/words.ts';

const YEAR_S = 365 * 86_400;

/** The choice of a language, which a cookie keeps. */
export function languageRoutes(app: FastifyInstance): void {
  app.post('/language', { config: { may: 'open' } }, (request, reply) => {
    const language = formField(request, 'language');
    if (language === 'en' || language === 'sw')
      void reply.setCookie(LANGUAGE_COOKIE, language, { path: '/', maxAge: YEAR_S, sameSite: 'strict' });
    return reply.redirect(ownPath(formField(request, 'from')), 303);
  });
}
