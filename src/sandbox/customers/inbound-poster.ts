import { hash } from 'node:crypto';
import { inboundRecord, meaningOf, type InboundFacts } from './inbound-event.ts';
import { createReportClient, type ReportClient } from '../reports/report-client.ts';
import type { InboundEntry } from '../truth/truth-entry.ts';

const CONNECTIONS = 8;
const MOST_WAIT_MS = 30_000;
/** Customers' messages that wait for their time or for a webhook address. */
const MOST_WAITING = 100_000;

/** A message of a customer, on its way to the webhook. */
export interface Inbound {
  facts: InboundFacts;
  /** The message that it answers; null when an operator sent it. */
  serial: number | null;
}

/** What became of the inbound messages so far. */
export interface InboundCounts {
  taken: number;
  givenUp: number;
  lost: number;
  /** Waiting for their time, or for a webhook address. */
  pending: number;
}

/** What the poster needs to know and to tell. */
export interface InboundPosterOptions {
  settings: { reportTries: number; reportRetryMs: number };
  record: (entry: InboundEntry) => void;
}

type Tried = Inbound & { tries: number };

/**
 * Posts what customers write (API document 6), each at its time, again until the webhook answers 2xx or the tries are used
 * up. The same message is the same record at every try. How each one ended is recorded after it ended.
 */
export class InboundPoster {
  readonly #options: InboundPosterOptions;
  readonly #counts = { taken: 0, givenUp: 0, lost: 0 };
  readonly #timers = new Set<NodeJS.Timeout>();
  readonly #ready: Tried[] = [];
  #client: ReportClient | null = null;
  #inFlight = 0;
  #stopped = false;

  constructor(options: InboundPosterOptions) {
    this.#options = options;
  }

  get counts(): InboundCounts {
    return { ...this.#counts, pending: this.#timers.size + this.#ready.length + this.#inFlight };
  }

  /** Sets or clears the address. What has waited for one goes out. */
  setWebhook(url: string | null): void {
    this.#client?.close();
    this.#client = url === null ? null : createReportClient(url);
    this.#pump();
  }

  /** Posts a message at its own time, or at once when that has passed. */
  add(inbound: Inbound): void {
    this.#wait({ ...inbound, tries: 0 }, inbound.facts.at - Date.now());
  }

  /** Stops posting. What waits and answers a message is planned again by the next start. */
  stop(): void {
    this.#stopped = true;
    for (const timer of this.#timers) clearTimeout(timer);
    this.#timers.clear();
    this.#client?.close();
  }

  #wait(inbound: Tried, waitMs: number): void {
    if (this.#stopped) return;
    if (this.counts.pending >= MOST_WAITING) {
      this.#counts.lost += 1;
      this.#record(inbound, { result: 'lost', httpStatus: null });
      return;
    }
    const timer = setTimeout(
      () => {
        this.#timers.delete(timer);
        this.#ready.push(inbound);
        this.#pump();
      },
      Math.max(0, waitMs),
    );
    this.#timers.add(timer);
  }

  #pump(): void {
    while (!this.#stopped && this.#client !== null && this.#inFlight < CONNECTIONS) {
      const next = this.#ready.shift();
      if (next === undefined) return;
      void this.#post(next, this.#client);
    }
  }

  async #post(inbound: Tried, client: ReportClient): Promise<void> {
    this.#inFlight += 1;
    const body = JSON.stringify(inboundRecord(inbound.facts));
    const status = await client.post({ method: 'POST', contentType: 'application/json', query: '', body });
    this.#inFlight -= 1;
    if (this.#stopped) return;
    this.#settle({ ...inbound, tries: inbound.tries + 1 }, status);
    this.#pump();
  }

  #settle(inbound: Tried, httpStatus: number | null): void {
    const { reportTries, reportRetryMs } = this.#options.settings;
    if (httpStatus !== null && httpStatus >= 200 && httpStatus < 300) {
      this.#counts.taken += 1;
      this.#record(inbound, { result: 'taken', httpStatus });
    } else if (inbound.tries >= reportTries) {
      this.#counts.givenUp += 1;
      this.#record(inbound, { result: 'given_up', httpStatus });
    } else {
      this.#wait(inbound, Math.min(reportRetryMs * 2 ** (inbound.tries - 1), MOST_WAIT_MS));
    }
  }

  #record({ facts, serial, tries }: Tried, end: Pick<InboundEntry, 'result' | 'httpStatus'>): void {
    const { name, id, mobile, shortcode, text, media, at: sentAt } = facts;
    this.#options.record({
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
      sentAt,
      tries,
      ...end,
    });
  }
}
