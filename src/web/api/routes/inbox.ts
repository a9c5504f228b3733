import { z } from 'zod';
import { TumaError } from '../../../domain/errors.ts';
import { decideReply } from '../../../campaign/inbound/decide-reply.ts';
import { maskMobile, maskText } from '../../../domain/text/mask.ts';
import { printable } from '../../../domain/text/printable.ts';
import type { ReplyRow } from '../../../ledger/contracts/replies.ts';
import { isoTime } from '../../../reports/campaign-report.ts';
import { chatFile } from '../../chat-file.ts';
import { sendFile } from '../../send-file.ts';
import { askerOf } from '../actor.ts';
import type { Api, ApiEnv } from '../api-env.ts';
import { cursorOf, placeOf } from '../cursor.ts';
import { overviewOf } from '../look.ts';
import { done } from '../once.ts';
import { Count, Next, ORDER_HEADERS, pageQuery, Time } from '../schemas/common.ts';
import { Flag } from '../schemas/given.ts';
import { Reply } from '../schemas/people.ts';

/** The place of a reply. */
export const ReplyPlace = z.object({ writtenAt: z.int(), id: z.int() });

/** What people answered. */
export function inboxRoutes(api: Api, env: ApiEnv): void {
  listRoute(api, env);
  decideRoute(api, env);
  fileRoute(api, env);
}

function decideRoute(api: Api, { web, repeats }: ApiEnv): void {
  api.post(
    '/inbox/:id/decide',
    {
      config: { may: 'operator' },
      schema: {
        tags: ['People'],
        summary: 'Decide a reply that may ask to stop',
        params: z.object({ id: z.coerce.number().int().min(1) }),
        headers: z.looseObject(ORDER_HEADERS),
        body: z.strictObject({ stop: z.boolean().describe('true: the number opts out of offers.') }),
        response: { 200: z.object({ decided: z.literal(true) }) },
      },
    },
    async (request) => {
      const { id: reply } = request.params;
      const { document } = await repeats.once(request, async () => {
        const change = { now: web.clock.now(), by: askerOf(request).by };
        await decideReply(await web.ledger(), { reply, stop: request.body.stop, ...change });
        return done({ decided: true as const });
      });
      return document;
    },
  );
}

function fileRoute(api: Api, { web }: ApiEnv): void {
  api.get(
    '/inbox/:id/file',
    {
      config: { may: 'operator' },
      schema: {
        tags: ['People'],
        summary: 'The file that came with a chat message, fetched through the provider',
        description: 'A stranger chose what is in it, so that it comes as bytes of no type.',
        params: z.object({ id: z.coerce.number().int().min(1) }),
        response: {
          200: {
            description: 'The file.',
            content: { 'application/octet-stream': { schema: z.string() } },
          },
        },
      },
    },
    async (request, reply) => {
      const found = await (await web.reader()).reply(request.params.id);
      if (found === null) throw new TumaError('not_found', { message: 'There is no such reply.' });
      const media = await chatFile(web, found, reply);
      if (media.outcome !== 'saved') throw media.error;
      return sendFile(reply, media.file) as never;
    },
  );
}

function listRoute(api: Api, { web }: ApiEnv): void {
  api.get(
    '/inbox',
    {
      config: { may: 'viewer' },
      schema: {
        tags: ['People'],
        summary: 'Replies, the latest first',
        querystring: z.object({
          campaign: z.string().optional().describe('Only replies after a message of this campaign (id).'),
          maybe_stop: Flag.optional().describe(
            'true: only those that may ask to stop, until somebody decides about the number.',
          ),
          since: Time.optional().describe('Only those that arrived then or later.'),
          ...pageQuery(1_000, 200),
        }),
        response: {
          200: z.object({
            replies: z.array(Reply),
            maybe_stop: Count.describe('How many replies wait for a decision, in all.'),
            next: Next,
          }),
        },
      },
    },
    async (request) => {
      const { campaign, maybe_stop: inDoubt = false, since, cursor, limit } = request.query;
      const reader = await web.reader();
      const rows = await reader.replies({
        campaign: campaign === undefined ? null : (await overviewOf(web, campaign)).campaign.n,
        inDoubt,
        since: since === undefined ? 0 : Date.parse(since),
        before: placeOf(cursor, ReplyPlace),
        limit,
      });
      const last = rows.at(-1);
      const { seesNumbers } = askerOf(request);
      return {
        replies: rows.map((row) => replyOf(row, seesNumbers)),
        maybe_stop: await reader.repliesInDoubt(),
        next: rows.length === limit && last !== undefined ? cursorOf(placeIn(last)) : null,
      };
    },
  );
}

function placeIn({ writtenAt, id }: ReplyRow): z.output<typeof ReplyPlace> {
  return { writtenAt, id };
}

/** A reply as programs see it. */
export function replyOf(row: ReplyRow, seesNumbers: boolean): z.output<typeof Reply> {
  const words = (text: string) => (seesNumbers ? text : maskText(text));
  const { media_type: media = 'text' } = row.detail;
  return {
    id: row.id,
    channel: row.channel,
    record: row.recordId,
    received_at: row.at === null ? null : isoTime(row.at),
    arrived_at: isoTime(row.receivedAt),
    mobile: seesNumbers ? row.mobile : maskMobile(row.mobile),
    to: words(row.addressee),
    text: words(row.text),
    wish: row.wish,
    media: media === 'text' ? null : printable(media),
    campaign: row.campaign,
  };
}
