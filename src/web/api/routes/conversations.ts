import { z } from 'zod';
import { TumaError } from '../../../domain/errors.ts';
import { maskMobile, maskText } from '../../../domain/text/mask.ts';
import { MESSAGE_STATES } from '../../../domain/message.ts';
import { isoTime } from '../../../reports/campaign-report.ts';
import { conversationWith, type Said } from '../../../reports/conversation.ts';
import { askerOf } from '../actor.ts';
import type { Api, ApiEnv } from '../api-env.ts';
import { cursorOf, placeOf } from '../cursor.ts';
import { Mobile, Next, pageQuery, Time } from '../schemas/common.ts';
import { OptOut, Reply } from '../schemas/people.ts';
import { ReplyPlace, replyOf } from './inbox.ts';
import { optOutOf } from './opt-outs.ts';

const VIEWER = { may: 'viewer' } as const;
const tags = ['People'];

const Place = z.object({
  reply: ReplyPlace.nullable(),
  message: z.object({ campaign: z.int(), seq: z.int() }).nullable(),
});

const SaidByUs = z.object({
  by: z.literal('us'),
  at: Time,
  text: z.string().nullable().describe('As it left; null: it was removed.'),
  appended: z.string().describe('What the provider added, such as the opt-out text.'),
  campaign: z.object({ id: z.string(), name: z.string() }),
  seq: z.int(),
  state: z.enum(MESSAGE_STATES),
});
const SaidByThem = z.object({ by: z.literal('them'), at: Time, reply: Reply });

/** The inbox by number: who wrote last, and all that was said with one of them. */
export function conversationRoutes(api: Api, env: ApiEnv): void {
  listRoute(api, env);
  oneRoute(api, env);
}

function listRoute(api: Api, { web }: ApiEnv): void {
  api.get(
    '/conversations',
    {
      config: VIEWER,
      schema: {
        tags,
        summary: 'The numbers that wrote, each with its latest reply, the latest first',
        querystring: z.object(pageQuery(500)),
        response: { 200: z.object({ conversations: z.array(Reply), next: Next }) },
      },
    },
    async (request) => {
      const { cursor, limit } = request.query;
      const before = placeOf(cursor, ReplyPlace);
      const rows = await (await web.reader()).conversations({ before, limit });
      const last = rows.at(-1);
      const { seesNumbers } = askerOf(request);
      return {
        conversations: rows.map((row) => replyOf(row, seesNumbers)),
        next:
          rows.length === limit && last !== undefined
            ? cursorOf({ writtenAt: last.writtenAt, id: last.id })
            : null,
      };
    },
  );
}

function oneRoute(api: Api, { web }: ApiEnv): void {
  api.get(
    '/conversations/:id',
    {
      config: VIEWER,
      schema: {
        tags,
        summary: 'What was said between us and the number of a reply',
        description:
          'A page has the latest of each side in order of time, and `next` leads to older ones. The address has the id of a reply, because a number must not stand in it.',
        params: z.object({ id: z.coerce.number().int().min(1) }),
        querystring: z.object(pageQuery(200, 100)),
        response: {
          200: z.object({
            mobile: Mobile,
            said: z.array(z.discriminatedUnion('by', [SaidByUs, SaidByThem])),
            opt_outs: z.array(OptOut),
            next: Next,
          }),
        },
      },
    },
    async (request) => {
      const { cursor, limit } = request.query;
      const reader = await web.reader();
      const reply = await reader.reply(request.params.id);
      if (reply === null) throw new TumaError('not_found', { message: 'There is no such reply.' });
      const page = { before: placeOf(cursor, Place), limit };
      const { mobile, said, standing, older } = await conversationWith(reader, reply.mobile, page);
      const { seesNumbers } = askerOf(request);
      return {
        mobile: seesNumbers ? mobile : maskMobile(mobile),
        said: said.map((each) => saidOf(each, seesNumbers)),
        opt_outs: standing.optOuts.map((row) => optOutOf(row, seesNumbers)),
        next: older === null ? null : cursorOf(older),
      };
    },
  );
}

function saidOf(said: Said, seesNumbers: boolean): z.output<typeof SaidByUs> | z.output<typeof SaidByThem> {
  const at = isoTime(said.at);
  if (said.by === 'them') return { by: 'them', at, reply: replyOf(said.reply, seesNumbers) };
  const { text, message, campaign } = said;
  const words = text === null ? null : text.text;
  return {
    by: 'us',
    at,
    text: words === null || seesNumbers ? words : maskText(words),
    appended: text?.appended ?? '',
    campaign: { id: campaign.id, name: campaign.name },
    seq: message.seq,
    state: message.state,
  };
}
