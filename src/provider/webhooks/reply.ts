import { parseWebhookTime } from './report-time.ts';
import type { WebhookRecord } from './body.ts';
import { first, plainMobile, type Reading } from './report.ts';

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
  reading: Pick<Reading, 'reply' | 'carriers' | 'wrappers' | 'zone' | 'country'>;
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
/** API document 2.6: `<number>@<chat_domain>`, perhaps with the device. Other domains have no number. */
const CHAT_ADDRESS = /^(\+?\d+)(?::\d+)?@(?:c\.us|s\.whatsapp\.net)$/i;

/**
 * Reads a record with an inbound event. Null: it names no sender, or it has no text. A STOP may stand in a
 * place that nobody knows, so a person must look. Only a file may come without a text.
 */
export function readReply(record: WebhookRecord, { channel, reading }: Context): ParsedReply | null {
  const paths = reading.reply[channel];
  const read = (names: readonly string[]) => valuesOf(record, { ...reading, names });
  const mobile = senderOf(read(paths.mobile), reading.country);
  const text = read(paths.text)[0] ?? '';
  const detail = channel === 'sms' ? {} : chatDetail(record);
  if (mobile === null || (text.trim() === '' && !hasFile(detail))) return null;
  const time = (read(paths.time)[0] ?? '').trim();
  return {
    channel,
    recordId: channel === 'sms' ? null : first(record, ['id']) || null,
    mobile,
    addressee: (read(paths.addressee)[0] ?? '').trim(),
    text,
    time,
    at: parseWebhookTime(time, reading.zone),
    detail,
  };
}

/** The original text if it is no number; null: no sender is named. */
function senderOf(named: readonly string[], country: string | null): string | null {
  const said = named.map((each) => each.trim());
  const numbers = said.flatMap((each) => plainMobile(each.replace(CHAT_ADDRESS, '$1'), country) ?? []);
  return numbers[0] ?? said[0]?.slice(0, MAX_MOBILE_CHARS) ?? null;
}

/** A chat message with a file (API document 6, rule 1): the text is its caption, if there is one. */
function hasFile({ media_type: type = 'text', media_url: address = '' }: Record<string, string>): boolean {
  return type !== 'text' || address !== '';
}

function chatDetail(record: WebhookRecord): Record<string, string> {
  const found = Object.entries(CHAT_DETAIL).map(([key, name]) => [name, record.fields.get(key)] as const);
  return Object.fromEntries(
    found.filter((each): each is [(typeof each)[0], string] => each[1] !== undefined),
  );
}

interface Sought extends Pick<Reading, 'carriers' | 'wrappers'> {
  names: readonly string[];
}

/**
 * The values with one of the names, whole, the best first: of the record itself, of the objects in it that
 * carry a message (`message.text`), and of what stands around it. A STOP must not be lost for its place.
 */
function valuesOf(record: WebhookRecord, { names, carriers, wrappers }: Sought): string[] {
  const { whole, fields, envelope } = record;
  const nested = [...fields.keys()].filter((path) => isCarried(path, carriers));
  nested.sort((one, other) => one.split('.').length - other.split('.').length);
  const below = names.flatMap((name) => nested.filter((path) => path.endsWith(`.${name}`)));
  const own = [...names, ...below].flatMap((path) => whole.get(path) ?? fields.get(path) ?? []);
  if (envelope === null) return own;
  // Beside a wrapper stand others, with the messages of other people.
  const around = new Set([...carriers].filter((each) => !wrappers.has(each)));
  return [...own, ...valuesOf(envelope, { names, carriers: around, wrappers })];
}

function isCarried(path: string, carriers: ReadonlySet<string>): boolean {
  const around = path.split('.').slice(0, -1);
  return around.length > 0 && around.every((each) => carriers.has(each));
}
