import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import {
  changeRole,
  endpointsOfUser,
  linkForUser,
  removeUser,
  setApproval,
  signOutUser,
} from '../../../campaign/people/users.ts';
import { shownAddress } from '../../../domain/alert-endpoint.ts';
import { isRole } from '../../../domain/roles.ts';
import { TumaError } from '../../../domain/errors.ts';
import type { UserRow } from '../../../ledger/contracts/people.ts';
import { formField } from '../../form-fields.ts';
import { type Frame, frameOf } from '../../frame.ts';
import { sendPage } from '../../send-page.ts';
import type { WebEnv } from '../../web-env.ts';
import { addingRoutes, changeOf, sendLink } from './adding.ts';
import { questionView } from '../../views/question.ts';
import { type EndsWithUser, userView } from './one-view.ts';
import { tokenRoutes } from './tokens.ts';
import { userPath, usersView } from './view.ts';
import { NoSuchPage } from '../../no-such-page.ts';

/** Users and tokens, for admins. */
export function usersRoutes(app: FastifyInstance, env: WebEnv): void {
  app.get('/users', { config: { may: 'admin' } }, async (request, reply) => {
    const frame = await frameOf(request, reply, env);
    const reader = await env.reader();
    const approval = await (await env.ledger()).approvalNeeded();
    const shown = { users: await reader.users(), tokens: await reader.tokens(), approval };
    const main = usersView(frame, shown);
    return sendPage(reply, frame, { title: frame.words.users.title, main });
  });
  app.post('/users/approval', { config: { may: 'admin' } }, async (request, reply) => {
    const { ledger, change } = await changeOf(request, env);
    const on = formField(request, 'on');
    if (on === 'yes' || on === 'no') await setApproval({ ledger, change, on: on === 'yes' });
    return reply.redirect('/users', 303);
  });
  addingRoutes(app, env);
  oneUserRoutes(app, env);
  tokenRoutes(app, env);
}

function oneUserRoutes(app: FastifyInstance, env: WebEnv): void {
  const admin = { config: { may: 'admin' } } as const;
  app.get('/users/of/:name', admin, async (request, reply) => {
    const frame = await frameOf(request, reply, env);
    const user = await userOf(request, env);
    const shown = { isSelf: isSelf(frame, user.name), ends: await endsWith(user.name, env) };
    return sendPage(reply, frame, { title: user.name, main: userView(frame, user, shown) });
  });
  app.post('/users/of/:name/role', admin, async (request, reply) => {
    const { name } = await otherUser(request, reply, env);
    const role = formField(request, 'role');
    if (isRole(role)) await changeRole({ ...(await changeOf(request, env)), name, role });
    return reply.redirect(userPath(name), 303);
  });
  app.post('/users/of/:name/link', admin, async (request, reply) => {
    const { name } = await otherUser(request, reply, env);
    const link = await linkForUser({ ...(await changeOf(request, env)), name });
    return sendLink(reply, await frameOf(request, reply, env), { env, link, warning: null });
  });
  app.post('/users/of/:name/sign-out', admin, async (request, reply) => {
    const { name } = await otherUser(request, reply, env);
    await signOutUser({ ...(await changeOf(request, env)), name });
    return reply.redirect(userPath(name), 303);
  });
  app.get('/users/of/:name/remove', admin, async (request, reply) => {
    const frame = await frameOf(request, reply, env);
    const { name } = await otherUser(request, reply, env);
    const { users: words } = frame.words;
    const { tokens, addresses } = await endsWith(name, env);
    const names = tokens.map((token) => token.name).join(', ');
    const ends = [
      tokens.length > 0 && words.removeUserTokens(tokens.length, names),
      addresses.length > 0 && words.removeUserAddresses(addresses.length, addresses.join(', ')),
    ].filter((each) => each !== false);
    const title = words.removeUser(name);
    const main = questionView(frame, {
      from: { path: '/users', title: words.title },
      title,
      help: [words.removeUserHelp, ...ends],
      action: `${userPath(name)}/remove`,
      button: words.removeUserButton(name),
      keep: { words: words.keepUser, path: userPath(name) },
    });
    return sendPage(reply, frame, { title, main });
  });
  app.post('/users/of/:name/remove', admin, async (request, reply) => {
    const { name } = await otherUser(request, reply, env);
    await removeUser({ ...(await changeOf(request, env)), name });
    return reply.redirect('/users', 303);
  });
}

/** The tokens, and the addresses of alerts, that end with a user. */
async function endsWith(name: string, env: WebEnv): Promise<EndsWithUser> {
  const reader = await env.reader();
  const tokens = (await reader.tokens()).filter(({ user }) => user === name);
  const endpoints = endpointsOfUser(await reader.alertEndpoints(), { name, tokens });
  return { tokens, addresses: endpoints.map(({ url }) => shownAddress(url)) };
}

/** The user of the address. Throws `not_found`. */
async function userOf({ params }: FastifyRequest, env: WebEnv): Promise<UserRow> {
  const { name } = params as { name: string };
  const user = (await (await env.reader()).users()).find((each) => each.name === name);
  if (user === undefined) throw new NoSuchPage();
  return user;
}

/** The same, if it is not whoever asks: an admin who removes herself leaves an office without one. */
async function otherUser(request: FastifyRequest, reply: FastifyReply, env: WebEnv): Promise<UserRow> {
  const user = await userOf(request, env);
  const frame = await frameOf(request, reply, env);
  if (!isSelf(frame, user.name)) return user;
  throw new TumaError('state_forbids', { message: frame.words.users.problems.self });
}

function isSelf({ who }: Pick<Frame, 'who'>, name: string): boolean {
  return who?.kind === 'person' && who.name === name;
}
