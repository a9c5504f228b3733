import type { FastifyInstance } from 'fastify';
import { parseMobile } from '../../../domain/numbers/mobile.ts';
import { find, MOST_SEARCHED_CHARS } from '../../../reports/find.ts';
import { formField } from '../../form-fields.ts';
import { answerPage } from '../../send-page.ts';
import { sealsOf } from '../../session/sealed.ts';
import type { WebEnv } from '../../web-env.ts';
import { findView, type Search } from './view.ts';
import { NoSuchPage } from '../../no-such-page.ts';

/** Find. What was typed stands sealed in the address of its results, because it may be a number. */
export function findRoutes(app: FastifyInstance, env: WebEnv): void {
  app.get('/find', { config: { may: 'viewer' } }, async (request, reply) =>
    answerPage(request, reply, {
      env,
      content: (frame) => ({ title: frame.words.find.title, main: findView(frame, null) }),
    }),
  );
  app.post('/find', { config: { may: 'viewer' } }, async (request, reply) => {
    const text = formField(request, 'q').trim().slice(0, MOST_SEARCHED_CHARS);
    if (text === '') return reply.redirect('/find', 303);
    const parsed = parseMobile(text, env.config.country);
    const seals = await sealsOf(env);
    const sealed = parsed.ok ? seals.seal('number', parsed.mobile) : seals.seal('search', text);
    return reply.redirect(`/find/${sealed}`, 303);
  });
  app.get('/find/:sealed', { config: { may: 'viewer' } }, async (request, reply) => {
    const { sealed } = request.params as { sealed: string };
    const seals = await sealsOf(env);
    const text = seals.open('number', sealed) ?? seals.open('search', sealed);
    if (text === null) throw new NoSuchPage();
    const found = await find(await env.reader(), { text, country: env.config.country });
    const search: Search = { text, found, standingAt: `/optouts/${sealed}`, eraseAt: `/erase/${sealed}` };
    return answerPage(request, reply, {
      env,
      content: (frame) => ({ title: frame.words.find.title, main: findView(frame, search) }),
    });
  });
}
