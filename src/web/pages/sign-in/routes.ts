import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { setPassword, type SignIn, signIn, signOut, userOfLink } from '../../../campaign/people/sessions.ts';
import { formField, ownPath } from '../../form-fields.ts';
import { type Frame, frameOf } from '../../frame.ts';
import { sendPage } from '../../send-page.ts';
import { clearSessionCookie, sessionCookie, setSessionCookie } from '../../session/cookie.ts';
import { addressOf } from '../../session/principal.ts';
import { timeWords } from '../../views/time.ts';
import type { WebEnv } from '../../web-env.ts';
import { endedLinkView, passwordView, signInView, type SignInShown } from './view.ts';

/** Signing in and out, and the link that sets a password. */
export function signInRoutes(app: FastifyInstance, env: WebEnv): void {
  const open = { config: { may: 'open' } } as const;
  app.get('/sign-in', open, async (request, reply) => {
    const next = ownPath(formField(request, 'next'));
    if (request.who !== null) return reply.redirect(next, 303);
    return showSignIn(request, reply, { env, status: 200, shown: { name: '', next, refused: null } });
  });
  app.post('/sign-in', open, async (request, reply) => trySignIn(request, reply, env));
  app.get('/password', open, async (request, reply) => {
    void reply.header('cache-control', 'no-store');
    return showPassword(request, reply, { env, problem: null });
  });
  app.post('/password', open, async (request, reply) => tryPassword(request, reply, env));
  app.post('/sign-out', open, async (request, reply) => {
    const secret = sessionCookie(request, env.config);
    const { who } = request;
    if (who !== null && secret !== null) {
      await signOut({ ledger: await env.ledger(), now: env.clock.now() }, { by: who.name, secret });
    }
    clearSessionCookie(reply, env.config);
    return reply.redirect('/sign-in', 303);
  });
}

async function trySignIn(request: FastifyRequest, reply: FastifyReply, env: WebEnv): Promise<FastifyReply> {
  const next = ownPath(formField(request, 'next'));
  const name = formField(request, 'user');
  const sessions = { ledger: await env.ledger(), reader: await env.reader(), now: env.clock.now() };
  const given = { ...browserOf(request, env), name, password: formField(request, 'password') };
  const result = await signIn(sessions, given);
  if (result.state === 'done') {
    setSessionCookie(reply, env.config, result.session);
    return reply.redirect(next, 303);
  }
  if (result.state === 'wait')
    void reply.header('retry-after', Math.ceil((result.until - sessions.now) / 1_000));
  const refused = refusal(await frameOf(request, reply, env), result);
  const status = REFUSED[result.state];
  return showSignIn(request, reply, { env, status, shown: { name, next, refused } });
}

type Refused = Exclude<SignIn, { state: 'done' }>;

const REFUSED: Readonly<Record<Refused['state'], number>> = { wrong: 422, busy: 503, wait: 429 };

function refusal(frame: Frame, result: Refused): string {
  const { signIn: words } = frame.words;
  return result.state === 'wait'
    ? words.wait(timeWords(frame, result.until, frame.zone))
    : words[result.state];
}

async function showSignIn(
  request: FastifyRequest,
  reply: FastifyReply,
  { env, status, shown }: { env: WebEnv; status: number; shown: SignInShown },
): Promise<FastifyReply> {
  const frame = await frameOf(request, reply, env);
  const title = frame.words.signIn.signIn;
  return sendPage(reply, frame, { status, title, main: signInView(frame, shown), alone: true });
}

/** What was typed is not shown again: it is a password. */
async function tryPassword(request: FastifyRequest, reply: FastifyReply, env: WebEnv): Promise<FastifyReply> {
  const sessions = { ledger: await env.ledger(), reader: await env.reader(), now: env.clock.now() };
  const given = { link: formField(request, 'link'), password: formField(request, 'password') };
  const result = await setPassword(sessions, { ...browserOf(request, env), ...given });
  if (result.state === 'done') {
    setSessionCookie(reply, env.config, result.session);
    return reply.redirect('/campaigns', 303);
  }
  const { words } = await frameOf(request, reply, env);
  const problem = result.state === 'refused' ? words.signIn.problems[result.problem] : words.signIn.busy;
  return showPassword(request, reply, { env, problem });
}

async function showPassword(
  request: FastifyRequest,
  reply: FastifyReply,
  { env, problem }: { env: WebEnv; problem: string | null },
): Promise<FastifyReply> {
  const frame = await frameOf(request, reply, env);
  const link = formField(request, 'link');
  const user = await userOfLink({ reader: await env.reader(), now: env.clock.now() }, link);
  const { signIn: words } = frame.words;
  if (user === null)
    return sendPage(reply, frame, {
      status: 404,
      title: words.linkEnded,
      main: endedLinkView(frame),
      alone: true,
    });
  const main = passwordView(frame, { user, link, problem });
  const status = problem === null ? 200 : 422;
  return sendPage(reply, frame, { status, title: words.choosePassword, main, alone: true });
}

function browserOf(request: FastifyRequest, env: WebEnv) {
  return { from: addressOf(request, env), secret: sessionCookie(request, env.config) };
}
