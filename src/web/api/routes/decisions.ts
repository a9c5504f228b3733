import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { mapWord, unknownWords, type WordAsked } from '../../../campaign/inbound/map-word.ts';
import { answerNumbered, mapAnswer, unmapAnswer } from '../../../campaign/operator/map-answer.ts';
import { ANSWER_MEANINGS } from '../../../domain/answer-meaning.ts';
import { DELIVERIES } from '../../../domain/message.ts';
import { strangersWords } from '../../../domain/text/mask.ts';
import type { AnswerRow } from '../../../ledger/contracts/answers.ts';
import { isoTime } from '../../../reports/campaign-report.ts';
import { contradictionParts } from '../../../reports/contradictions.ts';
import { decisionParts } from '../../../reports/open-answers.ts';
import type { WebEnv } from '../../web-env.ts';
import { askerOf } from '../actor.ts';
import type { Api, ApiEnv } from '../api-env.ts';
import { done } from '../once.ts';
import { requireCount, seenCount } from '../order-route.ts';
import { CampaignDetail } from '../schemas/campaign.ts';
import { Count, ORDER_HEADERS, Time } from '../schemas/common.ts';

const tags = ['Account'];
const OPERATOR = { may: 'operator' } as const;
const headers = z.looseObject(ORDER_HEADERS);
const params = z.object({ answer: z.coerce.number().int().min(1) });
const MOST_LISTED = 50;
const MOST_WORD = 200;

const Answer = z
  .object({
    ...CampaignDetail.shape.decisions.element.shape,
    count: Count.describe('How many such answers came.'),
    last_at: Time,
    meaning: z.enum(ANSWER_MEANINGS).nullable(),
    mapped_by: z.string().nullable(),
    example: z.string().nullable(),
  })
  .meta({ id: 'ProviderAnswer' });

const Word = z
  .object({
    word: z.string(),
    count: Count,
    decides: Count.describe(
      'Reports that a meaning of it decides: also those of other words with the same letters.',
    ),
    last_at: Time,
    meaning: z.enum(DELIVERIES).nullable(),
    webhook: z.int(),
  })
  .meta({ id: 'ReportWord' });

/** What only a person can say: what unknown answers and words of the provider mean. */
export function decisionRoutes(api: Api, env: ApiEnv): void {
  listRoute(api, env);
  answerRoutes(api, env);
  wordRoute(api, env);
}

function listRoute(api: Api, { web }: ApiEnv): void {
  api.get(
    '/decisions',
    {
      config: { may: 'viewer' },
      schema: {
        tags,
        summary: 'Answers and words of the provider that nobody knows, and those that somebody mapped',
        response: {
          200: z.object({
            answers: z.array(Answer),
            words: z.array(Word),
            contradictions: z
              .array(z.object({ campaign: z.string(), messages: Count, last_at: Time }))
              .describe('Rejected messages whose numbers waiting delivery reports name.'),
          }),
        },
      },
    },
    async () => {
      const reader = await web.reader();
      return {
        answers: (await reader.answers()).map(answerPart),
        words: (await unknownWords(reader)).slice(0, MOST_LISTED).map(wordPart),
        contradictions: contradictionParts(await reader.contradictions(null)),
      };
    },
  );
}

function wordPart({ word, count, decides, lastAt, mapped, webhook }: WordAsked): z.output<typeof Word> {
  return { word: strangersWords(word), count, decides, last_at: isoTime(lastAt), meaning: mapped, webhook };
}

function answerPart(row: AnswerRow): z.output<typeof Answer> {
  const [part] = decisionParts([row]);
  const { count, lastAt, meaning, mappedBy, example } = row;
  return {
    ...(part as NonNullable<typeof part>),
    words: strangersWords(row.words),
    count,
    last_at: isoTime(lastAt),
    meaning,
    mapped_by: mappedBy,
    example: example === null ? null : strangersWords(example),
  };
}

async function orderOf(web: WebEnv, request: FastifyRequest) {
  const [reader, ledger] = [await web.reader(), await web.ledger()];
  return { ledger, reader, now: web.clock.now(), ...askerOf(request) };
}

function answerRoutes(api: Api, { web, repeats }: ApiEnv): void {
  api.post(
    '/decisions/answers/:answer/map',
    {
      config: OPERATOR,
      schema: {
        tags,
        summary: 'Say what an answer of the provider means, for what waits and for later answers',
        params,
        headers,
        body: z.strictObject({
          meaning: z.enum(ANSWER_MEANINGS),
          messages: seenCount('How many messages wait for it'),
        }),
        response: { 200: z.object({ messages: Count.describe('Messages that it decided.') }) },
      },
    },
    async (request) => {
      const { answer } = request.params;
      const { meaning, messages } = request.body;
      const { document } = await repeats.once(request, async () => {
        const order = { ...(await orderOf(web, request)), answer };
        requireCount((await answerNumbered(order.reader, String(answer))).messages, messages);
        return done({ messages: await mapAnswer({ ...order, meaning }) });
      });
      return document;
    },
  );
  api.post(
    '/decisions/answers/:answer/unmap',
    {
      config: OPERATOR,
      schema: {
        tags,
        summary: 'Take the meaning of an answer back, with what it decided',
        params,
        headers,
        body: z.strictObject({}).nullish(),
        response: {
          200: z.object({
            changed: z.boolean(),
            messages: Count.describe('Messages that are uncertain again.'),
          }),
        },
      },
    },
    async (request) => {
      const { answer } = request.params;
      const { document } = await repeats.once(request, async () => {
        const messages = await unmapAnswer({ ...(await orderOf(web, request)), answer });
        return done({ changed: messages !== null, messages: messages ?? 0 });
      });
      return document;
    },
  );
}

function wordRoute(api: Api, { web, repeats }: ApiEnv): void {
  api.post(
    '/decisions/words',
    {
      config: OPERATOR,
      schema: {
        tags,
        summary: 'Say what a word of delivery reports means, for present and later ones',
        headers,
        body: z.strictObject({
          word: z.string().min(1).max(MOST_WORD),
          meaning: z.enum(DELIVERIES),
          reports: seenCount('How many reports it decides'),
        }),
        response: { 200: z.object({ reports: Count.describe('Reports that were worked out anew.') }) },
      },
    },
    async (request) => {
      const { word, meaning: delivery, reports } = request.body;
      const { document } = await repeats.once(request, async () => {
        const { knows } = await web.webhookReading();
        const known = await unknownWords(await web.reader());
        requireCount(known.find((each) => each.word === word)?.decides ?? 0, reports);
        const change = { now: web.clock.now(), by: askerOf(request).by };
        return done({
          reports: await mapWord({ ledger: await web.ledger(), knows, word, delivery, ...change }),
        });
      });
      return document;
    },
  );
}
