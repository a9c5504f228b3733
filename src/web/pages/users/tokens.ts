import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { addToken, type NewToken, removeToken, TOKEN_MS } from '../../../campaign/people/tokens.ts';
import type { Role } from '../../../domain/roles.ts';
import { formField } from '../../form-fields.ts';
import { type Frame, frameOf } from '../../frame.ts';
import { sendPage } from '../../send-page.ts';
import { questionView } from '../../views/question.ts';
import { secretView } from '../../views/secret.ts';
import { timeWords } from '../../views/time.ts';
import type { WebEnv } from '../../web-env.ts';
import { accountErrors, changeOf, takenError, unlessTaken } from './adding.ts';
import { addTokenView } from './form-view.ts';
import { tokenPath } from './view.ts';
import { NoSuchPage } from '../../no-such-page.ts';

const DAY_MS = 86_400_000;

/** The tokens of programs: a new one, and the end of one. */
export function tokenRoutes(app: FastifyInstance, env: WebEnv): void {
  const admin = { config: { may: 'admin' } } as const;
  app.get('/users/tokens/add', admin, async (request, reply) => {
    const frame = await frameOf(request, reply, env);
    const days = String(TOKEN_MS.usual / DAY_MS);
    const main = addTokenView(frame, { name: '', role: '', days, errors: [] });
    return sendPage(reply, frame, { title: frame.words.users.addToken, main });
  });
  app.post('/users/tokens/add', admin, async (request, reply) => add(request, reply, env));
  app.get('/users/tokens/of/:name/remove', admin, async (request, reply) => {
    const frame = await frameOf(request, reply, env);
    const name = await tokenOf(request, env);
    const { users: words } = frame.words;
    const title = words.removeToken(name);
    const main = questionView(frame, {
      from: { path: '/users', title: words.title },
      title,
      help: [words.removeTokenHelp],
      action: `${tokenPath(name)}/remove`,
      button: words.removeTokenButton(name),
      keep: { words: words.keepToken, path: '/users' },
    });
    return sendPage(reply, frame, { title, main });
  });
  app.post('/users/tokens/of/:name/remove', admin, async (request, reply) => {
    const name = await tokenOf(request, env);
    await removeToken({ ...(await changeOf(request, env)), name });
    return reply.redirect('/users', 303);
  });
}

async function add(request: FastifyRequest, reply: FastifyReply, env: WebEnv): Promise<FastifyReply> {
  const frame = await frameOf(request, reply, env);
  const { users: words } = frame.words;
  const [name, days] = [formField(request, 'name'), formField(request, 'days')];
  const role = formField(request, 'role') as Role;
  const lastsMs = lastingMs(days);
  const owners = request.who?.identities ?? [];
  const errors = [
    ...accountErrors(request, frame),
    ...(lastsMs === null ? [{ field: 'days', message: words.problems.days }] : []),
  ];
  if (errors.length === 0 && lastsMs !== null) {
    const made = await unlessTaken(
      addToken({ ...(await changeOf(request, env)), name, role, owners, lastsMs }),
    );
    if (made !== null) return sendToken(reply, frame, made);
    errors.push(takenError(frame));
  }
  const main = addTokenView(frame, { name, role, days, errors });
  return sendPage(reply, frame, { status: 422, title: words.addToken, main });
}

function sendToken(reply: FastifyReply, frame: Frame, { name, token, endsAt }: NewToken): FastifyReply {
  const { users: words } = frame.words;
  const title = words.tokenFor(name);
  const main = secretView({
    from: { path: '/users', title: words.title },
    title,
    help: words.tokenHelp(timeWords(frame, endsAt, frame.zone)),
    label: words.tokenField,
    secret: `Authorization: Bearer ${token}`,
    warning: null,
    next: { path: '/users', words: words.backToUsers },
  });
  return sendPage(reply, frame, { title, main });
}

/** Null: it is no number of days for which a token is good. */
function lastingMs(days: string): number | null {
  if (!/^\d{1,4}$/.test(days.trim())) return null;
  const ms = Number(days) * DAY_MS;
  return ms >= DAY_MS && ms <= TOKEN_MS.most ? ms : null;
}

/** The token of the address. Throws `not_found`. */
async function tokenOf({ params }: FastifyRequest, env: WebEnv): Promise<string> {
  const { name } = params as { name: string };
  const token = (await (await env.reader()).tokens()).find((each) => each.name === name);
  if (token === undefined) throw new NoSuchPage();
  return token.name;
}
