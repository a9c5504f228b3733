import { z } from 'zod';
import { maskText } from '../../../domain/text/mask.ts';
import { isoTime } from '../../../reports/campaign-report.ts';
import { find, MOST_SEARCHED_CHARS } from '../../../reports/find.ts';
import type { MessageOfCampaign } from '../../../reports/found-messages.ts';
import { type LifeEvent, messageStory } from '../../../reports/message-life.ts';
import type { Api, ApiEnv } from '../api-env.ts';
import { overviewOf } from '../look.ts';
import { type Eyes, eyesOf, messageDocument } from '../message-document.ts';
import { ApiError } from '../problem.ts';
import { Mobile, Time } from '../schemas/common.ts';
import { Message } from '../schemas/people.ts';

const tags = ['People'];
const Named = z.object({ id: z.string(), name: z.string() });
const Found = z.object({ campaign: Named, message: Message }).meta({ id: 'FoundMessage' });

const Event = z
  .object({
    what: z.enum(['planned', 'due', 'tried', 'answered', 'reported', 'decided']),
    at: Time,
    attempt: z.int().optional(),
    outcome: z
      .string()
      .optional()
      .describe('Of an answer: what became of the message. Of a decision: its state.'),
    reason: z.string().nullable().optional(),
    milliseconds: z.number().nullable().optional().describe('How long the answer took.'),
    seen: z
      .object({ http_status: z.int().nullable(), code: z.string().nullable(), raw: z.string().nullable() })
      .nullable()
      .optional()
      .describe('What the service answered, as it came; null: nothing, or it was purged.'),
    word: z.string().optional().describe('Of a report: the word of the network.'),
    delivery: z.string().nullable().optional(),
    webhook: z.int().optional().describe('The raw webhook of a report.'),
    basis: z.string().nullable().optional().describe('What a decision stands on.'),
  })
  .meta({ id: 'MessageEvent' });

/** Find a person or a message, and the life of one message. */
export function findRoutes(api: Api, env: ApiEnv): void {
  searchRoute(api, env);
  lifeRoute(api, env);
}

function searchRoute(api: Api, { web }: ApiEnv): void {
  api.post(
    '/find',
    {
      config: { may: 'viewer' },
      schema: {
        tags,
        summary: 'Find a number, an id of a message, a key, or a campaign by id or name',
        description: 'A POST, because a number must not stand in an address.',
        body: z.strictObject({ text: z.string().trim().min(1).max(MOST_SEARCHED_CHARS) }),
        response: {
          200: z.object({
            number: z
              .object({
                mobile: Mobile,
                may_get_offers: z
                  .boolean()
                  .describe('False: it opted out of some sender, or counts as dead.'),
                messages: z.array(Found).describe('The latest first.'),
                more: z.boolean(),
              })
              .nullable()
              .describe('Null: the text is no number.'),
            of_id: z.array(Found),
            of_key: z.array(Found),
            campaigns: z.array(Named),
          }),
        },
      },
    },
    async (request) => {
      const { text } = request.body;
      const found = await find(await web.reader(), { text, country: web.config.country });
      const eyes = eyesOf(web, request);
      const { number } = found;
      return {
        number:
          number === null
            ? null
            : {
                mobile: eyes.number(number.mobile),
                may_get_offers: number.standing.optOuts.length === 0,
                messages: number.messages.map((each) => foundPart(each, eyes)),
                more: number.more,
              },
        of_id: found.ofId.map((each) => foundPart(each, eyes)),
        of_key: found.ofKey.map((each) => foundPart(each, eyes)),
        campaigns: found.campaigns.map(({ id, name }) => ({ id, name })),
      };
    },
  );
}

function foundPart({ campaign: { id, name }, message }: MessageOfCampaign, eyes: Eyes) {
  return { campaign: { id, name }, message: messageDocument(message, eyes) };
}

function lifeRoute(api: Api, { web }: ApiEnv): void {
  api.get(
    '/campaigns/:id/messages/:seq',
    {
      config: { may: 'viewer' },
      schema: {
        tags,
        summary: 'The life of one message, from its line to the last report, with the raw evidence',
        params: z.object({ id: z.string(), seq: z.coerce.number().int().min(1) }),
        response: {
          200: z.object({
            message: Message,
            text: z.string().nullable().describe('What the person got; null: it was purged.'),
            appended: z.string().nullable().describe('What the provider appends to it.'),
            events: z.array(Event).describe('In the order of time.'),
          }),
        },
      },
    },
    async (request) => {
      const { id, seq } = request.params;
      const { campaign } = await overviewOf(web, id);
      const story = await messageStory(await web.reader(), { campaign, seq });
      if (story === null) throw new ApiError('not_here', 'There is no such message.');
      const eyes = eyesOf(web, request);
      return {
        message: messageDocument(story.life.message, eyes),
        text: story.text === null ? null : eyes.words(story.text.text),
        appended: story.text?.appended ?? null,
        events: story.events.map((event) => eventPart(event, eyes)),
      };
    },
  );
}

function eventPart(event: LifeEvent, eyes: Eyes): z.output<typeof Event> {
  const { what } = event;
  const at = isoTime(event.at);
  if (what === 'tried') return { what, at, attempt: event.attempt };
  if (what === 'decided')
    return { what, at, outcome: event.state, reason: wordsOf(event.reason, eyes), basis: event.basis };
  if (what === 'reported') {
    const { word, delivery, reason, webhook } = event.report;
    return { what, at, word: maskText(word), delivery, reason: wordsOf(reason, eyes), webhook };
  }
  if (what !== 'answered') return { what, at };
  const { outcome, reason, sendMs, seen } = event;
  const answer =
    seen === null
      ? null
      : {
          http_status: seen.httpStatus,
          code: seen.code,
          raw: seen.raw === null ? null : eyes.words(seen.raw),
        };
  return { what, at, outcome, reason: wordsOf(reason, eyes), milliseconds: sendMs, seen: answer };
}

function wordsOf(reason: string | null, eyes: Eyes): string | null {
  return reason === null ? null : eyes.words(reason);
}
