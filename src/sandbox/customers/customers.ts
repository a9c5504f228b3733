import type { InboundFacts } from './inbound-event.ts';
import { createInboundPoster, type Inbound } from './inbound-poster.ts';
import type { Settings } from '../options.ts';
import type { PostCounts, WebhookPoster } from '../reports/webhook-poster.ts';
import { planReply, type AnsweredMessage } from './reply-plan.ts';
import type { MediaName } from '../api/sample-media.ts';
import type { InboundEntry } from '../truth/truth-entry.ts';

/** What a truth log says about the customers of its sandbox. */
export interface CustomersPast {
  /** Numbers that said STOP and not START since. */
  stopped: Set<string>;
  /** Files of chat records by id. */
  media: Map<string, MediaName>;
  /** Messages that are to be answered and were not yet, by serial. */
  unanswered: Map<number, AnsweredMessage>;
}

interface CustomersOptions {
  settings: Settings;
  past: CustomersPast;
  record: (entry: InboundEntry) => void;
}

/** Most files that can be downloaded; the oldest go first. */
const MOST_MEDIA = 10_000;

/** The people behind the numbers: they answer messages, say STOP, and send files. */
export class Customers {
  /** Share of the delivered messages that are answered; can be changed while it runs. */
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

  /** Whether this number wants no promotional messages. */
  hasStopped(mobile: string): boolean {
    return this.#stopped.has(mobile);
  }

  /** The file of a chat record (API document 4.4); null: no such record, or one without a file. */
  mediaOf(id: string): MediaName | null {
    return this.#media.get(id) ?? null;
  }

  /** Lets the receiver of an accepted message answer it, if he is one who does. */
  answer(message: AnsweredMessage): void {
    if (this.replyRate === 0) return;
    const facts = planReply(this.#settings, { message, rate: this.replyRate });
    if (facts !== null) this.#send(facts, message.serial);
  }

  /** Lets somebody write at once. */
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

/** Remembers who said STOP, and forgets who said START. */
export function noteMeaning(stopped: Set<string>, { means, mobile }: InboundEntry): void {
  if (means === 'stop') stopped.add(mobile);
  else if (means === 'start') stopped.delete(mobile);
}
