import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { cancelPerson, refuseRereadContacts } from '../../../campaign/operator/cancel-person.ts';
import { rowKey } from '../../../domain/time/occurrence.ts';
import type { PersonMessages } from '../../../ledger/contracts/records.ts';
import type { RawWebhookRow } from '../../../ledger/contracts/replies.ts';
import { type MessageStory, messageStory } from '../../../reports/message-life.ts';
import { fieldsOf } from '../../form-fields.ts';
import { answerPage, type Visit } from '../../send-page.ts';
import { sealsOf } from '../../session/sealed.ts';
import type { WebEnv } from '../../web-env.ts';
import { auditName } from '../../who.ts';
import { cancelView } from './cancel-view.ts';
import { messageView, type ShownMessage } from './view.ts';
import { campaignWithId } from '../../../campaign/operator/campaign-with-id.ts';
import { NoSuchPage } from '../../no-such-page.ts';

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
    const { campaign, life } = story;
    const { mobile } = life.message;
    const { counts, ofKey, key } = await personOf(env, story);
    const { what, queued, queuedOfKey } = fieldsOf(request);
    const isAsShown = queued === String(counts.queued) && queuedOfKey === String(ofKey.queued);
    if (!isAsShown) return askCancel({ env, request, reply }, { hasChanged: true });
    const person = what === 'key' && key !== '' ? { mobile, key } : { mobile };
    const change = { now: env.clock.now(), by: auditName(request.who) };
    const ledger = await env.ledger();
    await cancelPerson({ ledger, campaign, state: campaign.state, person, ...change });
    return reply.redirect(`/messages/${campaign.id}/${life.message.seq}`, 303);
  });
}

async function askCancel(
  { env, request, reply }: Visit,
  { hasChanged }: { hasChanged: boolean } = { hasChanged: false },
): Promise<FastifyReply> {
  const story = await storyOf(env, request);
  const { campaign, life } = story;
  refuseRereadContacts({ campaign, state: campaign.state });
  const { seq, mobile } = life.message;
  const question = { campaign, seq, mobile, hasChanged, ...(await personOf(env, story)) };
  return answerPage(request, reply, {
    env,
    status: hasChanged ? 409 : 200,
    content: (frame) => ({
      title: frame.words.life.cancelTitle(campaign.name),
      main: cancelView(frame, question),
    }),
  });
}

/** The messages of the person in this campaign, and those of the same key alone. */
async function personOf(
  env: WebEnv,
  { campaign, life: { message } }: MessageStory,
): Promise<{ key: string; counts: PersonMessages; ofKey: PersonMessages }> {
  const { remind } = campaign.settings;
  const reader = await env.reader();
  const person = { campaign: campaign.n, mobile: message.mobile, isSeries: remind?.series !== undefined };
  const key = rowKey(message.key, remind);
  const counts = await reader.personMessages(person);
  const ofKey = key === '' ? counts : await reader.personMessages({ ...person, key });
  return { key, counts, ofKey };
}

/** Throws `not_found`. */
async function storyOf(env: WebEnv, { params }: FastifyRequest): Promise<MessageStory> {
  const { campaign: id, seq } = params as { campaign: string; seq: string };
  const reader = await env.reader();
  const campaign = await campaignWithId(reader, id);
  const story = /^\d{1,9}$/.test(seq) ? await messageStory(reader, { campaign, seq: Number(seq) }) : null;
  if (story === null) throw new NoSuchPage();
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
  const sealed = (await sealsOf(env)).seal('number', story.life.message.mobile);
  const networks = await env.networkNames();
  return {
    ...story,
    networks,
    webhooks,
    found: `/find/${sealed}`,
    standingAt: `/optouts/${sealed}`,
    eraseAt: `/erase/${sealed}`,
  };
}
