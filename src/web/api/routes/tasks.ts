import { createReadStream } from 'node:fs';
import { z } from 'zod';
import { sendFile } from '../../send-file.ts';
import { taskActorOf } from '../../who.ts';
import type { Api, ApiEnv } from '../api-env.ts';
import { Task, taskDocument } from '../schemas/task.ts';
import { FILE_CONTENT } from './export.ts';

const tags = ['Tasks'];
const params = z.object({ id: z.string().describe('The id of a task.') });

/** Long work: how far it is, and its file. Only for whoever began it, and for admins. */
export function taskRoutes(api: Api, env: ApiEnv): void {
  lookRoute(api, env);
  againRoute(api, env);
  fileRoute(api, env);
}

function lookRoute(api: Api, { web }: ApiEnv): void {
  api.get(
    '/tasks/:id',
    {
      config: { may: 'operator' },
      schema: {
        tags,
        summary: 'How far long work is',
        description: 'A task is kept for a day after its end.',
        params,
        response: { 200: Task },
      },
    },
    async (request) => taskDocument(await (await web.tasks()).find(request.params.id, taskActorOf(request))),
  );
}

function againRoute(api: Api, { web }: ApiEnv): void {
  api.post(
    '/tasks/:id/again',
    {
      config: { may: 'operator' },
      schema: {
        tags,
        summary: 'Go on with long work whose process died; another state changes nothing',
        params,
        response: { 202: Task },
      },
    },
    async (request, reply) => {
      const task = await (await web.tasks()).again(request.params.id, taskActorOf(request));
      return reply.code(202).send(taskDocument(task));
    },
  );
}

function fileRoute(api: Api, { web }: ApiEnv): void {
  api.get(
    '/tasks/:id/file',
    {
      config: { may: 'operator' },
      schema: {
        tags,
        summary: 'The file of an export that is done',
        params,
        response: { 200: { description: 'The file.', content: FILE_CONTENT } },
      },
    },
    async (request, reply) => {
      const { path, name } = await (await web.tasks()).file(request.params.id, taskActorOf(request));
      return sendFile(reply, { name, content: createReadStream(path) }) as never;
    },
  );
}
