import type { Campaign } from '../../domain/campaign.ts';
import { campaignTexts } from '../../domain/text/campaign-texts.ts';
import { offsetOf, type ReminderRule } from '../../domain/time/occurrence.ts';
import type { MessageRow } from '../../ledger/contracts/reader.ts';
import type { NewMessage } from '../../ledger/contracts/records.ts';
import { movedFrom, type NewReminder, type ReminderComparison } from '../../ledger/contracts/schedules.ts';

/* The messages of a plan one by one, for a file that says who gets what and when. */

/** What a plan does about a message. */
export type PlannedChange =
  | 'planned'
  | ReminderComparison['verdict']
  | 'moment past'
  | 'canceled'
  | 'stays canceled';

/** One message of a plan. Moments in milliseconds; null: of no reminder. */
export interface ListedMessage {
  line: number;
  mobile: string;
  key: string;
  occurrence: string;
  change: PlannedChange;
  dueAt: number | null;
  /** The moment before it was moved; null: it was not. */
  wasAt: number | null;
  /** In words: "2 days before". */
  offset: string | null;
  segments: number;
  text: string;
}

/** Takes the next messages of a plan, and says when it can take more. */
export type PlanList = (messages: ListedMessage[]) => Promise<void>;

/** A planned message as it is listed. `remind`: the rule of the reminders; null: there are none. */
export function listedMessage(
  message: NewMessage | NewReminder,
  { text, comparison, remind }: Listing,
): ListedMessage {
  const { line, mobile, key, occurrence, segments } = message;
  const timed = 'notBefore' in message ? message : null;
  const change = changeOf(timed, comparison);
  return {
    line,
    mobile,
    key,
    occurrence,
    change,
    dueAt: timed?.notBefore ?? null,
    wasAt: timed === null ? null : movedFrom(timed, comparison),
    offset: offsetOf(key, remind),
    segments,
    text,
  };
}

interface Listing {
  text: string;
  comparison: ReminderComparison | undefined;
  remind: ReminderRule | null;
}

function changeOf(message: NewReminder | null, comparison: ReminderComparison | undefined): PlannedChange {
  if (message === null) return 'planned';
  if (comparison?.staysCanceled === true) return 'stays canceled';
  if (message.skip === 'already reminded' || waitsInVain(comparison)) return 'already reminded';
  return comparedChange(message, comparison);
}

function comparedChange(message: NewReminder, comparison: ReminderComparison | undefined): PlannedChange {
  const { verdict = 'planned' } = comparison ?? {};
  if (verdict === 'unchanged') return movedFrom(message, comparison) === null ? 'unchanged' : 'moved';
  return verdict === 'already reminded' || message.skip === null ? verdict : 'moment past';
}

/** True: it waits, and another number of its person got the reminder. */
function waitsInVain(comparison: ReminderComparison | undefined): boolean {
  return comparison !== undefined && comparison.kept !== null && !comparison.goes;
}

/** A message of the open campaign that the contacts cancel. */
export function canceledMessage(message: MessageRow, campaign: Campaign): ListedMessage {
  const { line, mobile, key, occurrence, notBefore, segments, fields } = message;
  const rendered = campaignTexts(campaign).render(fields);
  return {
    line,
    mobile,
    key,
    occurrence,
    change: 'canceled',
    dueAt: notBefore,
    wasAt: null,
    offset: offsetOf(key, campaign.settings.remind),
    segments,
    text: rendered.ok ? rendered.text : '',
  };
}
