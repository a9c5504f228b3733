import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { cancelPerson, refuseRereadContacts } from '../../../campaign/operator/cancel-person.ts';
import { TumaError } from '../../../domain/errors.ts';
import type { PersonMessages } from '../../../ledger/records.ts';
import type { RawWebhookRow } from '../../../ledger/replies.ts';
import { type MessageStory, messageStory } from '../../../reports/message-life.ts';
import { answerPage, type Visit } from '../../send-page.ts';
import { sealsOf } from '../../session/sealed.ts';
import type { WebEnv } from '../../web-env.ts';
import { auditName } from '../../who.ts';
import { cancelView } from './cancel-view.ts';
import { messageView, type ShownMessage } from './view.ts';

/** Raw webhooks that one page shows. */
const MOST_WEBHOOKS = 20;

/** The page of one message, and the cancel of its person. */
export function messageRoutes(app: FastifyInstance, env: WebEnv): void {
  app.get('/messages/:campaign/:seq', { config: { may: 'viewer' } }, async (request, reply) => {
    const shown = await shownMessage(env, await storyOf(env, request));
    return answerPage(request, reply, {
      env,
      content: (frame) => ({
        title: frame.words.life.title(shown.campaign.name),
        main: messageView(frame, shown),
      }),
    });
  });
  app.get('/messages/:campaign/:seq/cancel', { config: { may: 'operator' } }, async (request, reply) =>
    askCancel({ env, request, reply }),
  );
  app.post('/messages/:campaign/:seq/cancel', { config: { may: 'operator' } }, async (request, reply) => {
    const story = await storyOf(env, request);
    const {
      campaign,
      life: { message },
    } = story;
    const { what, queued } = request.body as { what?: string; queued?: string };
    const counts = await countsOf(env, story);
    if (queued !== String(counts.queued)) return askCancel({ env, request, reply }, { hasChanged: true });
    const ledger = await env.ledger();
    const person = { mobile: message.mobile, ...(what === 'key' ? { key: message.key } : {}) };
    const change = { now: env.clock.now(), by: auditName(request.who) };
    await cancelPerson({ ledger, campaign, state: campaign.state, person, ...change });
    return reply.redirect(`/messages/${campaign.id}/${message.seq}`, 303);
  });
}

async function askCancel(
  { env, request, reply }: Visit,
  { hasChanged }: { hasChanged: boolean } = { hasChanged: false },
): Promise<FastifyReply> {
  const story = await storyOf(env, request);
  const {
    campaign,
    life: { message },
  } = story;
  refuseRereadContacts({ campaign, state: campaign.state });
  const { seq, mobile, key } = message;
  const question = { campaign, seq, mobile, key, counts: await countsOf(env, story), hasChanged };
  return answerPage(request, reply, {
    env,
    status: hasChanged ? 409 : 200,
    content: (frame) => ({
      title: frame.words.life.cancelTitle(campaign.name),
      main: cancelView(frame, question),
    }),
  });
}

async function countsOf(env: WebEnv, { campaign, life: { message } }: MessageStory): Promise<PersonMessages> {
  const isSeries = campaign.settings.remind?.series !== undefined;
  const person = { campaign: campaign.n, mobile: message.mobile, isSeries };
  return (await env.reader()).personMessages(person);
}

/** Throws `not_found`. */
async function storyOf(env: WebEnv, { params }: FastifyRequest): Promise<MessageStory> {
  const { campaign: id, seq } = params as { campaign: string; seq: string };
  const reader = await env.reader();
  const campaign = (await reader.find(id)).find((each) => each.id === id);
  const story =
    campaign === undefined || !/^\d{1,9}$/.test(seq)
      ? null
      : await messageStory(reader, { campaign, seq: Number(seq) });
  if (story === null) throw new TumaError('not_found', { message: '' });
  return story;
}

async function shownMessage(env: WebEnv, story: MessageStory): Promise<ShownMessage> {
  const reader = await env.reader();
  const ids = [...new Set(story.life.reports.map(({ webhook }) => webhook))].slice(-MOST_WEBHOOKS);
  const webhooks: RawWebhookRow[] = [];
  for (const id of ids) {
    const raw = await reader.rawWebhook(id);
    if (raw !== null) webhooks.push(raw);
  }
  const sealed = (await sealsOf(env)).seal(story.life.message.mobile);
  const networks = await env.networkNames();
  return { ...story, networks, webhooks, found: `/find/${sealed}`, standingAt: `/optouts/${sealed}` };
}
