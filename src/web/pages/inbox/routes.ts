import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Readable } from 'node:stream';
import { decideReply } from '../../../campaign/inbound/decide-reply.ts';
import { TumaError } from '../../../domain/errors.ts';
import type { ReplyRow } from '../../../ledger/contracts/replies.ts';
import { conversationWith } from '../../../reports/conversation.ts';
import { INBOX_COLUMNS, inboxCells } from '../../../reports/inbox-rows.ts';
import { csvPages, rowPages } from '../../../reports/row-pages.ts';
import { formField } from '../../form-fields.ts';
import type { Frame } from '../../frame.ts';
import { chatFile } from '../../chat-file.ts';
import { sendFile } from '../../send-file.ts';
import { answerPage } from '../../send-page.ts';
import { sealsOf } from '../../session/sealed.ts';
import type { PageContent } from '../../views/layout.ts';
import type { WebEnv } from '../../web-env.ts';
import { auditName } from '../../who.ts';
import { languageOf, wordsOf } from '../../words/words.ts';
import { type Inbox, inboxView, noFileView, type OpenConversation } from './view.ts';
import { NoSuchPage } from '../../no-such-page.ts';

const PEOPLE_A_PAGE = 50;
/** Replies in doubt that are listed at once; the others wait behind them. */
const MOST_IN_DOUBT = 10;

/** The inbox, a conversation, the decision about a maybe-STOP, and all replies as a file. */
export function inboxRoutes(app: FastifyInstance, env: WebEnv): void {
  app.get('/inbox', { config: { may: 'viewer' } }, async (request, reply) => {
    const inbox = await readInbox(env, request, null);
    return answerPage(request, reply, { env, content: (frame) => pageOf(frame, inbox) });
  });
  app.get('/inbox/:id', { config: { may: 'viewer' } }, async (request, reply) => {
    const latest = await replyOf(env, request);
    const inbox = await readInbox(env, request, await openConversation(env, latest));
    return answerPage(request, reply, { env, content: (frame) => pageOf(frame, inbox) });
  });
  app.post('/inbox/:id/decision', { config: { may: 'operator' } }, async (request, reply) => {
    const { id } = await replyOf(env, request);
    const stop = formField(request, 'stop');
    const words = wordsOf(languageOf(request));
    if (stop !== 'yes' && stop !== 'no') throw new TumaError('usage', { message: words.common.errors.stale });
    const by = { now: env.clock.now(), by: auditName(request.who) };
    await decideReply(await env.ledger(), { reply: id, stop: stop === 'yes', ...by });
    return reply.redirect('/inbox', 303);
  });
  app.get('/inbox/:id/file', { config: { may: 'operator' } }, async (request, reply) => {
    const found = await replyOf(env, request);
    const media = await chatFile(env, found, reply);
    if (media.outcome === 'saved') return sendFile(reply, media.file);
    const { status, outcome: problem, words: said } = media;
    const content = (frame: Frame) => noFileView(frame, { id: found.id, problem, said });
    return answerPage(request, reply, { env, status, content });
  });
  app.get('/inbox.csv', { config: { may: 'operator' } }, async (_request, reply) => {
    const reader = await env.reader();
    const pages = rowPages<ReplyRow>((before, limit) =>
      reader.replies({ campaign: null, since: 0, before, limit }),
    );
    const content = Readable.from(csvPages(INBOX_COLUMNS, pages, inboxCells));
    return sendFile(reply, { name: 'inbox.csv', content });
  });
}

function pageOf(frame: Frame, inbox: Inbox): PageContent {
  return { title: frame.words.inbox.title, main: inboxView(frame, inbox) };
}

async function readInbox(
  env: WebEnv,
  request: FastifyRequest,
  open: OpenConversation | null,
): Promise<Inbox> {
  const reader = await env.reader();
  const before = placeIn(formField(request, 'before'));
  const rows = await reader.conversations({ before, limit: PEOPLE_A_PAGE + 1 });
  const people = rows.slice(0, PEOPLE_A_PAGE);
  const last = people.at(-1);
  const inDoubt = { campaign: null, since: 0, before: null, inDoubt: true, limit: MOST_IN_DOUBT };
  return {
    inDoubt: { shown: await reader.replies(inDoubt), total: await reader.repliesInDoubt() },
    people,
    older:
      rows.length > people.length && last !== undefined ? `/inbox?before=${last.writtenAt}-${last.id}` : null,
    isFirst: before === null,
    open,
  };
}

/** The last reply of the page before, as its address names it; null: the first page. */
function placeIn(before: string): Pick<ReplyRow, 'writtenAt' | 'id'> | null {
  const [, writtenAt, id] = /^(\d{1,15})-(\d{1,15})$/.exec(before) ?? [];
  return writtenAt === undefined ? null : { writtenAt: Number(writtenAt), id: Number(id) };
}

async function replyOf(env: WebEnv, { params }: FastifyRequest): Promise<ReplyRow> {
  const { id } = params as { id: string };
  const found = /^\d{1,15}$/.test(id) ? await (await env.reader()).reply(Number(id)) : null;
  if (found === null) throw new NoSuchPage();
  return found;
}

async function openConversation(env: WebEnv, latest: ReplyRow): Promise<OpenConversation> {
  const { mobile } = latest;
  const sealed = (await sealsOf(env)).seal('number', mobile);
  const conversation = await conversationWith(await env.reader(), mobile);
  return { ...conversation, latest, found: `/find/${sealed}`, standingAt: `/optouts/${sealed}` };
}
