import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { cancelPerson, type Person } from '../../../campaign/operator/cancel-person.ts';
import type { Campaign } from '../../../domain/campaign.ts';
import { TumaError } from '../../../domain/errors.ts';
import { parseMobile } from '../../../domain/numbers/mobile.ts';
import type { PersonMessages } from '../../../ledger/records.ts';
import { frameOf, type Frame } from '../../frame.ts';
import { fieldsOf } from '../../views/field.ts';
import { page, type PageContent } from '../../views/layout.ts';
import type { FieldError } from '../../views/notice.ts';
import type { WebEnv } from '../../web-env.ts';
import { actorOf } from '../../who.ts';
import { type FoundPerson, peopleView, personView } from './people-view.ts';
import { campaignOf } from './read-campaign.ts';

const PAGE_ROWS = 50;

/** The people of a campaign, and the order to send one of them nothing more. A number never stands in an address. */
export function peopleRoutes(app: FastifyInstance, env: WebEnv): void {
  app.get('/campaigns/:id/people', { config: { may: 'viewer' } }, async (request, reply) =>
    send(request, reply, { env, content: await listed(env, request, []) }),
  );
  app.post('/campaigns/:id/people', { config: { may: 'operator' } }, async (request, reply) => {
    const { person, errors } = personOf(await frameOf(request, reply, env), env, fieldsOf(request.body));
    if (errors.length > 0)
      return send(request, reply, { env, status: 422, content: await listed(env, request, errors) });
    return ask(request, reply, { env, person });
  });
  app.get('/campaigns/:id/people/:seq', { config: { may: 'operator' } }, async (request, reply) =>
    ask(request, reply, { env, person: await personOfRow(env, request) }),
  );
  app.post('/campaigns/:id/people/cancel', { config: { may: 'operator' } }, async (request, reply) =>
    cancel(request, reply, env),
  );
}

type Content = (frame: Frame) => PageContent;

async function send(
  request: FastifyRequest,
  reply: FastifyReply,
  { env, content, status = 200 }: { env: WebEnv; content: Content; status?: number },
): Promise<FastifyReply> {
  const frame = await frameOf(request, reply, env);
  return reply
    .code(status)
    .type('text/html; charset=utf-8')
    .send(page(frame, content(frame)));
}

function idOf({ params }: FastifyRequest): string {
  return (params as { id: string }).id;
}

/** One page of the messages of a campaign, by their place. */
async function listed(env: WebEnv, request: FastifyRequest, errors: readonly FieldError[]): Promise<Content> {
  const reader = await env.reader();
  const { campaign, state } = await reader.overview((await campaignOf(reader, idOf(request))).n);
  const { after = '0' } = fieldsOf(request.query);
  const afterSeq = /^\d{1,9}$/.test(after) ? Number(after) : 0;
  const rows = await reader.messages({ campaign: campaign.n, afterSeq, limit: PAGE_ROWS, states: null });
  const next = rows.length < PAGE_ROWS ? null : (rows.at(-1)?.seq ?? null);
  const fields = fieldsOf(request.body);
  return (frame) =>
    peopleView(frame, { campaign, state, rows, next, isFirst: afterSeq === 0, errors, fields });
}

/** The person that a form names; a number in any usual form. */
function personOf(
  { words }: Frame,
  { config }: WebEnv,
  { mobile = '', key = '' }: Record<string, string>,
): { person: Person; errors: FieldError[] } {
  const number = mobile.trim() === '' ? null : parseMobile(mobile, config.country);
  if (number !== null && !number.ok)
    return { person: {}, errors: [{ field: 'mobile', message: words.orders.personWrongNumber }] };
  const person = {
    ...(number === null ? {} : { mobile: number.mobile }),
    ...(key.trim() === '' ? {} : { key: key.trim() }),
  };
  const isNamed = Object.keys(person).length > 0;
  return { person, errors: isNamed ? [] : [{ field: 'mobile', message: words.orders.personNothing }] };
}

/** The person of one message: its number, and its key where it has one. */
async function personOfRow(env: WebEnv, request: FastifyRequest): Promise<Person> {
  const { id, seq } = request.params as { id: string; seq: string };
  const reader = await env.reader();
  const { n } = await campaignOf(reader, id);
  if (!/^\d{1,9}$/.test(seq)) throw new TumaError('not_found', { message: '' });
  const [row] = await reader.messages({ campaign: n, afterSeq: Number(seq) - 1, limit: 1, states: null });
  if (row === undefined || row.seq !== Number(seq)) throw new TumaError('not_found', { message: '' });
  return { mobile: row.mobile, ...(row.occurrence === '' ? {} : { occurrence: row.occurrence }) };
}

interface AskedPerson {
  env: WebEnv;
  person: Person;
  /** The count that was shown before, where another one holds now. */
  was?: number;
}

/** Says what the order would do. The date of a row is only a choice: first it means all of the person. */
async function ask(
  request: FastifyRequest,
  reply: FastifyReply,
  { env, person: { occurrence, ...person }, was }: AskedPerson,
): Promise<FastifyReply> {
  const reader = await env.reader();
  const campaign = await campaignOf(reader, idOf(request));
  const found: FoundPerson = {
    person,
    occurrence: occurrence ?? null,
    all: await messagesOf(env, campaign, person),
    only: occurrence === undefined ? null : await messagesOf(env, campaign, { ...person, occurrence }),
    was: was ?? null,
  };
  if (found.all.messages === 0) {
    const { words } = await frameOf(request, reply, env);
    const errors = [{ field: 'mobile', message: words.orders.personNobody }];
    return send(request, reply, { env, status: 422, content: await listed(env, request, errors) });
  }
  const status = was === undefined ? 200 : 409;
  return send(request, reply, { env, status, content: (frame) => personView(frame, campaign, found) });
}

async function messagesOf(env: WebEnv, { n, settings }: Campaign, person: Person): Promise<PersonMessages> {
  const isSeries = settings.remind?.series !== undefined;
  return (await env.reader()).personMessages({ campaign: n, isSeries, ...person });
}

/** The order itself, for as many messages as were shown. */
async function cancel(request: FastifyRequest, reply: FastifyReply, env: WebEnv): Promise<FastifyReply> {
  const fields = fieldsOf(request.body);
  const reader = await env.reader();
  const { n } = await campaignOf(reader, idOf(request));
  const { campaign, state } = await reader.overview(n);
  const isOnly = fields['which'] === 'only' && fields['occurrence'] !== undefined;
  const base: Person = {
    ...(fields['mobile'] === undefined ? {} : { mobile: fields['mobile'] }),
    ...(fields['key'] === undefined ? {} : { key: fields['key'] }),
  };
  const person = isOnly ? { ...base, occurrence: fields['occurrence'] ?? '' } : base;
  const { queued } = await messagesOf(env, campaign, person);
  const shown = Number(fields[isOnly ? 'shown-only' : 'shown']);
  if (shown !== queued)
    return ask(request, reply, { env, person: { ...person, ...dateOf(fields) }, was: shown });
  const order = { campaign, state, ledger: await env.ledger(), now: env.clock.now(), by: actorOf(request) };
  await cancelPerson({ ...order, person });
  return reply.redirect(`/campaigns/${campaign.id}/people`, 303);
}

function dateOf({ occurrence }: Record<string, string>): { occurrence?: string } {
  return occurrence === undefined ? {} : { occurrence };
}
