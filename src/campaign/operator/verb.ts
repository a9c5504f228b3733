import type { Campaign, CampaignState } from '../../domain/campaign.ts';
import { TumaError } from '../../domain/errors.ts';
import type { Ledger } from '../../ledger/ledger.ts';

/* What the verbs of operators share: pause, resume, cancel, set-rate, retry, resolve. One file each. */

/** A campaign as the operator sees it when they give the order. */
export interface Subject {
  campaign: Campaign;
  /** With `finished` derived. */
  state: CampaignState | 'finished';
}

/** An order of an operator, which leaves an audit row. */
export interface Order extends Subject {
  ledger: Ledger;
  now: number;
  /** Who gave it. */
  by: string;
}

/** The error of a verb that the campaign's state forbids. */
export function forbidden({ campaign, state }: Subject, facts: { verb: string; hint?: string }): TumaError {
  return new TumaError('state_forbids', {
    message: `Campaign ${campaign.name} (${campaign.id}) is ${state}; it cannot be ${facts.verb}.`,
    ...(facts.hint === undefined ? {} : { hint: facts.hint }),
    where: campaign.id,
  });
}
