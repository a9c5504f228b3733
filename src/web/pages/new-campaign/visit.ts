import { isDeepStrictEqual } from 'node:util';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Preparation, PreparationActor } from '../../../campaign/prepare/preparation.ts';
import type { Preparations } from '../../../campaign/prepare/preparations.ts';
import { TumaError } from '../../../domain/errors.ts';
import { fieldsOf } from '../../form-fields.ts';
import { type Frame, frameOf } from '../../frame.ts';
import type { Content, Html } from '../../views/html.ts';
import { page } from '../../views/layout.ts';
import { notice, type FieldError } from '../../views/notice.ts';
import { actorOf } from '../../who.ts';
import type { WebEnv } from '../../web-env.ts';
import { html } from '../../views/html.ts';
import type { Step } from './steps.ts';
import type { JobChange, Typed, WrongField } from './form-reading.ts';
import { NoSuchPage } from '../../no-such-page.ts';

/** One request of a person at a step. */
export interface StepVisit {
  request: FastifyRequest;
  reply: FastifyReply;
  env: WebEnv;
  frame: Frame;
  preparations: Preparations;
  actor: PreparationActor;
}

/** What a handler needs for a request. */
export async function visitOf(request: FastifyRequest, reply: FastifyReply, env: WebEnv): Promise<StepVisit> {
  const frame = await frameOf(request, reply, env);
  return { request, reply, env, frame, preparations: await env.preparations(), actor: actorOf(frame) };
}

/** The fields of a form. */
export function typedOf({ request }: StepVisit): Typed {
  return fieldsOf(request);
}

/** The preparation of the address. Throws `not_found`. */
export async function preparationOf({ request, preparations }: StepVisit): Promise<Preparation> {
  const { id } = request.params as { id: string };
  const preparation = await preparations.find(id);
  if (preparation.state === 'discarded') throw new NoSuchPage();
  return preparation;
}

/** True: it can be changed. Else it is launched, and the answer leads on to its campaign. */
export function isOpen({ reply }: StepVisit, { state, campaign }: Preparation): boolean {
  if (state !== 'launched') return true;
  void reply.redirect(campaign === null ? '/campaigns' : `/campaigns/${campaign}`, 303);
  return false;
}

/** A handler of what can be changed yet: of an open preparation, or one that waits for approval. */
export function atStep(
  env: WebEnv,
  handle: (visit: StepVisit, preparation: Preparation) => Promise<FastifyReply>,
): (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply> {
  return async (request, reply) => {
    const visit = await visitOf(request, reply, env);
    const preparation = await preparationOf(visit);
    return isOpen(visit, preparation) ? handle(visit, preparation) : reply;
  };
}

/** Answers with a step. */
export function answer(
  { reply, frame }: StepVisit,
  step: Step,
  { main, status = 200 }: { main: Html; status?: number },
): FastifyReply {
  const { newCampaign: words } = frame.words;
  const title = words.pageTitle(words.titles[step]);
  return reply
    .code(status)
    .type('text/html; charset=utf-8')
    .send(page(frame, { title, main, scripts: ['new-campaign.js'] }));
}

/** What became of a change: it is kept, or somebody else was first and what was typed is shown again. */
export interface Saved {
  preparation: Preparation;
  /** True: another window changed it in between. */
  isConflict: boolean;
}

/** Keeps what a step says. What says nothing new keeps the plan. A change in another window keeps nothing. */
export async function save(
  { preparations, actor }: StepVisit,
  preparation: Preparation,
  { revision, job }: { revision: number; job: JobChange },
): Promise<Saved> {
  if (revision === preparation.revision && saysNothingNew(preparation, job))
    return { preparation, isConflict: false };
  try {
    return {
      preparation: await preparations.change(preparation.id, { revision, job, actor }),
      isConflict: false,
    };
  } catch (error) {
    if (!isChanged(error)) throw error;
    return { preparation: await preparations.find(preparation.id), isConflict: true };
  }
}

function saysNothingNew({ job }: Preparation, change: JobChange): boolean {
  return Object.entries(change).every(([key, value]) =>
    isDeepStrictEqual(job[key as keyof JobChange] ?? null, value ?? null),
  );
}

/** True: somebody else changed the preparation first. */
export function isChanged(error: unknown): boolean {
  return error instanceof TumaError && error.code === 'preparation_changed';
}

/** The revision that a form was made on. */
export function revisionOf(typed: Typed): number {
  const revision = Number(typed['revision']);
  return Number.isSafeInteger(revision) ? revision : -1;
}

/** The wrong fields in words. */
export function wordedErrors({ frame }: StepVisit, wrong: readonly WrongField[]): FieldError[] {
  return wrong.map(({ field, problem }) => ({ field, message: frame.words.newCampaign.problems[problem] }));
}

/** What a form must say to somebody who was overtaken. */
export function conflictNotice({ words: { newCampaign: words } }: Frame): Content {
  return html`<div role="alert">${notice({ look: 'warn', title: words.changedElsewhere, text: words.changedElsewhereHelp })}</div>`;
}

/** The problems of the keys of a step, beside its fields. `fields`: the field of each key or `key.part`. */
export function keyProblems(
  { preparations }: StepVisit,
  preparation: Preparation,
  fields: Readonly<Record<string, string>>,
): FieldError[] {
  const { problems } = preparations.check(preparation);
  return problems.flatMap(({ path, message }) => {
    const field = fields[path.slice(0, 2).join('.')] ?? fields[path[0] ?? ''];
    return field === undefined ? [] : [{ field, message: `${path.join('.')} ${message}` }];
  });
}
