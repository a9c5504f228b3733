import type { Delivery, NumberEffect } from '../../domain/message.ts';
import { parseMobile } from '../../domain/numbers/mobile.ts';
import { isGivenId } from '../send/read-answer.ts';
import type { WebhookRecord } from './body.ts';
import { parseWebhookTime } from './report-time.ts';
import { letters } from '../../domain/text/printable.ts';
import type { Meaning, WordTable } from './report-word-mapping.ts';

/** One delivery report, in our words. */
export interface ParsedReport {
  /** The exact id, trimmed. */
  messageId: string;
  /** The provider's exact status word. */
  word: string;
  /** Null: an unknown word, which is kept and shown but changes nothing. */
  delivery: Delivery | null;
  /** The reason of a failure: the profile's name, with the provider's own words if they say more. */
  reason: string | null;
  /** International digits without a plus, or the original local number. */
  mobile: string | null;
  /** The failure's effect on the number; left out: none. */
  effect?: NumberEffect;
  network: string | null;
  /** Milliseconds UTC; null: missing or unreadable. */
  at: number | null;
}

/** Plain paths of an inbound message's fields, in order of preference. */
export interface ReplyPaths {
  mobile: string[];
  addressee: string[];
  text: string[];
  time: string[];
}

/** A profile made ready for use: plain keys, tables instead of lists. */
export interface Reading {
  messageId: string[];
  status: string[];
  reason: string[];
  mobile: string[];
  time: string[];
  network: string[];
  event: string[];
  /** The fields of an inbound message, by channel. */
  reply: Readonly<Record<'sms' | 'chat', ReplyPaths>>;
  /** The objects inside a record that may hold a part of an inbound message. */
  carriers: ReadonlySet<string>;
  /** The objects whose content is a record of its own. */
  wrappers: ReadonlySet<string>;
  meaningOf: WordTable;
  /** Letters of an inbound event → its channel. */
  replyEvents: ReadonlyMap<string, 'sms' | 'chat'>;
  reportEvents: ReadonlySet<string>;
  /** Letters at the start of chat events only. */
  chatWords: readonly string[];
  /** The beginnings of event names that concern no message, in the spelling of `dotted`. */
  otherEvents: readonly string[];
  zone: string;
  country: string | null;
}

const MAX_ID_CHARS = 200;
const MAX_WORD_CHARS = 120;
const MAX_NETWORK_CHARS = 60;
const SCHEME = /^(?:tel|sms|whatsapp):/i;
/** A number with its country code. Local ones have a leading 0 or mostly nine digits (API document 2.1). */
const WITH_COUNTRY = /^[1-9]\d{9,14}$/;
/** No number is written longer, and a text of a stranger may stand in its place. */
const MAX_MOBILE_CHARS = 60;
/** The fields of a subscriber's text (2.5, 2.6). A record with one is a report only if it says so. */
const TEXT_FIELDS = ['message', 'text'];

interface Context {
  reading: Reading;
  /** Empty: none came. */
  event: string;
  /** True: a person declared this a report, whatever else it holds. */
  pointedAt?: boolean;
}

/** Reads a record as a report: a message id together with a word of status. Null: it is none. */
export function readReport(record: WebhookRecord, context: Context): ParsedReport | null {
  const { reading, event, pointedAt } = context;
  const messageId = inherited(record, reading.messageId);
  const word = readWord(record, { reading, event });
  if (!isGivenId(messageId) || messageId.length > MAX_ID_CHARS || word === '') return null;
  const meaning = reading.meaningOf(word);
  const isReport =
    pointedAt === true || meaning.delivery !== null || reading.reportEvents.has(letters(event));
  if (!isReport && first(record, TEXT_FIELDS) !== '') return null;
  const given = first(record, reading.reason);
  const effect = effectOf(given, { meaning, meaningOf: reading.meaningOf });
  return {
    messageId,
    word: word.slice(0, MAX_WORD_CHARS),
    delivery: meaning.delivery,
    reason: readReason(given, { meaning, meaningOf: reading.meaningOf }),
    mobile: plainMobile(first(record, reading.mobile), reading.country),
    ...(effect === undefined ? {} : { effect }),
    network: first(record, reading.network).slice(0, MAX_NETWORK_CHARS) || null,
    at: parseWebhookTime(first(record, reading.time), reading.zone),
  };
}

/** True for the event of a chat message, a payment or the like: it says nothing of the SMS to its number. */
function isOfAnother(record: WebhookRecord, reading: Reading): boolean {
  const names = reading.event.map((path) => record.fields.get(path) ?? '');
  const begins = (words: readonly string[], name: string) => words.some((word) => name.startsWith(word));
  if (names.some((name) => begins(reading.chatWords, letters(name)))) return true;
  if (names.some((name) => reading.reportEvents.has(letters(name)))) return false;
  if (names.some((name) => begins(reading.otherEvents, dotted(name)))) return true;
  return record.envelope !== null && isOfAnother(record.envelope, reading);
}

/** A name of an event in one spelling: `payment.received` for `payment_received`, `PAYMENT:RECEIVED` and `PaymentReceived`. */
function dotted(name: string): string {
  return name
    .replace(/(?<=[a-z])(?=[A-Z])|(?<=[A-Z\d])(?=[A-Z][a-z])/g, '.')
    .toLowerCase()
    .replace(/[_:/-]/g, '.');
}

/**
 * The first status field with letters; a number is the word only without such a field. An unknown word is not
 * skipped for a later one, because that would be a guess. Without a status, the event (`sms.delivered`) or
 * the reason is the word.
 */
function readWord(record: WebhookRecord, { reading, event }: Context): string {
  if (isOfAnother(record, reading)) return '';
  const candidates = reading.status.flatMap((path) => record.fields.get(path) ?? []);
  const word = candidates.find((each) => letters(each) !== '') ?? candidates[0];
  if (word !== undefined) return word;
  const happened = event.replace(/^(?:sms|message)[._:-]/i, '');
  return reading.meaningOf(happened).delivery === null ? first(record, reading.reason) : happened;
}

/**
 * The reason of a failure, for groups and display: the profile's name for the given reason. Without one, it
 * is the status word's name with the provider's own text. A delivered message has none.
 */
function readReason(
  given: string,
  { meaning, meaningOf }: { meaning: Meaning; meaningOf: WordTable },
): string | null {
  if (meaning.delivery === 'delivered') return null;
  const named = meaningOf(given).reason;
  if (named !== null) return named;
  // Zero, in any number of digits, is no reason.
  const detail = /^0*$/.test(given) ? '' : given.slice(0, MAX_WORD_CHARS);
  if (meaning.reason === null) return detail || null;
  return detail === '' ? meaning.reason : `${meaning.reason} (${detail})`;
}

/** As with the reason, the given detail counts before the status word. Only a failure has an effect. */
function effectOf(given: string, { meaning, meaningOf }: { meaning: Meaning; meaningOf: WordTable }) {
  if (meaning.delivery !== 'undelivered') return undefined;
  const detail = meaningOf(given);
  return detail.reason === null ? meaning.effect : detail.effect;
}

/**
 * The number as in the ledger: digits without `tel:`, plus, spaces or a leading 00. A local number becomes
 * international when its country is known, but an existing international mobile stays. Null: not a number.
 */
export function plainMobile(text: string, country: string | null): string | null {
  const said = text.replace(SCHEME, '');
  if (said.length > MAX_MOBILE_CHARS) return null;
  const bare = said.replace(/[\s+().-]/g, '');
  const digits = bare.replace(/^00/, '');
  const shapes = WITH_COUNTRY.test(digits) ? [`+${digits}`, said] : [said];
  for (const shape of country === null ? [] : shapes) {
    const read = parseMobile(shape, country ?? '');
    if (read.ok) return read.mobile;
  }
  return /^\d{6,20}$/.test(bare) ? digits : null;
}

/** Empty: none of them is there. Fields never hold an empty text. */
export function first(record: WebhookRecord, paths: string[]): string {
  for (const path of paths) {
    const value = record.fields.get(path);
    if (value !== undefined) return value;
  }
  return '';
}

/** The event; an inbound one wins, because its content may have a `type` or a `name` of its own. */
export function eventOf(record: WebhookRecord, { event: paths, replyEvents }: Reading): string {
  for (let each: WebhookRecord | null = record; each !== null; each = each.envelope) {
    const { fields } = each;
    const inbound = paths.find((path) => replyEvents.has(letters(fields.get(path) ?? '')));
    if (inbound !== undefined) return fields.get(inbound) ?? '';
  }
  return inherited(record, paths);
}

/** An envelope passes on its event and id, but not the call's status: `{"status":"success","data":…}`. */
function inherited(record: WebhookRecord, paths: string[]): string {
  for (let each: WebhookRecord | null = record; each !== null; each = each.envelope) {
    const value = first(each, paths);
    if (value !== '') return value;
  }
  return '';
}
