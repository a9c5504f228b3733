import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { MESSAGE_STATES } from '../../../domain/message.ts';
import { formatMoney } from '../../../domain/money.ts';
import { maskMobile, maskText, strangersWords } from '../../../domain/text/mask.ts';
import type { MessageRow, UncertainRow } from '../../../ledger/reader.ts';
import { isoTime } from '../../../reports/campaign-report.ts';
import type { WebEnv } from '../../web-env.ts';
import { askerOf } from '../actor.ts';
import type { Api, ApiEnv } from '../api-env.ts';
import { cursorOf, placeOf } from '../cursor.ts';
import { overviewOf } from '../look.ts';
import { CampaignParams, Count, Next, pageQuery } from '../schemas/common.ts';
import { Message, UncertainMessage } from '../schemas/people.ts';

const MOST_UNCERTAIN = 1_000;

/** How the numbers of people are shown to whoever asks. */
interface Eyes {
  number: (mobile: string) => string;
  words: (text: string) => string;
  unreportedBefore: number;
}

/** The messages of a campaign. */
export function messageRoutes(api: Api, { web }: ApiEnv): void {
  listRoute(api, web);
  uncertainRoute(api, web);
}

function eyesOf(web: WebEnv, request: FastifyRequest): Eyes {
  const { seesNumbers } = askerOf(request);
  return {
    number: (mobile) => (seesNumbers ? mobile : maskMobile(mobile)),
    words: (text) => (seesNumbers ? text : maskText(text)),
    unreportedBefore: web.clock.now() - web.config.reportWaitMs,
  };
}

function listRoute(api: Api, web: WebEnv): void {
  const states = z.enum(MESSAGE_STATES);
  api.get(
    '/campaigns/:id/messages',
    {
      config: { may: 'viewer' },
      schema: {
        tags: ['Campaigns'],
        summary: 'The messages of a campaign, in the order of the contacts',
        params: CampaignParams,
        querystring: z.object({
          state: z
            .union([states, z.array(states)])
            .optional()
            .describe('Only in this state; may be given several times.'),
          ...pageQuery(2_000, 500),
        }),
        response: { 200: z.object({ messages: z.array(Message), next: Next }) },
      },
    },
    async (request) => {
      const { state, cursor, limit } = request.query;
      const { campaign } = await overviewOf(web, request.params.id);
      const rows = await (await web.reader()).messages({
        campaign: campaign.n,
        afterSeq: placeOf(cursor, z.int()) ?? 0,
        limit,
        states: state === undefined ? null : [state].flat(),
      });
      const eyes = eyesOf(web, request);
      const last = rows.at(-1);
      return {
        messages: rows.map((row) => messageOf(row, eyes)),
        next: rows.length === limit && last !== undefined ? cursorOf(last.seq) : null,
      };
    },
  );
}

function uncertainRoute(api: Api, web: WebEnv): void {
  api.get(
    '/campaigns/:id/uncertain',
    {
      config: { may: 'viewer' },
      schema: {
        tags: ['Campaigns'],
        summary: 'Messages of which nobody knows whether they were sent, with what was seen of each',
        params: CampaignParams,
        querystring: z.object({
          line: z.coerce.number().int().min(1).optional().describe('Only of this line of the contacts.'),
          limit: z.coerce.number().int().min(1).max(MOST_UNCERTAIN).default(100),
        }),
        response: { 200: z.object({ messages: z.array(UncertainMessage), total: Count }) },
      },
    },
    async (request) => {
      const { line = null, limit } = request.query;
      const { campaign } = await overviewOf(web, request.params.id);
      const query = { campaign: campaign.n, limit, line, mobile: null };
      const { rows, total } = await (await web.reader()).uncertain(query);
      const eyes = eyesOf(web, request);
      return { messages: rows.map((row) => uncertainOf(row, eyes)), total };
    },
  );
}

function messageOf(row: MessageRow, eyes: Eyes): z.output<typeof Message> {
  const time = (at: number | null) => (at === null ? null : isoTime(at));
  const isLate = row.delivery === 'pending' && row.sentAt !== null && row.sentAt < eyes.unreportedBefore;
  return {
    seq: row.seq,
    line: row.line,
    mobile: eyes.number(row.mobile),
    key: eyes.words(row.key),
    occurrence: row.occurrence,
    state: row.state,
    delivery: isLate ? 'unreported' : row.delivery,
    reason: row.reason,
    provider_words: row.providerWords,
    messageid: row.messageId,
    network: row.network,
    segments: row.segments,
    cost: row.costMicro === null ? null : formatMoney(row.costMicro),
    attempts: row.attempts,
    queued_at: isoTime(row.queuedAt),
    due_at: row.notBefore === 0 ? null : isoTime(row.notBefore),
    sent_at: time(row.sentAt),
    reported_at: time(row.reportedAt),
  };
}

function uncertainOf(row: UncertainRow, eyes: Eyes): z.output<typeof UncertainMessage> {
  const { seen } = row;
  return {
    seq: row.seq,
    line: row.line,
    mobile: eyes.number(row.mobile),
    key: eyes.words(row.key),
    reason: row.reason,
    attempts: row.attempts,
    uncertain_since: isoTime(row.settledAt),
    written_off: row.writtenOff,
    flags: row.flags,
    seen:
      seen === null
        ? null
        : {
            at: isoTime(seen.at),
            http_status: seen.httpStatus,
            code: seen.code,
            words: seen.words ?? strangersWords(seen.raw ?? ''),
          },
  };
}
