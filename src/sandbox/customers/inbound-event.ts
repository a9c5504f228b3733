import { SAMPLE_MEDIA, type MediaName } from '../api/sample-media.ts';

/** The events of API document 6. The first two are names of the same event. */
export const INBOUND_EVENTS = ['sms.received', 'sms.inbound', 'whatsapp.message.received'] as const;
/** The name of an inbound event (API document 2.5, 2.6). */
export type InboundName = (typeof INBOUND_EVENTS)[number];

/** A message of a customer, before it gets its shape. */
export interface InboundFacts {
  name: InboundName;
  /** The message that it answers; null when an operator sent it. */
  serial: number | null;
  /** International digits. */
  mobile: string;
  /** The receiving sender name or shortcode. */
  shortcode: string;
  text: string;
  /** When it is sent, milliseconds since the epoch. */
  at: number;
  /** UUID of the record; only chat records show it. */
  id: string;
  /** A file sent by chat. */
  media: MediaName | null;
  /** Replaced fields, to test a receiver with hostile values. */
  fields: Record<string, unknown>;
}

const CHAT_DOMAIN = 's.whatsapp.net';
const CHAT_ACCOUNT = '254700000000';
const NAIROBI_MS = 3 * 3_600_000;

/** The body of the webhook: API document 2.5 for SMS, 2.6 for chat. */
export function inboundRecord(facts: InboundFacts): object {
  const record = facts.name === 'whatsapp.message.received' ? chatRecord(facts) : smsRecord(facts);
  return { ...record, ...facts.fields };
}

function smsRecord({ name, mobile, shortcode, text, at }: InboundFacts): object {
  const local = new Date(at + NAIROBI_MS).toISOString().slice(0, 19);
  return { event: name, mobile, shortcode, message: text, received_at: `${local}+03:00` };
}

function chatRecord({ name, mobile, text, at, id, media }: InboundFacts): object {
  const address = `${mobile}@${CHAT_DOMAIN}`;
  return {
    event: name,
    id,
    message_id: id.replaceAll('-', '').toUpperCase(),
    from: mobile,
    to: `${CHAT_ACCOUNT}@${CHAT_DOMAIN}`,
    sender_jid: address,
    chat_jid: address,
    text,
    ...mediaFields(id, media),
    timestamp: new Date(at).toISOString(),
  };
}

/** API document 6, rules 1 and 2. */
function mediaFields(id: string, media: MediaName | null): object {
  if (media === null)
    return { media_type: 'text', media_url: '', file_name: '', file_size: 0, mime_type: '' };
  const { mediaType, mimeType, bytes } = SAMPLE_MEDIA[media];
  return {
    media_type: mediaType,
    media_url: `/api/v2/messages/whatsapp/${id}/media`,
    file_name: media,
    file_size: bytes.length,
    mime_type: mimeType,
  };
}

const STOP = new Set(['STOP', 'STOPALL', 'UNSUBSCRIBE', 'CANCEL', 'END', 'QUIT', 'ACHA', 'ONDOA', 'SITISHA']);
const START = new Set(['START', 'UNSTOP', 'YES', 'ANZA', 'RUDISHA']);

/** The meaning of a text for the network; null: none. */
export function meaningOf(text: string): 'stop' | 'start' | null {
  const word = text
    .trim()
    .replace(/[.!]+$/, '')
    .toUpperCase();
  if (STOP.has(word)) return 'stop';
  return START.has(word) ? 'start' : null;
}
