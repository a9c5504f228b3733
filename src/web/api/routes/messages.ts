import { z } from 'zod';
import { MESSAGE_STATES } from '../../../domain/message.ts';
import { strangersWords } from '../../../domain/text/mask.ts';
import type { UncertainRow } from '../../../ledger/reader.ts';
import { isoTime } from '../../../reports/campaign-report.ts';
import type { WebEnv } from '../../web-env.ts';
import type { Api, ApiEnv } from '../api-env.ts';
import { cursorOf, placeOf } from '../cursor.ts';
import { overviewOf } from '../look.ts';
import { type Eyes, eyesOf, messageDocument } from '../message-document.ts';
import { CampaignParams, Count, Next, pageQuery } from '../schemas/common.ts';
import { Message, UncertainMessage } from '../schemas/people.ts';

const MOST_UNCERTAIN = 1_000;

/** The messages of a campaign. */
export function messageRoutes(api: Api, { web }: ApiEnv): void {
  listRoute(api, web);
  uncertainRoute(api, web);
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
        messages: rows.map((row) => messageDocument(row, eyes)),
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
