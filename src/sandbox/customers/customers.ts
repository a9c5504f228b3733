import { hash, randomUUID } from 'node:crypto';
import { MEDIA_NAMES, type MediaName } from '../api/sample-media.ts';
import { chance, pick } from '../faults/chance.ts';
import type { Settings } from '../options.ts';
import { planReports } from '../reports/report-plan.ts';
import { type PostCounts, type PostEnd, WebhookPoster } from '../reports/webhook-poster.ts';
import type { AcceptedEntry, InboundEntry } from '../truth/truth-entry.ts';
import { INBOUND_EVENTS, inboundRecord, meaningOf, type InboundFacts } from './inbound-event.ts';

const CONNECTIONS = 8;
const STOP_TEXTS = ['STOP', 'Stop', 'stop.', 'ACHA', 'Ondoa', ' STOP '] as const;
const TEXTS = [
  'Asante sana!',
  'Nimepata, shukran',
  'What time do you open?',
  'Yes please, keep two for me',
  'Who is this?',
  'Please stop shouting :)',
  'Sawa \u{1f44d}',
] as const;
/** Share of chat replies with a file. */
const MEDIA_SHARE = 0.5;

interface CustomersOptions {
  settings: Settings;
  /** The customers' messages in the truth log. */
  past: InboundEntry[];
  record: (entry: InboundEntry) => void;
}

/** The customers: they reply to messages, say STOP, and send files. A stop of the sandbox forgets their waiting replies. */
export class Customers {
  /** Share of delivered messages with a reply; may change at any time. */
  replyRate: number;
  readonly #settings: Settings;
  readonly #record: (entry: InboundEntry) => void;
  /** Numbers that said STOP, without a later START. */
  readonly #stopped = new Set<string>();
  /** Files by the id of their chat record. */
  readonly #media = new Map<string, MediaName>();
  readonly #poster: WebhookPoster<InboundFacts>;

  constructor({ settings, past, record }: CustomersOptions) {
    this.#settings = settings;
    this.#record = record;
    this.replyRate = settings.replyRate;
    for (const entry of past) this.#noteMeaning(entry);
    this.#poster = new WebhookPoster({
      settings,
      connections: CONNECTIONS,
      wire: (facts) => ({
        method: 'POST',
        contentType: 'application/json',
        query: '',
        body: JSON.stringify(inboundRecord(facts)),
      }),
      record: (facts, end) => {
        this.#recordEnd(facts, end);
      },
    });
  }

  get counts(): PostCounts {
    return this.#poster.counts;
  }

  /** Whether this number said STOP to promotional messages. */
  hasStopped(mobile: string): boolean {
    return this.#stopped.has(mobile);
  }

  /** The file of a chat record (API document 4.4); null: no such record, or no file. */
  mediaOf(id: string): MediaName | null {
    return this.#media.get(id) ?? null;
  }

  /** Plans the reply to an accepted message, if there is one. */
  answer(message: AcceptedEntry): void {
    const facts = planReply(this.#settings, { message, rate: this.replyRate });
    if (facts !== null) this.write(facts);
  }

  /** Posts a message of a customer at its time. */
  write(facts: InboundFacts): void {
    if (facts.media !== null) this.#media.set(facts.id, facts.media);
    this.#poster.add(facts, facts.at);
  }

  setWebhook(url: string | null): void {
    this.#poster.setWebhook(url);
  }

  stop(): void {
    this.#poster.stop();
  }

  #recordEnd({ name, id, serial, mobile, shortcode, text, media, at }: InboundFacts, end: PostEnd): void {
    const entry: InboundEntry = {
      event: 'inbound',
      at: Date.now(),
      name,
      id,
      serial,
      mobile,
      shortcode,
      sha256: hash('sha256', text),
      means: meaningOf(text),
      media,
      sentAt: at,
      ...end,
    };
    this.#noteMeaning(entry);
    this.#record(entry);
  }

  #noteMeaning({ means, mobile }: InboundEntry): void {
    if (means === 'stop') this.#stopped.add(mobile);
    else if (means === 'start') this.#stopped.delete(mobile);
  }
}

/** Plans the reply to a message from its serial and number; null: no reply. Only a delivered message gets one. */
function planReply(
  settings: Settings,
  { message, rate }: { message: AcceptedEntry; rate: number },
): InboundFacts | null {
  const { seed } = settings;
  const key = `${message.serial}:${message.mobile}`;
  if (chance(seed, `reply:${key}`) >= rate) return null;
  const { reports } = planReports(settings, message);
  const delivered = reports.findLast(({ outcome }) => outcome === 'delivered');
  if (delivered === undefined) return null;
  const { min, max } = settings.replyDelayMs;
  const waitMs = delivered.afterMs + min + (max - min) * chance(seed, `reply-delay:${key}`);
  const stops = chance(seed, `stop:${key}`) < settings.stopRate;
  const name = pick(INBOUND_EVENTS, { seed, key: `reply-event:${key}` });
  const isChat = name === 'whatsapp.message.received';
  const hasMedia = isChat && !stops && chance(seed, `reply-media:${key}`) < MEDIA_SHARE;
  return {
    name,
    serial: message.serial,
    mobile: message.mobile,
    shortcode: message.shortcode,
    text: pick(stops ? STOP_TEXTS : TEXTS, { seed, key: `reply-text:${key}` }),
    at: Math.round(message.at + waitMs),
    id: randomUUID(),
    media: hasMedia ? pick(MEDIA_NAMES, { seed, key: `reply-file:${key}` }) : null,
    fields: {},
  };
}
