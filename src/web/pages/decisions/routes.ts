import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { mapWord, unknownWords, type WordAsked } from '../../../campaign/inbound/map-word.ts';
import { answerNumbered, mapAnswer, unmapAnswer } from '../../../campaign/operator/map-answer.ts';
import { ANSWER_MEANINGS } from '../../../domain/answer-meaning.ts';
import { DELIVERIES } from '../../../domain/message.ts';
import { fieldsOf } from '../../form-fields.ts';
import { answerPage, type Visit } from '../../send-page.ts';
import { sealsOf } from '../../session/sealed.ts';
import type { WebEnv } from '../../web-env.ts';
import { auditName } from '../../who.ts';
import { languageOf, wordsOf } from '../../words/words.ts';
import { answerView, type Asked, webhookView, wordView } from './one-view.ts';
import { type Decisions, decisionsView } from './view.ts';
import { NoSuchPage } from '../../no-such-page.ts';

const MOST_LISTED = 50;
const MOST_NAMED = 10;
const MOST_EXAMPLES = 3;
const NOTHING_WRONG: Asked = { errors: [], hasChanged: false };

/** What waits for a decision, the decision itself, and a raw webhook. */
export function decisionRoutes(app: FastifyInstance, env: WebEnv): void {
  app.get('/decisions', { config: { may: 'viewer' } }, async (request, reply) => {
    const decisions = await decisionsOf(env);
    return answerPage(request, reply, {
      env,
      content: (frame) => ({ title: frame.words.decisions.title, main: decisionsView(frame, decisions) }),
    });
  });
  app.get('/webhooks/:id', { config: { may: 'viewer' } }, async (request, reply) => {
    const { id } = request.params as { id: string };
    const raw = /^\d{1,15}$/.test(id) ? await (await env.reader()).rawWebhook(Number(id)) : null;
    if (raw === null) throw new NoSuchPage();
    return answerPage(request, reply, {
      env,
      content: (frame) => ({ title: frame.words.decisions.raw(id), main: webhookView(frame, raw) }),
    });
  });
  answerRoutes(app, env);
  wordRoutes(app, env);
}

function answerRoutes(app: FastifyInstance, env: WebEnv): void {
  app.get('/decisions/answers/:number', { config: { may: 'operator' } }, async (request, reply) =>
    askAnswer({ env, request, reply }),
  );
  app.post('/decisions/answers/:number', { config: { may: 'operator' } }, async (request, reply) => {
    const { answer, messages } = await answerIn(env, request);
    const { meaning: chosen, messages: shown } = fieldsOf(request);
    const meaning = ANSWER_MEANINGS.find((each) => each === chosen);
    if (meaning === undefined) return askAnswer({ env, request, reply }, notChosen(request, 'credit'));
    if (shown !== String(messages))
      return askAnswer({ env, request, reply }, { errors: [], hasChanged: true });
    await mapAnswer({ ...(await orderOf(env, request)), answer, meaning });
    return reply.redirect('/decisions', 303);
  });
  app.post('/decisions/answers/:number/unmap', { config: { may: 'operator' } }, async (request, reply) => {
    const { answer } = await answerIn(env, request);
    await unmapAnswer({ ...(await orderOf(env, request)), answer });
    return reply.redirect('/decisions', 303);
  });
}

function wordRoutes(app: FastifyInstance, env: WebEnv): void {
  app.get('/decisions/words/:sealed', { config: { may: 'operator' } }, async (request, reply) =>
    askWord({ env, request, reply }),
  );
  app.post('/decisions/words/:sealed', { config: { may: 'operator' } }, async (request, reply) => {
    const { word, decides } = await wordIn(env, request);
    const { meaning, count: shown } = fieldsOf(request);
    const delivery = DELIVERIES.find((each) => each === meaning);
    if (delivery === undefined) return askWord({ env, request, reply }, notChosen(request, 'delivered'));
    if (shown !== String(decides)) return askWord({ env, request, reply }, { errors: [], hasChanged: true });
    const { ledger, now, by } = await orderOf(env, request);
    const { knows } = await env.webhookReading();
    await mapWord({ ledger, knows, word, delivery, now, by });
    return reply.redirect('/decisions', 303);
  });
}

async function decisionsOf(env: WebEnv): Promise<Decisions> {
  const reader = await env.reader();
  const seals = await sealsOf(env);
  const words = await reader.unknownWords(MOST_LISTED);
  return {
    answers: await reader.answers(),
    words: words.map((each) => ({ ...each, address: `/decisions/words/${seals.seal('word', each.word)}` })),
    mismatched: await reader.mismatchedReports(MOST_NAMED),
    unmatched: await reader.unmatchedReports({ since: 0, until: Number.MAX_SAFE_INTEGER }),
    repeated: await reader.repeatedIds(MOST_NAMED),
    contradictions: await reader.contradictions(null),
    shapes: await reader.webhookShapes(MOST_LISTED),
  };
}

async function orderOf(env: WebEnv, { who }: FastifyRequest) {
  const [ledger, reader] = [await env.ledger(), await env.reader()];
  return { ledger, reader, now: env.clock.now(), by: auditName(who) };
}

function notChosen(request: FastifyRequest, first: string): Asked {
  const { decisions } = wordsOf(languageOf(request));
  return { errors: [{ field: `meaning-${first}`, message: decisions.chooseMeaning }], hasChanged: false };
}

function statusOf({ errors, hasChanged }: Asked): number {
  return hasChanged ? 409 : errors.length > 0 ? 422 : 200;
}

async function answerIn(env: WebEnv, { params }: FastifyRequest) {
  const { number } = params as { number: string };
  return answerNumbered(await env.reader(), number);
}

async function askAnswer({ env, request, reply }: Visit, asked = NOTHING_WRONG): Promise<FastifyReply> {
  const row = await answerIn(env, request);
  const evidence = await (await env.reader()).answerEvidence({ answer: row.answer, limit: MOST_EXAMPLES });
  return answerPage(request, reply, {
    env,
    status: statusOf(asked),
    content: (frame) => ({
      title: frame.words.decisions.answerTitle,
      main: answerView(frame, row, { ...asked, evidence }),
    }),
  });
}

/** Throws `not_found`. */
async function wordIn(env: WebEnv, request: FastifyRequest): Promise<WordAsked & { address: string }> {
  const { sealed } = request.params as { sealed: string };
  const word = (await sealsOf(env)).open('word', sealed);
  const all = await unknownWords(await env.reader());
  const found = all.find((each) => each.word === word);
  if (found === undefined) throw new NoSuchPage();
  return { ...found, address: `/decisions/words/${sealed}` };
}

async function askWord({ env, request, reply }: Visit, asked = NOTHING_WRONG): Promise<FastifyReply> {
  const word = await wordIn(env, request);
  return answerPage(request, reply, {
    env,
    status: statusOf(asked),
    content: (frame) => ({ title: frame.words.decisions.wordTitle, main: wordView(frame, word, asked) }),
  });
}
