import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type ErrorCode, TumaError } from '../domain/errors.ts';
import { maskText } from '../domain/text/mask.ts';
import { ownPath } from './form-fields.ts';
import { type Frame, frameOf } from './frame.ts';
import { signInView } from './pages/sign-in/view.ts';
import { sendPage } from './send-page.ts';
import { NotAllowed } from './session/not-allowed.ts';
import { html, type Content } from './views/html.ts';
import { problemParts } from './views/problem.ts';
import type { WebEnv } from './web-env.ts';
import { NoSuchPage } from './no-such-page.ts';

/** The HTTP status of an error for a person; the others are 422, because what was asked cannot be done as it is. */
const STATUS: Partial<Readonly<Record<ErrorCode, number>>> = {
  internal: 500,
  not_found: 404,
  ambiguous: 409,
  state_forbids: 409,
  campaign_changed: 409,
  preparation_changed: 409,
  name_taken: 409,
  approval_needed: 403,
  right_lost: 403,
  too_early: 409,
  person_waits: 409,
  busy: 503,
  ledger_busy: 503,
  ledger_full: 503,
  ledger_lost: 503,
  database_unreachable: 503,
  database_unsure: 503,
  ledger_moved: 503,
  redis_unreachable: 503,
  provider_unreachable: 502,
  provider_answer: 502,
};

/** The status of an error for a person. */
export function statusOf({ code }: TumaError): number {
  return STATUS[code] ?? 422;
}

/** What an error page says. */
interface Said {
  status: number;
  title: string;
  help: Content;
}

/** Makes a page of each error: what is so, and what to do. */
export function answerErrors(app: FastifyInstance, env: WebEnv): void {
  app.setNotFoundHandler(async (request, reply) => {
    if (request.who === null) return answer(request, reply, { env, error: new NotAllowed(401) });
    return answer(request, reply, { env, error: new NoSuchPage() });
  });
  app.setErrorHandler(async (error, request, reply) => answer(request, reply, { env, error }));
}

async function answer(
  request: FastifyRequest,
  reply: FastifyReply,
  about: { env: WebEnv; error: unknown },
): Promise<FastifyReply> {
  try {
    return await answerByPage(request, reply, about);
  } catch (error) {
    about.env.log.error(
      { error: maskText(String(error)) },
      'a page failed, and so did the page that says it',
    );
    const text = 'Tuma cannot read its ledger now. Try again in a moment; the log of this server says why.';
    return reply.code(503).type('text/plain').send(text);
  }
}

async function answerByPage(
  request: FastifyRequest,
  reply: FastifyReply,
  { env, error }: { env: WebEnv; error: unknown },
): Promise<FastifyReply> {
  const frame = await frameOf(request, reply, env);
  if (error instanceof NotAllowed && error.status === 401 && (await (await env.reader()).hasUsers()))
    return askToSignIn(request, reply, frame);
  const said = saidOf(error, frame);
  if (said.status >= 500)
    env.log.error({ error: maskText(String(error)), path: frame.path }, 'a page failed');
  const { common } = frame.words;
  const main = html`<h1>${said.title}</h1>
${said.help !== null && html`<p>${said.help}</p>`}
${frame.who !== null && html`<p><a href="/campaigns">${common.errors.toCampaigns}</a></p>`}`;
  const { status, title } = said;
  return sendPage(reply, frame, { status, title, main, alone: frame.who === null });
}

/** The page to sign in, in the place of the page that was asked for, which comes afterwards. */
function askToSignIn(request: FastifyRequest, reply: FastifyReply, frame: Frame): FastifyReply {
  const next = request.method === 'GET' ? ownPath(request.url) : '/campaigns';
  const main = signInView(frame, { name: '', next, refused: null });
  void reply.header('cache-control', 'no-store');
  // A browser keeps the cookie back when a link of another site or of a mail leads here; the page itself may ask again.
  if (request.method === 'GET' && request.headers['sec-fetch-site'] === 'cross-site')
    void reply.header('refresh', '0');
  return sendPage(reply, frame, { status: 401, title: frame.words.signIn.signIn, main, alone: true });
}

function saidOf(error: unknown, frame: Frame): Said {
  const { errors } = frame.words.common;
  if (error instanceof NotAllowed)
    return error.status === 401
      ? { status: 401, title: errors.signIn, help: errors.signInHelp }
      : { status: 403, title: errors.forbidden, help: errors.forbiddenHelp };
  if (error instanceof NoSuchPage) return { status: 404, title: errors.notFound, help: errors.notFoundHelp };
  if (!(error instanceof TumaError)) return saidOfFramework(error as Partial<FastifyError>, errors);
  const { title, text } = problemParts(frame, error);
  return { status: statusOf(error), title, help: text };
}

function saidOfFramework(
  { statusCode = 500, code = '' }: Partial<FastifyError>,
  errors: Frame['words']['common']['errors'],
): Said {
  if (code.startsWith('FST_CSRF')) return { status: 403, title: errors.stale, help: errors.staleHelp };
  if (statusCode === 429) return { status: 429, title: errors.busy, help: errors.busyHelp };
  if (statusCode < 500) return { status: statusCode, title: errors.stale, help: errors.staleHelp };
  return { status: 500, title: errors.failed, help: errors.failedHelp };
}
