import type { InboundFacts } from './inbound-event.ts';
import { createInboundPoster, type Inbound } from './inbound-poster.ts';
import type { Settings } from '../options.ts';
import type { PostCounts, WebhookPoster } from '../reports/webhook-poster.ts';
import { planReply, type AnsweredMessage } from './reply-plan.ts';
import type { MediaName } from '../api/sample-media.ts';
import type { InboundEntry } from '../truth/truth-entry.ts';

/** The state of the customers in a truth log. */
export interface CustomersPast {
  /** Numbers that said STOP, without a later START. */
  stopped: Set<string>;
  /** Files of chat records by id. */
  media: Map<string, MediaName>;
  /** Messages that still need a reply, by serial. */
  unanswered: Map<number, AnsweredMessage>;
}

interface CustomersOptions {
  settings: Settings;
  past: CustomersPast;
  record: (entry: InboundEntry) => void;
}

/** Most files for download; the oldest go first. */
const MOST_MEDIA = 10_000;

/** The customers: they reply to messages, say STOP, and send files. */
export class Customers {
  /** Share of delivered messages with a reply; may change at any time. */
  replyRate: number;
  readonly #settings: Settings;
  readonly #stopped: Set<string>;
  readonly #media: Map<string, MediaName>;
  readonly #poster: WebhookPoster<Inbound>;

  constructor({ settings, past, record }: CustomersOptions) {
    this.#settings = settings;
    this.replyRate = settings.replyRate;
    this.#stopped = past.stopped;
    this.#media = past.media;
    this.#poster = createInboundPoster({
      settings,
      record: (entry) => {
        noteMeaning(this.#stopped, entry);
        record(entry);
      },
    });
    for (const message of past.unanswered.values()) this.answer(message);
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
  answer(message: AnsweredMessage): void {
    if (this.replyRate === 0) return;
    const facts = planReply(this.#settings, { message, rate: this.replyRate });
    if (facts !== null) this.#send(facts, message.serial);
  }

  /** Posts a message of a customer at once. */
  write(facts: InboundFacts): void {
    this.#send(facts, null);
  }

  setWebhook(url: string | null): void {
    this.#poster.setWebhook(url);
  }

  stop(): void {
    this.#poster.stop();
  }

  #send(facts: InboundFacts, serial: number | null): void {
    if (facts.media !== null) keepMedia(this.#media, { id: facts.id, media: facts.media });
    this.#poster.add({ facts, serial }, facts.at);
  }
}

/** Remembers the file of a chat record. */
export function keepMedia(
  kept: Map<string, MediaName>,
  { id, media }: { id: string; media: MediaName },
): void {
  kept.set(id, media);
  const [oldest] = kept.size > MOST_MEDIA ? kept.keys() : [];
  if (oldest !== undefined) kept.delete(oldest);
}

/** Adds a number after STOP, and removes it after START. */
export function noteMeaning(stopped: Set<string>, { means, mobile }: InboundEntry): void {
  if (means === 'stop') stopped.add(mobile);
  else if (means === 'start') stopped.delete(mobile);
}
