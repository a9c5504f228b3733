import type { Delivery, NumberEffect } from '../../domain/message.ts';
import { type MobileResult, parseMobile } from '../../domain/numbers/mobile.ts';
import { isGivenId } from '../send/answer.ts';
import type { WebhookRecord } from './body.ts';
import { parseWebhookTime } from './report-time.ts';
import { letters } from '../../domain/text/printable.ts';
import type { Meaning, WordTable } from './report-word-mapping.ts';

/** One delivery report, in our words. */
export interface ParsedReport {
  /** Exactly as it came, but trimmed. */
  messageId: string;
  /** The provider's word of status, as it came. */
  word: string;
  /** Null: an unknown word, kept and shown, changes nothing. */
  delivery: Delivery | null;
  /** Why it failed: the profile's name of it, with the provider's own where that says more. */
  reason: string | null;
  /** International digits without a plus, or as local as it came. */
  mobile: string | null;
  /** What the failure says of the number; left out: nothing. */
  effect?: NumberEffect;
  network: string | null;
  /** Milliseconds UTC; null when not given or unreadable. */
  at: number | null;
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
  meaningOf: WordTable;
  /** Letters of an inbound event → what it came by. */
  replyEvents: ReadonlyMap<string, 'sms' | 'chat'>;
  reportEvents: ReadonlySet<string>;
  /** Letters that only events of the chat channel begin with. */
  chatWords: readonly string[];
  /** What names of events begin with, as `dotted` spells them, that speak of no message. */
  otherEvents: readonly string[];
  zone: string;
  country: string | null;
}

const MAX_ID_CHARS = 200;
const MAX_WORD_CHARS = 120;
const MAX_NETWORK_CHARS = 60;
const SCHEME = /^(?:tel|sms|whatsapp):/i;
/** What holds one of these may hold digits that are not the number's: 254712345678.0, 2.54712345678e11, +254 (0)712 345678. */
const MORE_THAN_DIGITS = /[.e(]/i;
/** API document 2.1: nine digits without a prefix, or with a leading 0. Other countries have more: see `asListed`. */
const MOST_LOCAL_DIGITS = 9;
const LONGER_NUMBER = /^\d{10,15}$/;
/** What a subscriber wrote stands in `message` (2.5) or `text` (2.6): it tells an inbound message from a report. */
const TEXT_FIELDS = ['message', 'text'];
/** Where a report may name its campaign, too: `payment_reminder` there is no event; `payment.received` is one, but not of an `sms.failed`. */
const ALSO_OF_CAMPAIGNS = 'name';
const OF_MESSAGE = /^(?:sms|message|dlr|delivery)(?:\.|$)/;

interface Context {
  reading: Reading;
  /** Empty: none was given. */
  event: string;
  /** A person said that this is a report, whatever else it holds. */
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
  if (!isReport && hasText(record)) return null;
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

/**
 * What became of a chat message (`whatsapp.message.status`) or of a payment says nothing of the SMS to its number, wherever a
 * person points.
 */
function isOfAnother(record: WebhookRecord, reading: Reading): boolean {
  const names = namesOf(record, reading);
  const events = names.filter(isEvent).map(({ name }) => name);
  const begins = (words: readonly string[], name: string) => words.some((word) => name.startsWith(word));
  if (events.some((name) => begins(reading.chatWords, letters(name)))) return true;
  if (names.some(({ name }) => reading.reportEvents.has(letters(name)))) return false;
  return events.some((name) => begins(reading.otherEvents, dotted(name)));
}

/** Where a word of a name begins, also behind a short form: `B2CResult`, `STKPush`. */
const CAMEL = /(?<=[a-z])(?=[A-Z])|(?<=[A-Z\d])(?=[A-Z][a-z])/g;

/** A name of an event in one spelling: `payment.received` for `payment_received`, `PAYMENT:RECEIVED` and `PaymentReceived`. */
export function dotted(name: string): string {
  return name
    .replace(CAMEL, '.')
    .toLowerCase()
    .replace(/[_:/-]/g, '.');
}

interface Named {
  path: string;
  name: string;
  /** A name in the same object, or in one around it, says that it is about a message. */
  ofMessage: boolean;
}

/** All names in it and around it: what a payment wraps may have a `type` or a `name` of its own. */
function namesOf(record: WebhookRecord, reading: Reading): Named[] {
  const around = record.envelope === null ? [] : namesOf(record.envelope, reading);
  const given = reading.event.filter((path) => record.fields.has(path));
  const own = given.map((path) => ({ path, name: record.fields.get(path) ?? '' }));
  const ofMessage = [...own, ...around].some(({ name }) => OF_MESSAGE.test(dotted(name)));
  return [...own.map((each) => ({ ...each, ofMessage })), ...around];
}

function isEvent({ path, name, ofMessage }: Named): boolean {
  return path !== ALSO_OF_CAMPAIGNS || (name.includes('.') && !ofMessage);
}

/** With a text it is an inbound message, unless it says that it is a report (Jasmin's reports repeat the text). */
function hasText(record: WebhookRecord): boolean {
  return first(record, TEXT_FIELDS) !== '';
}

/**
 * The first field of status that has letters: a number says nothing by itself, so it is the word only where there is no
 * other. A word that nobody knows is not passed over for a later one, for that would be guessing. The event
 * (`sms.delivered`) and the reason stand in where no status is given.
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
 * Why it failed, to be grouped and shown: the profile's name for the reason given, else its name for the word of status,
 * followed by what the provider gave. Of a delivered message it says nothing.
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

/** As the reason: what is given in detail counts before the word of status. Only a failure says something. */
function effectOf(given: string, { meaning, meaningOf }: { meaning: Meaning; meaningOf: WordTable }) {
  if (meaning.delivery !== 'undelivered') return undefined;
  const detail = meaningOf(given);
  return detail.reason === null ? meaning.effect : detail.effect;
}

/**
 * Digits only, as a message has them: without `tel:`, plus, spaces or a leading 00, and as it was before a program took it for
 * a float (254712345678.0). A number that looks local becomes international when its country is known. Null: not a number.
 */
export function plainMobile(text: string, country: string | null): string | null {
  const said = text.replace(SCHEME, '');
  const bare = said.replace(/[\s+().-]/g, '');
  const digits = bare.replace(/^00/, '');
  const read = country === null ? null : asListed({ said, digits }, country);
  if (read?.ok === true) return read.mobile;
  return /^\d{6,20}$/.test(bare) ? digits : null;
}

/**
 * As the number stands in the ledger, where it was read from a list. Longer ones (8031234567 of Nigeria) are local where they are no
 * mobile of the world: nothing was sent to such a one, so that it can mean nobody else. One of the world may be written with a zero
 * of home in it (2540712345678). Null: its digits are what is known of it.
 */
function asListed({ said, digits }: { said: string; digits: string }, country: string): MobileResult | null {
  const isLocal = digits.startsWith('0') || digits.length <= MOST_LOCAL_DIGITS;
  if (isLocal || MORE_THAN_DIGITS.test(said)) return parseMobile(said, country);
  if (!LONGER_NUMBER.test(digits)) return null;
  const world = parseMobile(`+${digits}`, country);
  return world.ok ? world : parseMobile(said, country);
}

/** Empty: none of them is there. Fields never hold an empty text. */
export function first(record: WebhookRecord, paths: string[]): string {
  for (const path of paths) {
    const value = record.fields.get(path);
    if (value !== undefined) return value;
  }
  return '';
}

/** What happened: an inbound event before any other, for what it wraps may have a `type` or a `name` of its own. */
export function eventOf(record: WebhookRecord, { event: paths, replyEvents }: Reading): string {
  for (let each: WebhookRecord | null = record; each !== null; each = each.envelope) {
    const { fields } = each;
    const inbound = paths.find((path) => replyEvents.has(letters(fields.get(path) ?? '')));
    if (inbound !== undefined) return fields.get(inbound) ?? '';
  }
  return inherited(record, paths);
}

/** An envelope hands down its event and its id, never a status: `{"status":"success","data":{…}}` speaks of the call. */
function inherited(record: WebhookRecord, paths: string[]): string {
  for (let each: WebhookRecord | null = record; each !== null; each = each.envelope) {
    const value = first(each, paths);
    if (value !== '') return value;
  }
  return '';
}
