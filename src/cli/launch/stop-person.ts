import {
  cancelPerson,
  nobody,
  type Person,
  refuseRereadContacts,
} from '../../campaign/operator/cancel-person.ts';
import { TumaError } from '../../domain/errors.ts';
import { counted, whole } from '../../domain/money.ts';
import type { PersonMessages } from '../../ledger/contracts/records.ts';
import { lineArgument, mobileArgument } from '../arguments/parse-argument.ts';
import type { Call } from '../command.ts';
import type { Context } from '../context.ts';
import { EXIT } from '../exit.ts';
import { confirmOrder } from '../terminal/confirm.ts';
import { campaignPart, type OrderNow } from '../terminal/order.ts';

/* `tuma cancel CAMPAIGN --mobile N`: one person gets nothing more of a campaign. */

/** The person that the flags name; null: none, so the whole campaign is meant. Throws `usage`. */
export function personOf({ config }: Context, { flags }: Call): Person | null {
  const { mobile, key, occurrence } = flags;
  const line = lineArgument(flags['line']);
  const person = {
    ...(typeof mobile === 'string' ? { mobile: mobileArgument(mobile, config, '--mobile') } : {}),
    ...(line === null ? {} : { line }),
    ...(typeof key === 'string' ? { key: key.trim() } : {}),
    ...(typeof occurrence === 'string' ? { occurrence: dateOf(occurrence) } : {}),
  };
  if (person.key === '') throw new TumaError('usage', { message: 'The key is blank.', where: '--key' });
  if (Object.keys(person).length === 0) return null;
  if (person.occurrence === undefined || Object.keys(person).length > 1) return person;
  throw new TumaError('usage', {
    message: '--occurrence alone names nobody.',
    hint: 'Add --mobile, --line or --key.',
    where: '--occurrence',
  });
}

function dateOf(text: string): string {
  if (/^\d{4}-\d\d-\d\d$/.test(text.trim())) return text.trim();
  throw new TumaError('usage', {
    message: 'An occurrence is the date that the reminder is about, such as 2026-12-01.',
    where: '--occurrence',
  });
}

/** Asks, cancels what waits of the person, and says what can no longer be stopped. */
export async function stopPerson(
  context: Context,
  { order, person, yes }: { order: OrderNow; person: Person; yes: boolean },
): Promise<number> {
  const { campaign, state } = order;
  const isSeries = campaign.settings.remind?.series !== undefined;
  const reader = await context.reader();
  const seen = await reader.personMessages({ campaign: campaign.n, isSeries, ...person });
  if (state !== 'canceled') refuseRereadContacts(order);
  if (seen.messages === 0) throw nobody(order, person);
  if (person.line !== undefined && seen.people > 1)
    throw new TumaError('usage', {
      message: `Line ${person.line} is of ${seen.people} people, each of other contacts: the campaign was corrected. Nothing was canceled.`,
      hint: 'Name the person: --mobile NUMBER.',
      where: '--line',
    });
  if (!yes && state !== 'canceled')
    await confirmOrder(context, {
      question: `Cancel ${counted(seen.queued, 'message')} of ${campaign.name} (${campaign.id})? ${peopleWords(seen.people)} will get nothing more of it.`,
      hint: `Add --yes: ${peopleWords(seen.people)} would get nothing more of ${campaign.name}.`,
    });
  const done = await cancelPerson({ ...order, person });
  const { people, queued: canceled, sending, uncertain, sent } = done;
  context.output.result(
    {
      campaign: await campaignPart(context, campaign.n),
      people,
      canceled,
      may_still_arrive: sending + uncertain,
      sent,
    },
    () => wordsOf(order, done),
  );
  context.output.note(
    `There is no way back in this campaign, also with corrected contacts. Other campaigns are not touched: to send to ${people === 1 ? 'the person' : 'them'} after all, launch ${people === 1 ? 'that row' : 'those rows'} in a job of another name.`,
  );
  return EXIT.done;
}

/** "1 person", "1,200 people". */
export function peopleWords(count: number): string {
  return count === 1 ? '1 person' : `${whole(count)} people`;
}

function wordsOf({ campaign: { name, settings } }: OrderNow, done: PersonMessages): string {
  const { people, queued, sending, uncertain, sent } = done;
  const who = peopleWords(people);
  const parts = [
    settings.every === undefined
      ? `${who} will get nothing more of ${name}: ${counted(queued, 'message')} canceled`
      : `${who} will get nothing more of ${name}, from its next firing on`,
  ];
  if (sending + uncertain > 0) parts.push(`${whole(sending + uncertain)} may still arrive`);
  if (sent > 0) parts.push(`${whole(sent)} sent before`);
  return `${parts.join(', ')}.`;
}
