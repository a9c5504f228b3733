import { z } from 'zod';
import { MESSAGE_STATES, type MessageState } from '../../../domain/message.ts';
import { strangersWords } from '../../../domain/text/mask.ts';
import type { LedgerReader, UncertainRow } from '../../../ledger/contracts/reader.ts';
import { isoTime } from '../../../reports/campaign-report.ts';
import { EXPORT_DELIVERIES, EXPORT_STATES } from '../../../reports/export.ts';
import type { WebEnv } from '../../web-env.ts';
import type { Api, ApiEnv } from '../api-env.ts';
import { cursorOf, placeOf } from '../cursor.ts';
import { overviewOf } from '../look.ts';
import { type Eyes, eyesOf, messageDocument } from '../message-document.ts';
import { CampaignParams, Count, Next, pageQuery } from '../schemas/common.ts';
import { Message, UncertainMessage } from '../schemas/people.ts';

const MOST_UNCERTAIN = 1_000;
/** Reads for one answer. */
const MOST_PAGES = 20;

/** The messages of a campaign. */
export function messageRoutes(api: Api, { web }: ApiEnv): void {
  listRoute(api, web);
  uncertainRoute(api, web);
}

function listRoute(api: Api, web: WebEnv): void {
  const states = z.enum(EXPORT_STATES);
  api.get(
    '/campaigns/:id/messages',
    {
      config: { may: 'viewer' },
      schema: {
        tags: ['Campaigns'],
        summary: 'The messages of a campaign, in the order of the contacts',
        description: 'A page may have fewer rows than `limit`, also none, and yet a `next`.',
        params: CampaignParams,
        querystring: z.object({
          state: z
            .union([states, z.array(states)])
            .optional()
            .describe('Only in this state, or sent and with this delivery; may be given several times.'),
          ...pageQuery(2_000, 500),
        }),
        response: { 200: z.object({ messages: z.array(Message), next: Next }) },
      },
    },
    async (request) => {
      const { state, cursor, limit } = request.query;
      const { campaign } = await overviewOf(web, request.params.id);
      const eyes = eyesOf(web, request);
      const wanted = state === undefined ? null : [state].flat();
      const after = placeOf(cursor, z.int()) ?? 0;
      const { messages, next } = await pageOf(await web.reader(), {
        campaign: campaign.n,
        after,
        limit,
        wanted,
        eyes,
      });
      return { messages, next: next === null ? null : cursorOf(next) };
    },
  );
}

interface Wanted {
  campaign: number;
  after: number;
  limit: number;
  wanted: readonly string[] | null;
  eyes: Eyes;
}

/** One page. No index has the deliveries, so messages with other ones are read, too, but only so many. */
async function pageOf(reader: LedgerReader, { campaign, limit, wanted, eyes, ...from }: Wanted) {
  const states = wanted === null ? null : statesOf(wanted);
  const messages: z.output<typeof Message>[] = [];
  let after = from.after;
  for (let page = 0; page < MOST_PAGES; page += 1) {
    const rows = await reader.messages({ campaign, afterSeq: after, limit, states });
    for (const row of rows) {
      after = row.seq;
      const message = messageDocument(row, eyes);
      if (wanted === null || wanted.includes(message.state) || wanted.includes(message.delivery ?? ''))
        messages.push(message);
      if (messages.length === limit) return { messages, next: after };
    }
    if (rows.length < limit) return { messages, next: null };
  }
  return { messages, next: after };
}

/** The states in which such messages are: what is delivered was sent. */
function statesOf(wanted: readonly string[]): MessageState[] {
  const isOfSent = (each: string) => (EXPORT_DELIVERIES as readonly string[]).includes(each);
  const states = MESSAGE_STATES.filter((state) => wanted.includes(state));
  return wanted.some(isOfSent) && !states.includes('sent') ? [...states, 'sent'] : states;
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
    reason: row.reason === null ? null : eyes.words(row.reason),
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
