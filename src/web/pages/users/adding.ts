import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { signInPath } from '../../../campaign/people/sessions.ts';
import { addUser, type PeopleOrder, type SignInLink } from '../../../campaign/people/users.ts';
import { pagesOrigin } from '../../../config/relations.ts';
import { TumaError } from '../../../domain/errors.ts';
import { accountName, isRole, type Role } from '../../../domain/roles.ts';
import { formField } from '../../form-fields.ts';
import { type Frame, frameOf } from '../../frame.ts';
import { sendPage } from '../../send-page.ts';
import { auditName } from '../../who.ts';
import type { FieldError } from '../../views/notice.ts';
import { secretView } from '../../views/secret.ts';
import { timeWords } from '../../views/time.ts';
import type { WebEnv } from '../../web-env.ts';
import { addUserView } from './form-view.ts';

/** The form of a new user, and the link that comes of it. */
export function addingRoutes(app: FastifyInstance, env: WebEnv): void {
  app.get('/users/add', { config: { may: 'admin' } }, async (request, reply) => {
    const frame = await frameOf(request, reply, env);
    const role = (await (await env.reader()).hasUsers()) ? '' : 'admin';
    const main = addUserView(frame, { name: '', role, days: '', errors: [] });
    return sendPage(reply, frame, { title: frame.words.users.add, main });
  });
  app.post('/users/add', { config: { may: 'admin' } }, async (request, reply) => {
    const frame = await frameOf(request, reply, env);
    const isFirst = !(await (await env.reader()).hasUsers());
    const errors = [...accountErrors(request, frame), ...firstErrors(request, frame, isFirst)];
    const order = { ...(await changeOf(request, env)), name: formField(request, 'name') };
    const role = formField(request, 'role') as Role;
    const link = errors.length > 0 ? null : await unlessTaken(addUser({ ...order, role }));
    if (link !== null) {
      const warning = isFirst ? frame.words.users.homeEnded : null;
      return sendLink(reply, frame, { env, link, warning });
    }
    const wrong = errors.length > 0 ? errors : [takenError(frame)];
    const main = addUserView(frame, { name: order.name, role, days: '', errors: wrong });
    return sendPage(reply, frame, { status: 422, title: frame.words.users.add, main });
  });
}

/** What a change of users and tokens needs: the ledger, and who makes it. */
export async function changeOf(request: FastifyRequest, env: WebEnv): Promise<Omit<PeopleOrder, 'name'>> {
  return { ledger: await env.ledger(), change: { now: env.clock.now(), by: auditName(request.who) } };
}

/** The wrong fields that the forms of a user and of a token share. */
export function accountErrors(request: FastifyRequest, { words: { users: words } }: Frame): FieldError[] {
  const isNamed = accountName(formField(request, 'name')) !== null;
  return [
    ...(isNamed ? [] : [{ field: 'name', message: words.problems.name }]),
    ...(isRole(formField(request, 'role')) ? [] : [{ field: 'viewer', message: words.problems.role }]),
  ];
}

/** The name of a new user or token is taken. */
export function takenError({ words: { users: words } }: Frame): FieldError {
  return { field: 'name', message: words.problems.taken };
}

/** Null: the name is taken. */
export async function unlessTaken<Made>(adding: Promise<Made>): Promise<Made | null> {
  try {
    return await adding;
  } catch (error) {
    if (error instanceof TumaError && error.code === 'name_taken') return null;
    throw error;
  }
}

/** Shows a link, which nobody can be shown again. */
export function sendLink(
  reply: FastifyReply,
  frame: Frame,
  { env, link, warning }: { env: WebEnv; link: SignInLink; warning: string | null },
): FastifyReply {
  const { users: words } = frame.words;
  const title = words.linkFor(link.name);
  const main = secretView({
    from: { path: '/users', title: words.title },
    title,
    help: words.linkHelp(timeWords(frame, link.endsAt, frame.zone)),
    label: words.linkField,
    secret: `${pagesOrigin(env.config)}${signInPath(link.secret)}`,
    warning,
    next: { path: '/users', words: words.backToUsers },
  });
  return sendPage(reply, frame, { title, main });
}

function firstErrors(
  request: FastifyRequest,
  { words: { users: words } }: Frame,
  isFirst: boolean,
): FieldError[] {
  const role = formField(request, 'role');
  return isFirst && isRole(role) && role !== 'admin'
    ? [{ field: 'viewer', message: words.problems.first }]
    : [];
}
