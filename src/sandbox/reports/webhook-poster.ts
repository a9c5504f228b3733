import { DueQueue } from './due-queue.ts';
import { createReportClient, type ReportClient } from './report-client.ts';
import type { WireReport } from './report-shapes.ts';

const MOST_WAIT_MS = 30_000;
const TICK_MS = 5;

/** The result of the posts so far. */
export interface PostCounts {
  taken: number;
  givenUp: number;
  lost: number;
  /** Waiting for their time, or for a webhook address. */
  pending: number;
}

/** How one post ended: taken (2xx), given up after the last try, or lost because too many waited. */
export interface PostEnd {
  result: 'taken' | 'given_up' | 'lost';
  tries: number;
  /** Null when nothing answered. */
  httpStatus: number | null;
}

type Posted<T> = T & { dueAt: number; tries: number };

interface WebhookPosterOptions<T> {
  settings: { reportTries: number; reportRetryMs: number };
  /** Most posts at once. */
  connections: number;
  /** Most items that wait. */
  mostPending: number;
  wire: (item: T) => WireReport;
  record: (item: T, end: PostEnd) => void;
}

/**
 * Posts items to the webhook, each at its time, until the webhook answers 2xx or the tries are used up. Without an address
 * they wait. The end of each is recorded after it; a kill in between makes the next start post the item once more.
 */
export class WebhookPoster<T extends object> {
  readonly #options: WebhookPosterOptions<T>;
  readonly #pending: DueQueue<Posted<T>>;
  readonly #counts = { taken: 0, givenUp: 0, lost: 0 };
  #client: ReportClient | null = null;
  #inFlight = 0;
  #timer: NodeJS.Timeout | undefined;
  /** When the timer fires; Infinity: none is set. */
  #wakesAt = Infinity;
  #stopped = false;

  constructor(options: WebhookPosterOptions<T>) {
    this.#options = options;
    this.#pending = new DueQueue(options.mostPending);
  }

  get counts(): PostCounts {
    return { ...this.#counts, pending: this.#pending.size + this.#inFlight };
  }

  /** Sets or clears the address. Items that waited for one go out. */
  setWebhook(url: string | null): void {
    this.#client?.close();
    this.#client = url === null ? null : createReportClient(url);
    this.#pump();
  }

  /** Posts an item at its time, or as soon as possible when that has passed. */
  add(item: T, dueAt: number): void {
    this.#wait({ ...item, dueAt, tries: 0 });
    this.#wakeAtNext();
  }

  /** Posts an item at once. Resolves after the webhook's answer; a failure is tried again later. */
  async postNow(item: T): Promise<void> {
    const posted = { ...item, dueAt: Date.now(), tries: 0 };
    if (this.#client === null) this.#wait(posted);
    else await this.#post(posted, this.#client);
  }

  /** Stops posting. The next start plans waiting items again. */
  stop(): void {
    this.#stopped = true;
    clearTimeout(this.#timer);
    this.#client?.close();
  }

  #wait(item: Posted<T>): void {
    if (this.#pending.push(item)) return;
    this.#counts.lost += 1;
    this.#options.record(item, { result: 'lost', tries: item.tries, httpStatus: null });
  }

  #pump(): void {
    if (this.#stopped || this.#client === null) return;
    const now = Date.now();
    while (this.#inFlight < this.#options.connections && this.#pending.nextDueAt <= now) {
      const item = this.#pending.pop();
      if (item !== null) void this.#post(item, this.#client);
    }
    this.#wakeAtNext();
  }

  #wakeAtNext(): void {
    if (this.#stopped || this.#client === null || this.#inFlight >= this.#options.connections) return;
    const now = Date.now();
    const wakeAt = Math.max(this.#pending.nextDueAt, now + TICK_MS);
    if (wakeAt === Infinity || wakeAt > this.#wakesAt - TICK_MS) return;
    clearTimeout(this.#timer);
    this.#wakesAt = wakeAt;
    this.#timer = setTimeout(() => {
      this.#wakesAt = Infinity;
      this.#pump();
    }, wakeAt - now);
  }

  async #post(item: Posted<T>, client: ReportClient): Promise<void> {
    this.#inFlight += 1;
    const status = await client.post(this.#options.wire(item));
    this.#inFlight -= 1;
    if (this.#stopped) return;
    this.#settle({ ...item, tries: item.tries + 1 }, status);
    this.#pump();
  }

  #settle(item: Posted<T>, httpStatus: number | null): void {
    const { tries } = item;
    const { reportTries, reportRetryMs } = this.#options.settings;
    if (httpStatus !== null && httpStatus >= 200 && httpStatus < 300) {
      this.#counts.taken += 1;
      this.#options.record(item, { result: 'taken', tries, httpStatus });
    } else if (tries >= reportTries) {
      this.#counts.givenUp += 1;
      this.#options.record(item, { result: 'given_up', tries, httpStatus });
    } else {
      const waitMs = Math.min(reportRetryMs * 2 ** (tries - 1), MOST_WAIT_MS);
      this.#wait({ ...item, dueAt: Date.now() + waitMs });
    }
  }
}
