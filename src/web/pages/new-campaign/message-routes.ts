import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Preparation, PreviewOf } from '../../../campaign/prepare/preparation.ts';
import type { JobKeys } from '../../../campaign/jobs/job-text.ts';
import { TumaError } from '../../../domain/errors.ts';
import { fieldsOf } from '../../form-fields.ts';
import { html } from '../../views/html.ts';
import type { FieldError } from '../../views/notice.ts';
import type { WebEnv } from '../../web-env.ts';
import {
  fieldButtons,
  messageKeys,
  messageValues,
  type MessageValues,
  readMessage,
  replaceCostly,
  typedMessage,
} from './message-form.ts';
import { messageView } from './message-view.ts';
import { previewPart, textFacts, type Previewed } from './preview-view.ts';
import { addressOf, NEW_CAMPAIGN } from './steps.ts';
import type { Typed } from './form-reading.ts';
import {
  answer,
  atStep,
  conflictNotice,
  keyProblems,
  preparationOf,
  revisionOf,
  save,
  typedOf,
  type StepVisit,
  visitOf,
  wordedErrors,
} from './visit.ts';
import { problemLine } from '../../views/problem.ts';

const FIELDS = { message: 'text', sender: 'sender', language: 'language', gsm: 'gsm' };
/** A list of this size is planned at once, so that the next step can say what will happen. */
const SMALL_LIST_BYTES = 2_000_000;

/** The second step: sender, text, preview. */
export function messageRoutes(app: FastifyInstance, env: WebEnv): void {
  const config = { may: 'operator' } as const;
  app.get(
    `${NEW_CAMPAIGN}/:id/message`,
    { config },
    atStep(env, (visit, preparation) =>
      show(visit, preparation, { values: messageValues(preparation.job), of: askedFor(visit.request) }),
    ),
  );
  app.post(`${NEW_CAMPAIGN}/:id/message`, { config }, atStep(env, receive));
  app.post(`${NEW_CAMPAIGN}/:id/preview`, { config }, async (request, reply) => {
    const visit = await visitOf(request, reply, env);
    const preparation = await preparationOf(visit);
    const typed = typedOf(visit);
    const previewed = await preview(visit, preparation, { values: typedMessage(typed), of: shownBy(typed) });
    const { frame } = visit;
    const part = html`${previewPart(frame, preparation.id, previewed)}
<div class="flow" id="text-facts" hx-swap-oob="true">${textFacts(frame, previewed)}</div>`;
    return reply.type('text/html; charset=utf-8').send(part.text);
  });
}

interface Shown {
  values: MessageValues;
  of: PreviewOf;
  errors?: readonly FieldError[];
  status?: number;
  isConflict?: boolean;
}

async function show(visit: StepVisit, preparation: Preparation, shown: Shown): Promise<FastifyReply> {
  const { values, errors = [], status = 200, isConflict = false } = shown;
  const { frame, preparations, env } = visit;
  const previewed = await preview(visit, preparation, shown);
  const look =
    preparation.contacts === null ? null : await preparations.look(preparation.id).catch(unlessOurs);
  const fields = look === null ? [] : fieldButtons(look, env.config.currency);
  const { sender: usualSender } = await env.launchSettings();
  const page = { preparation, values, errors, fields, usualSender, previewed };
  const main = html`${isConflict && conflictNotice(frame)}${messageView(frame, page)}`;
  return answer(visit, 'message', { main, status });
}

function unlessOurs(error: unknown): null {
  if (error instanceof TumaError) return null;
  throw error;
}

/** Makes one message of the values; what is wrong with their text is part of the answer. */
async function preview(
  { preparations, env }: StepVisit,
  preparation: Preparation,
  { values, of }: { values: MessageValues; of: PreviewOf },
): Promise<Previewed> {
  const usual = (await env.launchSettings()).sender;
  const sender = values.sender === '' ? (usual ?? '') : values.sender;
  const nothing: Previewed = {
    message: null,
    problem: null,
    hasContacts: preparation.contacts !== null,
    sender,
  };
  if (preparation.contacts === null || values.text.trim() === '') return nothing;
  const unsaved = { ...messageKeys(values) } as Partial<JobKeys>;
  try {
    return { ...nothing, message: await messageOf({ preparations }, preparation.id, { of, unsaved }) };
  } catch (error) {
    if (!(error instanceof TumaError)) throw error;
    return { ...nothing, problem: error };
  }
}

/** The message that was asked for. Behind the last and before the first one the same is shown again. */
async function messageOf(
  { preparations }: Pick<StepVisit, 'preparations'>,
  id: string,
  { of, unsaved }: { of: PreviewOf; unsaved: Partial<JobKeys> },
) {
  const found = await preparations.preview(id, of, unsaved);
  if (found !== null || typeof of === 'string') return found;
  const line = 'after' in of ? of.after : 'before' in of ? of.before : of.line;
  return (await preparations.preview(id, { line }, unsaved)) ?? preparations.preview(id, 'first', unsaved);
}

async function receive(visit: StepVisit, before: Preparation): Promise<FastifyReply> {
  const typed = typedOf(visit);
  const values = typed['do'] === 'replace' ? replaceCostly(typedMessage(typed)) : typedMessage(typed);
  const of = shownBy(typed);
  const reading = readMessage(values, (await visit.env.launchSettings()).sender);
  const saved = await save(visit, before, { revision: revisionOf(typed), job: reading.job });
  const { preparation, isConflict } = saved;
  if (isConflict) return show(visit, preparation, { values, of, status: 409, isConflict });
  if (typed['do'] !== 'next')
    return visit.reply.redirect(`${addressOf(preparation.id, 'message')}${queryOf(of)}`, 303);
  const wrong = wordedErrors(visit, reading.wrong);
  const errors = wrong.length > 0 ? wrong : await problemsOf(visit, preparation, values);
  if (errors.length > 0) return show(visit, preparation, { values, of, errors, status: 422 });
  await planSmall(visit, preparation);
  return visit.reply.redirect(addressOf(preparation.id, 'when'), 303);
}

async function problemsOf(
  visit: StepVisit,
  preparation: Preparation,
  values: MessageValues,
): Promise<FieldError[]> {
  const { problem } = await preview(visit, preparation, { values, of: 'first' });
  if (problem !== null) return [{ field: 'text', message: problemLine(visit.frame, problem) }];
  return keyProblems(visit, preparation, FIELDS);
}

async function planSmall(
  { preparations, actor }: StepVisit,
  { id, revision, contacts }: Preparation,
): Promise<void> {
  if (contacts !== null && contacts.bytes <= SMALL_LIST_BYTES)
    await preparations.plan(id, { revision, actor });
}

/** Which row the buttons of a form ask for. */
function shownBy(typed: Typed): PreviewOf {
  const line = Number(typed['line'] || NaN);
  if (typed['show'] === 'longest') return 'longest';
  if (!Number.isSafeInteger(line) || line < 1) return 'first';
  if (typed['show'] === 'next') return { after: line };
  return typed['show'] === 'before' ? { before: line } : { line };
}

function queryOf(of: PreviewOf): string {
  if (of === 'first') return '';
  if (of === 'longest') return '?show=longest';
  const [[name, line] = ['line', 1]] = Object.entries(of);
  return `?${name}=${line}`;
}

function askedFor(request: FastifyRequest): PreviewOf {
  const { show, line, after, before } = fieldsOf(request);
  if (show === 'longest') return 'longest';
  const [name, value] =
    Object.entries({ line, after, before }).find(([, value]) => value !== undefined) ?? [];
  return name === undefined || !/^\d{1,9}$/.test(value ?? '')
    ? 'first'
    : ({ [name]: Number(value) } as PreviewOf);
}
