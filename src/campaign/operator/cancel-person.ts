import { TumaError } from '../../domain/errors.ts';
import type { CancelPerson, PersonMessages } from '../../ledger/contracts/records.ts';
import { forbidden, type Order, type Subject } from './orders.ts';

/** The person of an order: at least one of number, line and key. */
export type Person = Pick<CancelPerson, 'mobile' | 'line' | 'key' | 'occurrence'>;

/**
 * Sends one person nothing more of a campaign. It holds for whatever of that person would be queued later, and it is
 * never taken back. It is no opt-out: other campaigns are not touched. Throws `state_forbids` where the campaign is
 * canceled or reads its contacts anew, and `not_found` where it has no such message.
 */
export async function cancelPerson(order: Order & { person: Person }): Promise<PersonMessages> {
  const { ledger, campaign, state, now, by, person } = order;
  if (state === 'canceled')
    throw forbidden(order, {
      verb: 'stopped for one person',
      hint: 'Nothing more of it is sent to anybody.',
    });
  refuseRereadContacts(order);
  const counts = await ledger.cancelPerson(campaign.n, { ...person, now, by });
  if (counts.messages === 0) throw nobody(order, person);
  return counts;
}

/** Refuses a job whose contacts are read anew at each firing, because they would name the person again. */
export function refuseRereadContacts(order: Subject): void {
  if (order.campaign.settings.every?.reread === undefined) return;
  throw forbidden(order, {
    verb: 'stopped for one person',
    hint: 'Each firing reads its contacts anew: take the person out of that file. For a firing that runs already, give its own id.',
  });
}

/** The error where a campaign has no message of the person. The number is not repeated. */
export function nobody({ campaign: { id } }: Order, { mobile, line, key, occurrence }: Person): TumaError {
  const named = [
    mobile === undefined ? [] : ['to that number'],
    line === undefined ? [] : [`of line ${line}`],
    key === undefined ? [] : ['of that key'],
    occurrence === undefined ? [] : [`about ${occurrence}`],
  ].flat();
  return new TumaError('not_found', {
    message: `Campaign ${id} has no message ${named.join(' ')}. Nothing was canceled.`,
    advice: { action: 'find_message', campaign: id },
    where: id,
  });
}
