import { Pool } from 'undici';
import type { WireReport } from './report-shapes.ts';

const POST_TIMEOUT_MS = 10_000;
const MOST_RETRY_WAIT_MS = 30_000;

/** The result of the posts so far. */
export interface PostCounts {
  taken: number;
  givenUp: number;
  /** Posts that wait for their time or for a webhook address. */
  pending: number;
}

/** How one post ended: taken (2xx), or given up after the last try. */
export interface PostEnd {
  result: 'taken' | 'given_up';
  tries: number;
  /** Null when nothing answered. */
  httpStatus: number | null;
}

interface Waiting<T> {
  item: T;
  tries: number;
}

interface WebhookPosterOptions<T> {
  settings: { reportTries: number; reportRetryMs: number };
  /** Most posts at once. */
  connections: number;
  wire: (item: T) => WireReport;
  record: (item: T, end: PostEnd) => void;
}

/**
 * Posts items to the webhook, each at its time, until the webhook answers 2xx or the tries are used up.
 * Without an address they wait. The end of each is recorded after it; a kill in between makes the next start
 * post the item once more.
 */
export class WebhookPoster<T extends object> {
  readonly #options: WebhookPosterOptions<T>;
  readonly #counts: PostCounts = { taken: 0, givenUp: 0, pending: 0 };
  /** Items that are due and wait for an address. */
  #held: Waiting<T>[] = [];
  #webhook: Webhook | null = null;
  #stopped = false;

  constructor(options: WebhookPosterOptions<T>) {
    this.#options = options;
  }

  get counts(): PostCounts {
    return { ...this.#counts };
  }

  /** Sets or clears the address. Items that waited for one go out. */
  setWebhook(url: string | null): void {
    void this.#webhook?.pool.destroy();
    this.#webhook = url === null ? null : openWebhook(url, this.#options.connections);
    const held = this.#held;
    this.#held = [];
    for (const waiting of held) void this.#post(waiting);
  }

  /** Posts an item at its time, or as soon as possible when that has passed. */
  add(item: T, dueAt: number): void {
    this.#counts.pending += 1;
    this.#postLater({ item, tries: 0 }, dueAt - Date.now());
  }

  /** Posts an item at once. Resolves after the webhook's answer; a failure is tried again later. */
  async postNow(item: T): Promise<void> {
    this.#counts.pending += 1;
    await this.#post({ item, tries: 0 });
  }

  /** Stops posting. The next start plans waiting items again. */
  stop(): void {
    this.#stopped = true;
    void this.#webhook?.pool.destroy();
  }

  #postLater(waiting: Waiting<T>, waitMs: number): void {
    setTimeout(() => void this.#post(waiting), Math.max(0, waitMs)).unref();
  }

  async #post({ item, tries: earlier }: Waiting<T>): Promise<void> {
    if (this.#stopped) return;
    if (this.#webhook === null) {
      this.#held.push({ item, tries: earlier });
      return;
    }
    const httpStatus = await statusOf(this.#webhook, this.#options.wire(item));
    if (this.#stopped) return;
    const tries = earlier + 1;
    const { reportTries, reportRetryMs } = this.#options.settings;
    const isTaken = httpStatus !== null && httpStatus >= 200 && httpStatus < 300;
    if (isTaken || tries >= reportTries) {
      this.#counts.pending -= 1;
      this.#counts[isTaken ? 'taken' : 'givenUp'] += 1;
      this.#options.record(item, { result: isTaken ? 'taken' : 'given_up', tries, httpStatus });
    } else {
      const waitMs = Math.min(reportRetryMs * 2 ** (tries - 1), MOST_RETRY_WAIT_MS);
      this.#postLater({ item, tries }, waitMs);
    }
  }
}

interface Webhook {
  pool: Pool;
  path: string;
  /** The address's own query with its "?", or an empty text. */
  search: string;
}

function openWebhook(url: string, connections: number): Webhook {
  const { origin, pathname, search } = new URL(url);
  const pool = new Pool(origin, {
    connections,
    headersTimeout: POST_TIMEOUT_MS,
    bodyTimeout: POST_TIMEOUT_MS,
  });
  return { pool, path: pathname, search };
}

/** Posts once. Returns the HTTP status; null: no answer within the timeout. */
async function statusOf({ pool, path, search }: Webhook, report: WireReport): Promise<number | null> {
  const query = [search.slice(1), report.query].filter((part) => part !== '').join('&');
  try {
    const { statusCode, body } = await pool.request({
      path: query === '' ? path : `${path}?${query}`,
      method: report.method,
      headers: report.contentType === null ? {} : { 'content-type': report.contentType },
      body: report.method === 'POST' ? report.body : null,
    });
    await body.dump();
    return statusCode;
  } catch {
    return null;
  }
}
