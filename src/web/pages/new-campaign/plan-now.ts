import type { Preparation } from '../../../campaign/prepare/preparation.ts';
import type { StepVisit } from './visit.ts';

/** A short list is planned within this time, so that the next page shows its plan at once. */
const PATIENCE_MS = 1_500;

/** Begins the plan of a preparation, and waits a little for it. `anew`: also where one is there already. */
export async function planNow(
  { preparations, actor }: StepVisit,
  { id, revision, plan }: Preparation,
  { anew }: { anew: boolean },
): Promise<void> {
  await preparations.plan(id, { revision, actor, anew: anew || plan?.planning === 'failed' });
  await soon(preparations.planned(id));
}

/** The preparation as it can be launched: a plan without a cost is made anew as soon as a price is known. */
export async function pricedNow(visit: StepVisit, preparation: Preparation): Promise<Preparation> {
  const { preparations } = visit;
  if (!(await preparations.isPricedSince(preparation))) return preparation;
  await planNow(visit, preparation, { anew: true });
  return preparations.find(preparation.id);
}

/** Waits for something, but only for a moment. */
export async function soon(work: Promise<unknown>): Promise<void> {
  const patience = AbortSignal.timeout(PATIENCE_MS);
  const over = new Promise<void>((resolve) => {
    patience.addEventListener('abort', () => resolve(), { once: true });
  });
  await Promise.race([work, over]);
}
