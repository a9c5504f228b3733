import type { ReportsProfile } from '../profiles/profile.ts';
import { plainKey, readRecords, type RawWebhook, type WebhookRecord } from './body.ts';
import { type ParsedReply, readReply } from './reply.ts';
import { eventOf, type ParsedReport, readReport, type Reading, type ReplyPaths } from './report.ts';
import { letters } from '../../domain/text/printable.ts';
import { wordTable } from './report-word-mapping.ts';

/** The content of a webhook, in Tuma's words. */
export interface ParsedWebhook {
  kind: 'report' | 'reply' | 'other' | 'not_understood';
  reports: ParsedReport[];
  /** Left out: none. */
  replies?: ParsedReply[];
}

/** Reads one raw webhook. Pure and total: it never throws. */
export type WebhookParser = (raw: RawWebhook) => ParsedWebhook;

/** The parser's data beside the profile. */
export interface ParserOptions {
  /** The country of numbers without a code (ISO 3166, two letters); null leaves them unchanged. */
  country?: string | null;
}

/**
 * Makes the parser of a profile (API document 2.5, 2.6, 6). Inbound messages are recognized by their event.
 * The document does not show a delivery report's shape, so a message id together with a status word is one.
 */
export function webhookParser(
  profile: ReportsProfile,
  { country = null }: ParserOptions = {},
): WebhookParser {
  const reading = { ...prepare(profile), country };
  return (raw) =>
    summarize(readRecords(raw, reading.wrappers).flatMap((record) => interpret(record, reading)));
}

function prepare(profile: ReportsProfile): Omit<Reading, 'country'> {
  const { fields, words, event_names: events, zone } = profile;
  const wrappers = new Set(profile.wrappers.map(plainKey));
  const reply = { sms: replyPaths(profile.reply_fields), chat: replyPaths(profile.chat_fields) };
  return {
    messageId: fields.message_id.map(plainPath),
    status: fields.status.map(plainPath),
    reason: fields.reason.map(plainPath),
    mobile: fields.mobile.map(plainPath),
    time: fields.time.map(plainPath),
    network: fields.network.map(plainPath),
    event: fields.event.map(plainPath),
    reply,
    carriers: new Set([
      ...wrappers,
      ...[...reply.sms.text, ...reply.chat.text].flatMap((path) => path.split('.')),
      ...MORE_CARRIERS,
    ]),
    wrappers,
    meaningOf: wordTable(words),
    replyEvents: new Map([
      ...events.reply.map((name) => [letters(name), 'sms'] as const),
      ...events.chat.map((name) => [letters(name), 'chat'] as const),
    ]),
    reportEvents: new Set(events.report.map(letters)),
    chatWords: chatWordsOf(events),
    otherEvents: events.other.map((name) => name.toLowerCase()),
    zone,
  };
}

/** Objects of an inbound message that are neither a wrapper nor named as its text. */
const MORE_CARRIERS = ['inbound', 'reply', 'mo'];

function replyPaths(fields: ReportsProfile['reply_fields']): ReplyPaths {
  return {
    mobile: fields.mobile.map(plainPath),
    addressee: fields.addressee.map(plainPath),
    text: fields.text.map(plainPath),
    time: fields.time.map(plainPath),
  };
}

type Understood =
  | { kind: 'report'; report: ParsedReport }
  | { kind: 'reply'; reply: ParsedReply }
  | { kind: 'other' | 'not_understood' };

/** A webhook of several parts is filed under the part that most needs a person; its reports always count. */
function summarize(parts: Understood[]): ParsedWebhook {
  const reports = parts.flatMap((part) => (part.kind === 'report' ? [part.report] : []));
  const kinds = new Set(parts.map((part) => part.kind));
  const kind = (['not_understood', 'reply', 'report', 'other'] as const).find((each) => kinds.has(each));
  const replies = parts.flatMap((part) => (part.kind === 'reply' ? [part.reply] : []));
  return {
    kind: kind ?? 'not_understood',
    reports,
    ...(replies.length === 0 ? {} : { replies }),
  };
}

/** The records of a wrapper count for it. If none of them is understood, the outer object may count. */
function interpret(record: WebhookRecord, reading: Reading): Understood[] {
  const inner = record.inner.flatMap((each) => interpret(each, reading));
  if (inner.some((each) => each.kind === 'report' || each.kind === 'reply')) return inner;
  return [interpretOne(record, reading)];
}

function interpretOne(record: WebhookRecord, reading: Reading): Understood {
  const event = eventOf(record, reading);
  const channel = reading.replyEvents.get(letters(event));
  if (channel !== undefined) {
    const reply = readReply(record, { channel, reading });
    return reply === null ? { kind: 'not_understood' } : { kind: 'reply', reply };
  }
  const report = readReport(record, { reading, event });
  if (report !== null) return { kind: 'report', report };
  return { kind: event === '' ? 'not_understood' : 'other' };
}

/** The first words of chat events' names that no SMS event has. */
function chatWordsOf({ chat, reply, report }: ReportsProfile['event_names']): string[] {
  const firstWord = (name: string) => letters(wordsOf(name)[0] ?? '');
  const ofSms = new Set([...reply, ...report].map(firstWord));
  return chat.map(firstWord).filter((word) => word !== '' && !ofSms.has(word));
}

function plainPath(path: string): string {
  return path.split('.').map(plainKey).join('.');
}

/**
 * Makes a quick search of raw bytes for the names of inbound events, in any case and with any separators.
 * Possible replies are read before waiting reports, and again on each arrival. It is only a hint: missed
 * replies are read in their turn, and once.
 */
export function replyHint({ event_names: events }: ReportsProfile): (raw: RawWebhook) => boolean {
  const names = [...events.reply, ...events.chat].map(wordsOf).filter((words) => words.length > 0);
  if (names.length === 0) return () => false;
  const hint = new RegExp(names.map((words) => words.join('(?:%2e|[^a-z]){0,3}')).join('|'), 'i');
  return ({ body, query }) => {
    const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
    return hint.test(bytes.toString('latin1')) || hint.test(query);
  };
}

function wordsOf(name: string): string[] {
  return name.match(/[a-z]+/gi) ?? [];
}
