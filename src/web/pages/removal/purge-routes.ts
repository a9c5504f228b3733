import type { FastifyInstance, FastifyReply } from 'fastify';
import { lookForPurge, type PurgeLook } from '../../../campaign/maintenance/purge.ts';
import { beginPurge } from '../../../campaign/tasks/begin-removal.ts';
import { isTaskOf } from '../../../campaign/tasks/tasks.ts';
import { frameOf } from '../../frame.ts';
import { sendPage, type Visit } from '../../send-page.ts';
import { fieldsOf } from '../../form-fields.ts';
import type { FieldError } from '../../views/notice.ts';
import type { WebEnv } from '../../web-env.ts';
import { taskActorOf } from '../../who.ts';
import { purgeView } from './purge-view.ts';

const DAY_MS = 86_400_000;
const USUAL_DAYS = '180';

/** The purge: how old, what there is, and the order, which works as a task. */
export function purgeRoutes(app: FastifyInstance, env: WebEnv): void {
  const config = { may: 'admin' } as const;
  app.get('/purge', { config }, async (request, reply) => {
    const { days = USUAL_DAYS } = fieldsOf(request);
    const age = daysOf(days, env);
    const look = age === null ? null : await lookFor(env, env.clock.now() - age * DAY_MS);
    return ask({ env, request, reply }, { days, look });
  });
  app.post('/purge', { config }, async (request, reply) => {
    const { days = '', before = '', shown = '', word = '' } = fieldsOf(request);
    const visit = { env, request, reply };
    const look = await lookFor(env, beforeOf(before, env));
    if (look === null || countOf(look) !== shown)
      return ask(visit, { days, look, hasChanged: true, status: 409 });
    const { words } = await frameOf(request, reply, env);
    if (word.trim().toLowerCase() !== words.removal.word)
      return ask(visit, { days, look, isWrong: true, status: 422 });
    const { id } = await beginPurge(await env.tasks(), { actor: taskActorOf(request), look });
    return reply.redirect(`/tasks/${id}`, 303);
  });
}

interface AskedPurge {
  days: string;
  /** Null: the age is wrong. */
  look: PurgeLook | null;
  hasChanged?: boolean;
  /** True: another word was typed. */
  isWrong?: boolean;
  status?: number;
}

async function ask({ env, request, reply }: Visit, asked: AskedPurge): Promise<FastifyReply> {
  const { days, look, hasChanged = false, isWrong = false, status = look === null ? 422 : 200 } = asked;
  const frame = await frameOf(request, reply, env);
  const { removal: words } = frame.words;
  const least = String(leastDays(env));
  const errors: FieldError[] = [
    ...(look === null ? [{ field: 'days', message: words.ageWrong(least) }] : []),
    ...(isWrong ? [{ field: 'word', message: words.wrongWord }] : []),
  ];
  const actor = taskActorOf(request);
  const tasks = (await (await env.tasks()).list()).filter(
    (task) => task.kind !== 'export' && isTaskOf(task, actor),
  );
  const shown = look === null ? null : countOf(look);
  return sendPage(reply, frame, {
    status,
    ...purgeView(frame, { days, least, look, shown, hasChanged, errors, tasks }),
  });
}

async function lookFor(env: WebEnv, before: number | null): Promise<PurgeLook | null> {
  return before === null ? null : lookForPurge(await env.reader(), before);
}

/** The campaigns and the messages that were shown. */
function countOf({ campaigns, messages }: PurgeLook): string {
  return `${campaigns.length}-${messages}`;
}

/** Younger than this, reports still come in and join uncertain messages by their number. */
function leastDays({ config }: WebEnv): number {
  return Math.ceil(config.reportWaitMs / DAY_MS);
}

function daysOf(text: string, env: WebEnv): number | null {
  const days = /^\d{1,5}$/.test(text.trim()) ? Number(text) : 0;
  return days >= leastDays(env) ? days : null;
}

/** The instant of the page that was shown; null: it is none, or too young. */
function beforeOf(text: string, env: WebEnv): number | null {
  const before = /^\d{1,15}$/.test(text) ? Number(text) : Infinity;
  return before <= env.clock.now() - env.config.reportWaitMs ? before : null;
}
