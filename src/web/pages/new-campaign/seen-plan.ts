import type { FastifyRequest } from 'fastify';
import type { PlanDocument } from '../../../campaign/planning/plan-document.ts';
import type { Preparation } from '../../../campaign/prepare/preparation.ts';
import { whole } from '../../../domain/money.ts';
import { formField } from '../../form-fields.ts';
import type { Frame } from '../../frame.ts';
import { costWords, messagesOf } from './check-view.ts';

/* What a person launched, in the address of the page that says what became of it: its plan is replaced meanwhile. */

/** The plan that a person launched. */
export interface SeenPlan {
  digest: string;
  /** What it showed; null: not known any more. */
  sums: { messages: number; lower: string | null; upper: string | null } | null;
}

/** The address keeps the plan, where it is still the one that the person saw, and the name as it was typed. */
export function seenQuery(
  { plan }: Preparation,
  { digest, typedName }: { digest: string; typedName: string },
): string {
  const query = new URLSearchParams({ seen: digest, name: typedName });
  if (plan?.planning !== 'done' || plan.digest !== digest) return query.toString();
  const { lower, upper } = plan.document.cost;
  query.set('messages', String(messagesOf(plan.document)));
  query.set('lower', lower ?? '');
  query.set('upper', upper ?? '');
  return query.toString();
}

/** The plan of the address. Only numbers are taken from it, because anybody can write an address. */
export function seenOf(request: FastifyRequest): SeenPlan | null {
  const digest = formField(request, 'seen');
  if (digest === '') return null;
  const [messages, lower, upper] = (['messages', 'lower', 'upper'] as const).map((name) =>
    formField(request, name),
  ) as [string, string, string];
  if (!/^\d{1,9}$/.test(messages)) return { digest, sums: null };
  return { digest, sums: { messages: Number(messages), lower: amountOf(lower), upper: amountOf(upper) } };
}

function amountOf(text: string): string | null {
  return /^\d{1,12}(\.\d{1,6})?$/.test(text) ? text : null;
}

/** In which of its sums the plan is another one; null: in none of them. */
export function differenceOf(frame: Frame, { sums }: SeenPlan, document: PlanDocument): string | null {
  if (sums === null) return null;
  const { problems } = frame.words.newCampaign;
  const [before, now] = [costWords(frame, sums), costWords(frame, document.cost)];
  const messages = messagesOf(document);
  const parts = [
    sums.messages !== messages && problems.messagesChanged(whole(sums.messages), whole(messages)),
    before !== now && problems.costChanged(before, now),
  ];
  return parts.filter((each) => each !== false).join(' ') || null;
}
