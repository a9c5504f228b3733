import type { FastifyReply, FastifyRequest } from 'fastify';
import type { z } from 'zod';
import type { Preparation as Prepared, PreparationPlan } from '../../campaign/prepare/preparation.ts';
import { isoTime } from '../../reports/campaign-report.ts';
import { shownPlan } from './plan-document.ts';
import { ApiError } from './problem.ts';
import type { Preparation } from './schemas/plan.ts';

/** A preparation as the API shows it. */
export function preparationDocument(preparation: Prepared): z.output<typeof Preparation> {
  const { id, revision, state, owner, editors, job, contacts, plan, asked, refused, campaign } = preparation;
  return {
    id,
    revision,
    state,
    owner,
    editors,
    job,
    contacts: contacts === null ? null : contactsPart(contacts),
    // What a launch has planned is the campaign by then.
    plan: plan === null || state === 'launched' ? null : planPart(plan),
    asked: asked === null ? null : { by: asked.by, at: isoTime(asked.at) },
    refused,
    campaign,
    created_at: isoTime(preparation.createdAt),
    changed_at: isoTime(preparation.changedAt),
    ends_at: isoTime(preparation.endsAt),
  };
}

function contactsPart({ name, bytes, at, format }: NonNullable<Prepared['contacts']>) {
  return { name, bytes, received_at: isoTime(at), format };
}

function planPart(plan: PreparationPlan): z.output<typeof Preparation>['plan'] {
  if (plan.planning === 'running') return { ...plan, since: isoTime(plan.since) };
  if (plan.planning !== 'done') return plan;
  const { planning, document, questions, corrects, digest, plannedAt } = plan;
  const shown = { planning, document: shownPlan(document), questions, corrects, digest };
  return { ...shown, planned_at: isoTime(plannedAt) };
}

/** Answers with a preparation. Its revision is the `ETag` that a change names. */
export function sendPreparation(reply: FastifyReply, preparation: Prepared): z.output<typeof Preparation> {
  void reply.header('etag', `"${preparation.revision}"`);
  return preparationDocument(preparation);
}

/** The revision that the caller saw. Throws ApiError `match_needed` and `changed`. */
export function revisionOf({ headers: { 'if-match': given } }: FastifyRequest): number {
  if (given === undefined)
    throw new ApiError('match_needed', 'Say which revision was seen.', {
      hint: 'Send If-Match with the ETag of the preparation.',
    });
  const revision = /^"(\d{1,9})"$/.exec(given.trim())?.[1];
  if (revision === undefined) throw new ApiError('changed', 'This ETag is none of a preparation.');
  return Number(revision);
}
