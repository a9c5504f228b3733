import type { MessageState } from './message.ts';
import type { ReasonText } from './row-reason.ts';

/*
 * Why a message is in its state. The ledger keeps these words and reports show them, so there is one list; a test
 * compares it with the SQL. Free strings stay what is not Tuma's to say: the reason of a failed delivery, which the
 * provider's profile or the network words (what reports and exports show may be either), and the reason that a person
 * types (reason.ts).
 */

/** The reason of a refused message by the refusal's class, which the profile or a person's mapping tells. */
export const REFUSED = {
  credit: 'credit refused',
  sender: 'sender refused',
  credentials: 'credentials refused',
  contact: 'invalid mobile',
  network: 'network not allowed',
  opted_out: 'opted out',
} as const;

/** The fixed words by state. A sent message has no reason, and a canceled one only if not the whole campaign was. */
export const MESSAGE_REASONS = {
  queued: [
    REFUSED.credit,
    REFUSED.sender,
    REFUSED.credentials,
    'throttled',
    'no connection',
    'could not be requested',
    'network held',
    /** The worker stopped, or the provider was away. */
    'released',
    'claim expired',
    /** Nobody knew whether the claim was committed. */
    'claim unsure',
    /** A killed worker left a note that it was never sent. */
    'taken back, never sent',
  ],
  rejected: Object.values(REFUSED),
  uncertain: [
    'no answer in time',
    'answer lost',
    'server error',
    'answer unreadable',
    'unlisted code',
    'verdict not recorded',
    'worker died',
    'an older ledger was put back',
    /** A person took the meaning of its answer back. */
    'mapping taken back',
    /** A person took the meaning of its report back. */
    'report taken back',
  ],
  skipped: [
    'opted out',
    /** Another campaign gave the number the same text. */
    'same text recently',
    /** The number had enough promotional messages. */
    'frequency cap',
    /** Another message is this reminder. */
    'already reminded',
    /** A reminder came too late. */
    'moment past',
    'an older ledger was put back',
  ],
  canceled: [
    /** A person canceled this one alone. */
    'canceled by hand',
    'moved',
    'no longer in the contacts',
  ],
} as const satisfies Partial<Record<MessageState, readonly string[]>>;

/** The reason of a message in this state, in fixed words. */
export type ReasonOf<State extends keyof typeof MESSAGE_REASONS> = (typeof MESSAGE_REASONS)[State][number];

/** Why a message was rejected. Some reasons hold a code or a count; a row whose text fails has the row's reason. */
export type RejectedReason =
  | ReasonOf<'rejected'>
  | `redirected (${string})`
  | `request refused (${string})`
  | `gave up after ${number}`
  | ReasonText;

/** Why a message is in whatever state it is. */
export type Reason = RejectedReason | ReasonOf<keyof typeof MESSAGE_REASONS>;

/** Why the guards skip a message. */
export type GuardReason = Extract<ReasonOf<'skipped'>, 'same text recently' | 'frequency cap'>;

/** Why a reminder is never sent. */
export type ReminderSkip = Exclude<ReasonOf<'skipped'>, GuardReason | 'opted out'>;
