import type { FastifyInstance } from 'fastify';
import { openHome } from '../../campaign/people/sessions.ts';
import { dashboardToken } from '../../config/dashboard-token.ts';
import { formField } from '../form-fields.ts';
import type { WebEnv } from '../web-env.ts';
import { sessionCookie, setSessionCookie } from './cookie.ts';
import { NotAllowed } from './not-allowed.ts';
import { isSame } from './own-address.ts';

/** The link of this machine, which `tuma serve` prints: it opens the pages until there are users. */
export function homeLinkRoutes(app: FastifyInstance, env: WebEnv): void {
  app.get('/open', { config: { may: 'open' } }, async (request, reply) => {
    const expected = await dashboardToken(env.config);
    if (!isSame(formField(request, 'token'), expected.reveal())) throw new NotAllowed(401);
    const now = env.clock.now();
    const before = sessionCookie(request, env.config);
    const session = await openHome({ ledger: await env.ledger(), now }, before);
    if (session === null) throw new NotAllowed(401);
    setSessionCookie(reply, env.config, session);
    return reply.redirect('/campaigns', 303);
  });
}
