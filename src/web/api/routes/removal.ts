import { z } from 'zod';
import { erasureCount, refuseWaiting } from '../../../campaign/maintenance/erase.ts';
import { lookForPurge, purgeAge, type PurgeLook } from '../../../campaign/maintenance/purge.ts';
import { beginErasure, beginPurge } from '../../../campaign/tasks/begin-removal.ts';
import { isoTime } from '../../../reports/campaign-report.ts';
import type { WebEnv } from '../../web-env.ts';
import { taskActorOf } from '../../who.ts';
import type { Api, ApiEnv } from '../api-env.ts';
import { requireCount, seenCount } from '../order-route.ts';
import { Count, ORDER_HEADERS, Time } from '../schemas/common.ts';
import { Number as MobileNumber } from '../schemas/given.ts';
import { Task, taskDocument } from '../schemas/task.ts';

const tags = ['People'];
const OlderThan = z.string().max(20).describe('An age such as "180d".');

/** The removal of personal data, for admins: of old campaigns, and of one person. */
export function removalRoutes(api: Api, env: ApiEnv): void {
  purgeRoutes(api, env);
  lookAtPersonRoute(api, env);
  eraseRoute(api, env);
}

function purgeRoutes(api: Api, { web, repeats }: ApiEnv): void {
  api.get(
    '/purges/look',
    {
      config: { may: 'admin' },
      schema: {
        tags,
        summary: 'What the removal of old personal data would touch',
        querystring: z.object({ older_than: OlderThan }),
        response: {
          200: z.object({
            before: Time,
            campaigns: Count.describe('Campaigns that have ended before.'),
            messages: Count,
            uncertain: Count.describe('Open uncertain ones, which could then not be sent again.'),
          }),
        },
      },
    },
    async ({ query }) => {
      const { before, campaigns, messages, uncertain } = await lookFor(web, query.older_than);
      return { before: isoTime(before), campaigns: campaigns.length, messages, uncertain };
    },
  );
  api.post(
    '/purges',
    {
      config: { may: 'admin' },
      schema: {
        tags,
        summary: 'Remove personal data that is old; counts, costs and reports stay',
        description: 'It cannot be undone. It works as a task.',
        headers: z.looseObject(ORDER_HEADERS),
        body: z.strictObject({ older_than: OlderThan, messages: seenCount('The number of messages') }),
        response: { 202: Task },
      },
    },
    async (request, reply) => {
      const { document } = await repeats.once(request, async () => {
        const look = await lookFor(web, request.body.older_than);
        requireCount(look.messages, request.body.messages);
        const task = await beginPurge(await web.tasks(), { actor: taskActorOf(request), look });
        return { status: 202, document: taskDocument(task) };
      });
      return reply.code(202).send(document);
    },
  );
}

async function lookFor(web: WebEnv, text: string): Promise<PurgeLook> {
  const { reportWaitMs } = web.config;
  const age = purgeAge(text, { reportWaitMs, where: 'older_than' });
  return lookForPurge(await web.reader(), web.clock.now() - age);
}

function lookAtPersonRoute(api: Api, { web }: ApiEnv): void {
  api.post(
    '/erasures/look',
    {
      config: { may: 'admin' },
      schema: {
        tags,
        summary: 'What there is of one person, and what must be settled before it can be removed',
        body: z.strictObject({ mobile: MobileNumber(web.config.country) }),
        response: {
          200: z.object({
            messages: Count,
            replies: Count,
            awaited: Count.describe('Messages of which reports may still come.'),
            campaigns: z.array(z.string()).describe('Their ids, the newest first.'),
            waits: z.object({
              queued: Count,
              sending: Count,
              uncertain: Count,
              maybe_stops: Count,
              changing: Count,
            }),
          }),
        },
      },
    },
    async ({ body }) => {
      const { waits, ...traces } = await (await web.reader()).personTraces(body.mobile);
      const { maybeStops, ...others } = waits;
      return { ...traces, waits: { ...others, maybe_stops: maybeStops } };
    },
  );
}

function eraseRoute(api: Api, { web, repeats }: ApiEnv): void {
  api.post(
    '/erasures',
    {
      config: { may: 'admin' },
      schema: {
        tags,
        summary: 'Remove the data of one person; counts, costs and opt-outs stay',
        description: 'It cannot be undone. It works as a task.',
        headers: z.looseObject(ORDER_HEADERS),
        body: z.strictObject({
          mobile: MobileNumber(web.config.country),
          found: seenCount('The number of messages and replies'),
        }),
        response: { 202: Task },
      },
    },
    async (request, reply) => {
      const { mobile, found } = request.body;
      const { document } = await repeats.once(request, async () => {
        const traces = await (await web.reader()).personTraces(mobile);
        refuseWaiting(traces);
        requireCount(erasureCount(traces), found);
        const task = await beginErasure(await web.tasks(), { actor: taskActorOf(request), mobile });
        return { status: 202, document: taskDocument(task) };
      });
      return reply.code(202).send(document);
    },
  );
}
