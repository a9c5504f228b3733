import { createReadStream } from 'node:fs';
import type { FastifyInstance } from 'fastify';
import { campaignWithId } from '../../../campaign/operator/campaign-with-id.ts';
import { answerPage } from '../../send-page.ts';
import { sendFile } from '../../send-file.ts';
import type { WebEnv } from '../../web-env.ts';
import { taskActorOf } from '../../who.ts';
import { taskView } from './view.ts';

/** How often the page of a task that works looks again, in seconds. */
const LOOK_AGAIN_S = '2';

/** Long work that somebody asked for: how far it is, and what came of it. */
export function taskRoutes(app: FastifyInstance, env: WebEnv): void {
  const config = { may: 'operator' } as const;
  app.get('/tasks/:id', { config }, async (request, reply) => {
    const task = await (await env.tasks()).find(idOf(request), taskActorOf(request));
    if (task.state === 'working') void reply.header('refresh', LOOK_AGAIN_S);
    const campaign = task.campaign === null ? null : await campaignWithId(await env.reader(), task.campaign);
    return answerPage(request, reply, { env, content: (frame) => taskView(frame, task, campaign) });
  });
  app.post('/tasks/:id/again', { config }, async (request, reply) => {
    const { id } = await (await env.tasks()).again(idOf(request), taskActorOf(request));
    return reply.redirect(`/tasks/${id}`, 303);
  });
  app.get('/tasks/:id/file', { config }, async (request, reply) => {
    const { path, name } = await (await env.tasks()).file(idOf(request), taskActorOf(request));
    return sendFile(reply, { name, content: createReadStream(path) });
  });
}

function idOf({ params }: { params: unknown }): string {
  return (params as { id: string }).id;
}
