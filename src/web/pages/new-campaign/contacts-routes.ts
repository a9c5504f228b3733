import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { ContactsLook, Preparation, RowsJudged } from '../../../campaign/prepare/preparation.ts';
import { FILE_MAX_BYTES } from '../../../contacts/limits.ts';
import { TumaError } from '../../../domain/errors.ts';
import type { Content } from '../../views/html.ts';
import type { FieldError } from '../../views/notice.ts';
import type { WebEnv } from '../../web-env.ts';
import { contactsValues, readContacts, typedContacts, withoutLostColumns } from './contacts-form.ts';
import { contactsView, unreadableNotice, type ContactsPage } from './contacts-view.ts';
import { html } from '../../views/html.ts';
import { addressOf, NEW_CAMPAIGN } from './steps.ts';
import type { FormReading, Typed } from './form-reading.ts';
import {
  answer,
  atStep,
  conflictNotice,
  isChanged,
  isOpen,
  keyProblems,
  preparationOf,
  revisionOf,
  save,
  type StepVisit,
  visitOf,
  wordedErrors,
} from './visit.ts';
import { problemLine } from '../../views/problem.ts';

const MOST_MEGABYTES = FILE_MAX_BYTES / 1024 / 1024;

/** The keys of the first step, with their fields. */
const FIELDS = {
  name: 'name',
  kind: 'promotional',
  sheet: 'sheet',
  header: 'header',
  columns: 'column-0',
  key: 'column-0',
};
const SOURCES_SHOWN = 20;

/** The first step: name, kind, contacts, columns. */
export function contactsRoutes(app: FastifyInstance, env: WebEnv): void {
  const config = { may: 'operator' } as const;
  app.get(NEW_CAMPAIGN, { config }, async (request, reply) =>
    show(await visitOf(request, reply, env), null, {}),
  );
  app.post(NEW_CAMPAIGN, { config }, (request, reply) => receive(request, reply, env));
  app.get(`${NEW_CAMPAIGN}/:id`, { config }, async (request, reply) => {
    const visit = await visitOf(request, reply, env);
    const { id } = await preparationOf(visit);
    return reply.redirect(addressOf(id, 'contacts'), 303);
  });
  app.get(
    `${NEW_CAMPAIGN}/:id/contacts`,
    { config },
    atStep(env, (visit, preparation) => show(visit, preparation, {})),
  );
  app.post(`${NEW_CAMPAIGN}/:id/contacts`, { config }, (request, reply) => receive(request, reply, env));
}

interface Shown {
  typed?: Typed;
  errors?: readonly FieldError[];
  status?: number;
  isConflict?: boolean;
}

async function show(visit: StepVisit, preparation: Preparation | null, shown: Shown): Promise<FastifyReply> {
  const { typed, errors = [], status = 200, isConflict = false } = shown;
  const { look, unreadable } = await lookAt(visit, preparation);
  const kept = contactsValues(preparation?.job ?? {}, look);
  const page: ContactsPage = {
    preparation,
    values: typed === undefined ? kept : typedContacts(typed, kept),
    errors,
    look,
    judged: await judge(visit, preparation, look),
    unreadable: html`${isConflict && conflictNotice(visit.frame)}${unreadable}`,
    sources: await sourcesOf(visit),
  };
  return answer(visit, 'contacts', { main: contactsView(visit.frame, page), status });
}

interface LookedAt {
  look: ContactsLook | null;
  unreadable: Content;
}

async function lookAt(
  { preparations, frame }: StepVisit,
  preparation: Preparation | null,
): Promise<LookedAt> {
  if (preparation?.contacts == null) return { look: null, unreadable: null };
  try {
    return { look: await preparations.look(preparation.id), unreadable: null };
  } catch (error) {
    if (!(error instanceof TumaError)) throw error;
    return { look: null, unreadable: unreadableNotice(frame, error) };
  }
}

/** Which rows can get it. A plan knows better, and without the column of numbers nobody knows. */
async function judge(
  { preparations }: StepVisit,
  preparation: Preparation | null,
  look: ContactsLook | null,
): Promise<RowsJudged | null> {
  if (preparation === null || look?.mobile == null || preparation.plan?.planning === 'done') return null;
  try {
    return await preparations.judge(preparation.id);
  } catch (error) {
    // What is wrong with the list is said by the plan, with its place.
    if (error instanceof TumaError) return null;
    throw error;
  }
}

/** Earlier campaigns, the newest first, and job files of the folder. */
async function sourcesOf({ preparations, env, frame }: StepVisit): Promise<(readonly [string, string])[]> {
  const { newCampaign: words } = frame.words;
  const campaigns = await (await env.reader()).campaigns();
  const files = await preparations.jobFiles();
  return [
    ...campaigns
      .slice(0, SOURCES_SHOWN)
      .map(({ campaign: { id, name } }) => [`campaign:${id}`, name] as const),
    ...files.slice(0, SOURCES_SHOWN).map(({ file }) => [`file:${file}`, words.fromFile(file)] as const),
  ];
}

/** Takes the form with its file: the file is kept even where a field is wrong, so that nobody sends it twice. */
async function receive(request: FastifyRequest, reply: FastifyReply, env: WebEnv): Promise<FastifyReply> {
  const visit = await visitOf(request, reply, env);
  const isNew = request.routeOptions.url === NEW_CAMPAIGN;
  const known = isNew ? null : await preparationOf(visit);
  if (known !== null && !isOpen(visit, known)) return reply;
  const received = await readParts(visit, known);
  const { typed, preparation, isConflict } = received;
  if (isConflict) return show(visit, preparation, { typed, status: 409, isConflict });
  const from = typed['do'] === 'from' ? await beginFrom(visit, typed) : null;
  if (from !== null) return reply.redirect(addressOf(from.id, 'contacts'), 303);
  return keep(visit, {
    ...received,
    preparation: preparation ?? (await visit.preparations.create(visit.actor, {})),
  });
}

interface Received {
  typed: Typed;
  preparation: Preparation | null;
  errors: FieldError[];
  hasFile: boolean;
  isConflict: boolean;
}

async function readParts(visit: StepVisit, known: Preparation | null): Promise<Received> {
  const typed: Record<string, string> = {};
  const received: Received = { typed, preparation: known, errors: [], hasFile: false, isConflict: false };
  for await (const part of visit.request.parts()) {
    if (part.type === 'field') typed[part.fieldname] = String(part.value);
    else if (part.fieldname !== 'contacts' || !part.filename || received.isConflict) part.file.resume();
    else await keepFile(visit, received, { name: part.filename, file: part.file });
  }
  return received;
}

interface SentFile {
  name: string;
  file: AsyncIterable<Buffer> & { truncated: boolean; resume(): unknown };
}

async function keepFile(visit: StepVisit, received: Received, { name, file }: SentFile): Promise<void> {
  const { preparations, actor, frame } = visit;
  const { problems } = frame.words.newCampaign;
  try {
    received.preparation ??= await preparations.create(actor, {});
    const { id, revision: newest } = received.preparation;
    const revision = received.typed['revision'] ? revisionOf(received.typed) : newest;
    received.preparation = await preparations.keepContacts(id, {
      revision,
      name,
      stream: Readable.from(whole(file)),
      length: null,
      actor,
    });
    received.hasFile = true;
  } catch (error) {
    file.resume();
    if (isChanged(error)) received.isConflict = true;
    else if (file.truncated)
      received.errors.push({ field: 'contacts', message: problems.fileTooLarge(MOST_MEGABYTES) });
    else if (error instanceof TumaError)
      received.errors.push({ field: 'contacts', message: problemLine(frame, error) });
    else throw error;
  }
}

/** The bytes of a file. One that is too large comes cut, and without an error. */
async function* whole(file: SentFile['file']): AsyncGenerator<Buffer> {
  yield* file;
  if (file.truncated)
    throw new TumaError('contacts_invalid', { message: `The file is larger than ${MOST_MEGABYTES} MB.` });
}

async function beginFrom(visit: StepVisit, typed: Typed): Promise<Preparation | null> {
  const [, kind, source = ''] = /^(campaign|file):(.+)$/s.exec(typed['from'] ?? '') ?? [];
  if (kind === undefined) return null;
  const from = kind === 'campaign' ? { campaign: source } : { file: source };
  return visit.preparations.create(visit.actor, { from });
}

/** Keeps the fields. Only the way to the next step asks for all of them. */
async function keep(
  visit: StepVisit,
  received: Received & { preparation: Preparation },
): Promise<FastifyReply> {
  const { typed, hasFile } = received;
  const reading = await readFields(visit, received);
  // A file that was just kept has raised the revision that the form was made on.
  const revision = hasFile || !typed['revision'] ? received.preparation.revision : revisionOf(typed);
  const { preparation, isConflict } = await save(visit, received.preparation, { revision, job: reading.job });
  if (isConflict) return show(visit, preparation, { typed, status: 409, isConflict });
  const isNext = typed['do'] === 'next' && !hasFile;
  const problems = isNext
    ? problemsOf(visit, preparation, wordedErrors(visit, reading.wrong))
    : fileProblems(visit, received);
  const errors = [...received.errors, ...problems];
  if (errors.length > 0) return show(visit, preparation, { typed, errors, status: 422 });
  return visit.reply.redirect(addressOf(preparation.id, isNext ? 'message' : 'contacts'), 303);
}

/** The button that reads a file does nothing without one. */
function fileProblems({ frame }: StepVisit, { typed, hasFile, errors }: Received): FieldError[] {
  if (typed['do'] !== 'upload' || hasFile || errors.length > 0) return [];
  return [{ field: 'contacts', message: frame.words.newCampaign.problems.fileMissing }];
}

/** What the fields say. With a new file the columns of the form are those of the file before. */
async function readFields(
  visit: StepVisit,
  { typed, hasFile, preparation }: Received & { preparation: Preparation },
): Promise<FormReading> {
  const { look } = await lookAt(visit, preparation);
  const { job } = preparation;
  const { job: said, wrong } = readContacts(hasFile ? onlyTexts(typed) : typed, { job, look });
  const lost = hasFile && look !== null ? withoutLostColumns(job, look.header) : {};
  return { job: { ...lost, ...said }, wrong };
}

function onlyTexts({ name, kind }: Typed): Typed {
  return { name, kind };
}

function problemsOf(visit: StepVisit, preparation: Preparation, wrong: FieldError[]): FieldError[] {
  if (wrong.length > 0) return wrong;
  const { problems } = visit.frame.words.newCampaign;
  if (preparation.contacts === null) return [{ field: 'contacts', message: problems.fileMissing }];
  return keyProblems(visit, preparation, FIELDS);
}
