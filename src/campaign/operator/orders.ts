import type { Campaign, CampaignState } from '../../domain/campaign.ts';
import { type ErrorFacts, TumaError } from '../../domain/errors.ts';
import type { Ledger } from '../../ledger/contracts/ledger.ts';

/** A campaign as the operator saw it. */
export interface Subject {
  campaign: Campaign;
  /** The campaign's state, with `finished` derived. */
  state: CampaignState | 'finished';
}

/** An order of an operator, which leaves an audit row. */
export interface Order extends Subject {
  ledger: Ledger;
  now: number;
  /** The person who gave the order. */
  by: string;
}

/** What cannot be done, and what helps. */
interface Refused extends Pick<ErrorFacts, 'hint' | 'advice'> {
  /** The participle, such as `paused`. */
  verb: string;
}

/** The error of a verb that the campaign's state forbids. */
export function forbidden({ campaign, state }: Subject, facts: Refused): TumaError {
  return new TumaError('state_forbids', {
    message: `Campaign ${campaign.name} (${campaign.id}) is ${state}; it cannot be ${facts.verb}.`,
    hint: facts.hint ?? null,
    advice: facts.advice ?? null,
    where: campaign.id,
  });
}

/** Refuses a change that the job file would undo at the next firing. */
export function refuseReread(subject: Subject, key: 'rate' | 'sender'): void {
  if (subject.campaign.settings.every?.reread === undefined) return;
  throw forbidden(subject, {
    verb: `given another ${key}`,
    hint: `Change \`${key}\` in its job file, which each firing reads.`,
  });
}

/** Changes the campaign's rate at once; null: only the account's rate holds. False: nothing changed. */
export async function setRate(order: Order & { ratePerSecond: number | null }): Promise<boolean> {
  const { ledger, campaign, state, now, by, ratePerSecond } = order;
  if (state === 'finished' || state === 'canceled') throw forbidden(order, { verb: 'given another rate' });
  refuseReread(order, 'rate');
  if (campaign.settings.ratePerSecond === ratePerSecond) return false;
  await ledger.setRate(campaign.n, { now, by, ratePerSecond });
  return true;
}

/**
 * Pauses a campaign for the operator, also before its start; a recurring job fires no more until it is resumed. A pause that would end by itself (balance, window, a waiting canary)
 * becomes the operator's. False: the campaign waits for a person already.
 */
export async function pauseCampaign(order: Order): Promise<boolean> {
  const { ledger, campaign, state, now, by } = order;
  if (state !== 'scheduled' && state !== 'running' && state !== 'paused')
    throw forbidden(order, { verb: 'paused' });
  return ledger.pause(campaign.n, { now, by, reason: 'operator' });
}

/**
 * Puts rejected messages back into the queue: all that a retry can help, or all of one reason. Uncertain
 * messages are never touched. A message that a delivery report names is left out, and so is a rejection by a
 * mapping whose answer is younger than `resolveAfterMs`. Returns the number of messages. Throws `state_forbids` and
 * `approval_needed`.
 */
export async function retryRejected(
  order: Order & { reason: string | null; resolveAfterMs: number },
): Promise<number> {
  const { ledger, campaign, state, now, by, reason, resolveAfterMs } = order;
  if (state === 'canceled')
    throw forbidden(order, { verb: 'retried', hint: 'Nothing of a canceled campaign is sent again.' });
  const answeredBefore = now - resolveAfterMs;
  return ledger.retry(campaign.n, { now, by, answeredBefore, ...(reason === null ? {} : { reason }) });
}

/**
 * Stops a campaign for good. Returns the number of messages that will never be sent. Repeats the work for a
 * canceled campaign, because the process that canceled it may have died half-way. Throws `state_forbids` for
 * a finished one.
 */
export async function cancelCampaign(order: Order): Promise<{ changed: boolean; canceled: number }> {
  const { ledger, campaign, state, now, by } = order;
  if (state === 'finished') throw finished(order);
  const canceled = await ledger.cancel(campaign.n, { now, by });
  // The campaign's last message may have been settled since it was read, and then nothing was stopped.
  if ((await ledger.campaign(campaign.n))?.state !== 'canceled') throw finished(order);
  return { changed: state !== 'canceled', canceled };
}

function finished(order: Order): TumaError {
  const hint = 'Everything of it has been sent or settled.';
  return forbidden({ ...order, state: 'finished' }, { verb: 'canceled', hint });
}
