import { parseWebhookTime } from './report-time.ts';
import type { WebhookRecord } from './body.ts';
import { first, plainMobile } from './report.ts';

/** One inbound message: API document 2.5 (`sms`) or 2.6 (`chat`). */
export interface ParsedReply {
  channel: 'sms' | 'chat';
  /** The `id` of a chat record, also the path segment of its media; null: an SMS has none. */
  recordId: string | null;
  /** Digits without a plus; the original text if it is no number. */
  mobile: string;
  /** `shortcode` of an SMS, `to` of a chat message. */
  addressee: string;
  /** The whole text of the person. */
  text: string;
  /** The original time; empty: none came. */
  time: string;
  /** `time` as milliseconds UTC; null when unreadable. */
  at: number | null;
  /** The other fields of 2.6 with a value, under the document's names. */
  detail: Record<string, string>;
}

interface Context {
  channel: ParsedReply['channel'];
  zone: string;
  country: string | null;
}

/** Names of the document as they stand in a record: lower case, without `_`. */
const CHAT_DETAIL = {
  messageid: 'message_id',
  senderjid: 'sender_jid',
  chatjid: 'chat_jid',
  mediatype: 'media_type',
  mediaurl: 'media_url',
  filename: 'file_name',
  filesize: 'file_size',
  mimetype: 'mime_type',
} as const;
const MAX_MOBILE_CHARS = 60;
/** The sender's fields; the first with a number counts. */
const SENDERS = { sms: ['mobile'], chat: ['from', 'senderjid'] } as const;
/** API document 2.6: `<number>@<chat_domain>`, perhaps with the device. Other domains have no number. */
const CHAT_ADDRESS = /^(\+?\d+)(?::\d+)?@(?:c\.us|s\.whatsapp\.net)$/i;

/** Reads a record with an inbound event. Null: it names no sender. */
export function readReply(record: WebhookRecord, { channel, zone, country }: Context): ParsedReply | null {
  const mobile = senderOf(record, SENDERS[channel], country);
  if (mobile === null) return null;
  const time = first(record, [channel === 'sms' ? 'receivedat' : 'timestamp']);
  return {
    channel,
    recordId: channel === 'sms' ? null : first(record, ['id']) || null,
    mobile,
    addressee: first(record, [channel === 'sms' ? 'shortcode' : 'to']),
    text: wholeText(record, channel === 'sms' ? 'message' : 'text'),
    time,
    at: parseWebhookTime(time, zone),
    detail: channel === 'sms' ? {} : chatDetail(record),
  };
}

/** The original text if it is no number; null: no sender is named. */
function senderOf(record: WebhookRecord, names: readonly string[], country: string | null): string | null {
  const named = names.flatMap((name) => record.fields.get(name) ?? []);
  const numbers = named.flatMap((each) => plainMobile(each.replace(CHAT_ADDRESS, '$1'), country) ?? []);
  return numbers[0] ?? named[0]?.slice(0, MAX_MOBILE_CHARS) ?? null;
}

function chatDetail(record: WebhookRecord): Record<string, string> {
  const found = Object.entries(CHAT_DETAIL).map(([key, name]) => [name, record.fields.get(key)] as const);
  return Object.fromEntries(
    found.filter((each): each is [(typeof each)[0], string] => each[1] !== undefined),
  );
}

/** The text may stand around the object that names the sender, and a STOP must not be lost for that. */
function wholeText({ whole, fields, envelope }: WebhookRecord, name: string): string {
  const own = whole.get(name) ?? fields.get(name);
  return own ?? (envelope === null ? '' : wholeText(envelope, name));
}
