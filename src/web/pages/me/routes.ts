import { signOutEverywhere } from '../../../campaign/people/sessions.ts';
import type { FastifyInstance } from 'fastify';
import { frameOf } from '../../frame.ts';
import { sendPage } from '../../send-page.ts';
import { clearSessionCookie } from '../../session/cookie.ts';
import { NotAllowed } from '../../session/not-allowed.ts';
import type { Principal } from '../../who.ts';
import type { WebEnv } from '../../web-env.ts';
import { meView } from './view.ts';

/** Who is signed in here, and the way out of every browser. */
export function meRoutes(app: FastifyInstance, env: WebEnv): void {
  app.get('/me', { config: { may: 'viewer' } }, async (request, reply) => {
    const frame = await frameOf(request, reply, env);
    const main = meView(frame, requirePerson(request.who));
    return sendPage(reply, frame, { title: frame.words.me.title, main });
  });
  app.post('/sign-out-everywhere', { config: { may: 'viewer' } }, async (request, reply) => {
    const { kind, name: by } = requirePerson(request.who);
    const name = kind === 'home' ? null : by;
    await signOutEverywhere({ ledger: await env.ledger(), now: env.clock.now() }, { name, by });
    clearSessionCookie(reply, env.config);
    return reply.redirect('/sign-in', 303);
  });
}

function requirePerson(who: Principal | null): Principal {
  if (who === null || who.kind === 'program') throw new NotAllowed(403);
  return who;
}
