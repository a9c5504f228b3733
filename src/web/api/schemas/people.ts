import { z } from 'zod';
import { DELIVERIES, MESSAGE_STATES } from '../../../domain/message.ts';
import { OPT_OUT_SOURCES } from '../../../domain/opt-out-source.ts';
import { SUPPRESSIONS } from '../../../domain/row-reason.ts';
import { Count, Mobile, Money, Time } from './common.ts';

/** One message of a campaign. */
export const Message = z
  .object({
    seq: z.int().describe('Its number in the campaign.'),
    line: z.int().describe('Its line of the contacts.'),
    mobile: Mobile,
    key: z.string(),
    occurrence: z.string().describe('The date that a reminder is about; else empty.'),
    state: z.enum(MESSAGE_STATES),
    delivery: z
      .enum([...DELIVERIES, 'unreported'])
      .nullable()
      .describe('Of a sent message; unreported: no report came in time.'),
    reason: z.string().nullable(),
    provider_words: z.string().nullable(),
    messageid: z.string().nullable(),
    network: z.string().nullable(),
    segments: Count,
    cost: Money.nullable(),
    attempts: Count,
    queued_at: Time,
    due_at: Time.nullable().describe('The moment of a reminder.'),
    sent_at: Time.nullable(),
    reported_at: Time.nullable(),
  })
  .meta({ id: 'Message' });

/** A message of which nobody knows whether it was sent. */
export const UncertainMessage = z
  .object({
    seq: z.int(),
    line: z.int(),
    mobile: Mobile,
    key: z.string(),
    reason: z.string().nullable(),
    attempts: Count,
    uncertain_since: Time,
    written_off: z.boolean(),
    flags: z.array(z.string()),
    seen: z
      .object({ at: Time, http_status: z.int().nullable(), code: z.string().nullable(), words: z.string() })
      .nullable()
      .describe('The answer to its latest try; null: none came.'),
  })
  .meta({ id: 'UncertainMessage' });

/** A reply of the inbox. */
export const Reply = z
  .object({
    id: z.int(),
    channel: z.enum(['sms', 'chat']),
    record: z.string().nullable().describe('The id of a chat record.'),
    received_at: Time.nullable().describe('The time in the message.'),
    arrived_at: Time,
    mobile: Mobile,
    to: z.string(),
    text: z.string(),
    wish: z.enum(['stop', 'start', 'maybe_stop']).nullable().describe('What it asks for.'),
    media: z.string().nullable().describe('The type of its file; null: only text.'),
    campaign: z.object({ id: z.string(), name: z.string(), line: z.int() }).nullable(),
  })
  .meta({ id: 'Reply' });

/** A number that gets no offers. */
export const OptOut = z
  .object({
    mobile: Mobile,
    kind: z.enum(SUPPRESSIONS),
    sender: z.string().nullable().describe('Null: offers of every sender.'),
    source: z.enum(OPT_OUT_SOURCES),
    since: Time,
    evidence: z.string().nullable(),
  })
  .meta({ id: 'OptOut' });

/** An event of a number's standing. */
export const OptOutEvent = z
  .object({
    at: Time,
    change: z.enum(['added', 'removed', 'voided']),
    sender: z.string().nullable(),
    source: z.enum(OPT_OUT_SOURCES),
    by: z.string(),
    evidence: z.string().nullable(),
  })
  .meta({ id: 'OptOutEvent' });
