import type { FastifyInstance, FastifyReply } from 'fastify';
import type { Preparation } from '../../../campaign/prepare/preparation.ts';
import { TumaError } from '../../../domain/errors.ts';
import { html } from '../../views/html.ts';
import type { FieldError } from '../../views/notice.ts';
import type { WebEnv } from '../../web-env.ts';
import { forecastPart } from './forecast-view.ts';
import { planNow } from './plan-now.ts';
import { addressOf, NEW_CAMPAIGN } from './steps.ts';
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
import { readWhen, typedWhen, whenValues, type WhenValues } from './when-form.ts';
import { whenView } from './when-view.ts';

const FIELDS = {
  start: 'day',
  'remind.column': 'column',
  'remind.offset': 'offsets',
  'remind.offsets': 'offsets',
  'remind.at': 'remindHour',
  'remind.format': 'order',
  remind: 'column',
  every: 'cycle',
  window: 'from',
  rate: 'rate',
  budget: 'budget',
  canary: 'canary',
};

/** The third step: start, hours, speed, forecast. */
export function whenRoutes(app: FastifyInstance, env: WebEnv): void {
  const config = { may: 'operator' } as const;
  app.get(
    `${NEW_CAMPAIGN}/:id/when`,
    { config },
    atStep(env, (visit, preparation) => show(visit, preparation, {})),
  );
  app.get(`${NEW_CAMPAIGN}/:id/forecast`, { config }, async (request, reply) => {
    const visit = await visitOf(request, reply, env);
    const part = forecastPart(visit.frame, await preparationOf(visit));
    return reply.type('text/html; charset=utf-8').send(part.text);
  });
  app.post(`${NEW_CAMPAIGN}/:id/when`, { config }, atStep(env, receive));
}

interface Shown {
  values?: WhenValues;
  errors?: readonly FieldError[];
  status?: number;
  isConflict?: boolean;
}

async function show(visit: StepVisit, preparation: Preparation, shown: Shown): Promise<FastifyReply> {
  const { frame, preparations } = visit;
  const {
    values = whenValues(preparation.job, frame),
    errors = [],
    status = 200,
    isConflict = false,
  } = shown;
  const columns = await columnsOf(preparations, preparation);
  const main = html`${isConflict && conflictNotice(frame)}${whenView(frame, { preparation, values, errors, columns })}`;
  return answer(visit, 'when', { main, status });
}

async function columnsOf(
  preparations: StepVisit['preparations'],
  { id, contacts }: Preparation,
): Promise<string[]> {
  if (contacts === null) return [];
  try {
    const { header } = await preparations.look(id);
    return header.filter((name) => name.trim() !== '');
  } catch (error) {
    if (error instanceof TumaError) return [];
    throw error;
  }
}

async function receive(visit: StepVisit, before: Preparation): Promise<FastifyReply> {
  const { zone, now, currency } = visit.frame;
  const typed = typedOf(visit);
  const values = typedWhen(typed, whenValues(before.job, { zone }));
  const reading = readWhen(values, { job: before.job, zone, now, currency });
  const wrong = wordedErrors(visit, reading.wrong);
  // Half a time cannot be kept: the form is shown again as it was typed.
  if (wrong.length > 0) return show(visit, before, { values, errors: wrong, status: 422 });
  const saved = await save(visit, before, { revision: revisionOf(typed), job: reading.job });
  const { preparation, isConflict } = saved;
  if (isConflict) return show(visit, preparation, { values, status: 409, isConflict });
  const errors = keyProblems(visit, preparation, FIELDS);
  if (errors.length > 0) return show(visit, preparation, { values, errors, status: 422 });
  await planNow(visit, preparation, { anew: typed['do'] === 'forecast' });
  return visit.reply.redirect(addressOf(preparation.id, typed['do'] === 'next' ? 'check' : 'when'), 303);
}
