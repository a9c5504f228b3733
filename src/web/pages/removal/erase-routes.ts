import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { erasureCount, isWaiting } from '../../../campaign/maintenance/erase.ts';
import { beginErasure } from '../../../campaign/tasks/begin-removal.ts';
import { isPurged } from '../../../domain/message.ts';
import { frameOf } from '../../frame.ts';
import { NoSuchPage } from '../../no-such-page.ts';
import { sendPage, type Visit } from '../../send-page.ts';
import { sealsOf } from '../../session/sealed.ts';
import { fieldsOf } from '../../form-fields.ts';
import type { WebEnv } from '../../web-env.ts';
import { taskActorOf } from '../../who.ts';
import { eraseView } from './erase-view.ts';

/** The removal of one person: what there is, what waits, and the order, which works as a task. */
export function erasureRoutes(app: FastifyInstance, env: WebEnv): void {
  const config = { may: 'admin' } as const;
  app.get('/erase/:sealed', { config }, async (request, reply) =>
    ask({ env, request, reply }, { status: 200 }),
  );
  app.post('/erase/:sealed', { config }, async (request, reply) => {
    const visit = { env, request, reply };
    const mobile = await mobileOf(env, request);
    const { shown = '', word = '' } = fieldsOf(request);
    const traces = await (await env.reader()).personTraces(mobile);
    if (isWaiting(traces.waits)) return ask(visit, { status: 409 });
    if (shown !== String(erasureCount(traces))) return ask(visit, { status: 409, hasChanged: true });
    const { words } = await frameOf(request, reply, env);
    if (word.trim().toLowerCase() !== words.removal.word) return ask(visit, { status: 422, isWrong: true });
    const { id } = await beginErasure(await env.tasks(), { actor: taskActorOf(request), mobile });
    return reply.redirect(`/tasks/${id}`, 303);
  });
}

async function ask(
  { env, request, reply }: Visit,
  {
    status,
    hasChanged = false,
    isWrong = false,
  }: { status: number; hasChanged?: boolean; isWrong?: boolean },
): Promise<FastifyReply> {
  const mobile = await mobileOf(env, request);
  const { sealed } = request.params as { sealed: string };
  const frame = await frameOf(request, reply, env);
  const traces = await (await env.reader()).personTraces(mobile);
  const errors = isWrong ? [{ field: 'word', message: frame.words.removal.wrongWord }] : [];
  return sendPage(reply, frame, {
    status,
    ...eraseView(frame, { mobile, sealed, traces, hasChanged, errors }),
  });
}

/** The number that the address holds, sealed. */
async function mobileOf(env: WebEnv, { params }: FastifyRequest): Promise<string> {
  const { sealed } = params as { sealed: string };
  const mobile = (await sealsOf(env)).open('number', sealed);
  if (mobile === null || isPurged(mobile)) throw new NoSuchPage();
  return mobile;
}
